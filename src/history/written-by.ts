import { hostname, userInfo } from 'node:os';
import type { Env, Terminal } from '../core/io.ts';
import { VERSION } from '../core/proc-version.ts';

export interface Writer {
  /** `terminal`, `script`, `ci`, or the name in `AI_AGENT`. */
  readonly actor: string;
  /** Name of the account that ran proc. */
  readonly user: string;
  readonly host: string;
  /** Page of the CI job. Undefined outside CI, or if no variable has its address. */
  readonly job: string | undefined;
  readonly version: string;
}

const LONGEST_NAME = 100;

export function writerOf(env: Env, { interactive }: Pick<Terminal, 'interactive'>): Writer {
  return {
    actor: actorOf(env, interactive),
    user: userOf(env),
    host: hostname(),
    job: jobOf(env),
    version: VERSION,
  };
}

function actorOf({ AI_AGENT = '', CI = '' }: Env, interactive: boolean): string {
  const name = AI_AGENT.trim().slice(0, LONGEST_NAME);
  if (name !== '') return name;
  if (!['', '0', 'false'].includes(CI.toLowerCase())) return 'ci';
  return interactive ? 'terminal' : 'script';
}

/** The operating system's answer, because anybody can set `USER`. */
function userOf({ LOGNAME, USER, USERNAME }: Env): string {
  try {
    return userInfo().username;
  } catch {
    // In a container, the account may have a number and no name.
    return LOGNAME || USER || USERNAME || 'unknown';
  }
}

/** The page of the job, as GitHub, GitLab, CircleCI, Buildkite and Jenkins name it. */
function jobOf(env: Env): string | undefined {
  const { GITHUB_SERVER_URL, GITHUB_REPOSITORY, GITHUB_RUN_ID } = env;
  const address = GITHUB_RUN_ID
    ? `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/actions/runs/${GITHUB_RUN_ID}`
    : env.CI_JOB_URL || env.CIRCLE_BUILD_URL || env.BUILDKITE_BUILD_URL || env.BUILD_URL;
  if (address === undefined || !URL.canParse(address)) return undefined;
  const url = new URL(address);
  if (!/^https?:$/.test(url.protocol)) return undefined;
  url.username = '';
  url.password = '';
  return url.href;
}
