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
const LONGEST_ADDRESS = 1_000;

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

/** The address of the job, by CI system; empty if a variable is missing. */
const JOBS: readonly ((env: Env) => string)[] = [
  // https://docs.github.com/actions/reference/workflows-and-actions/variables
  ({ GITHUB_SERVER_URL, GITHUB_REPOSITORY, GITHUB_RUN_ID, GITHUB_RUN_ATTEMPT = '1' }) =>
    joined`${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/actions/runs/${GITHUB_RUN_ID}/attempts/${GITHUB_RUN_ATTEMPT}`,
  // https://docs.gitlab.com/ci/variables/predefined_variables/
  ({ CI_JOB_URL }) => joined`${CI_JOB_URL}`,
  // https://learn.microsoft.com/azure/devops/pipelines/build/variables
  ({ SYSTEM_COLLECTIONURI, SYSTEM_TEAMPROJECT, BUILD_BUILDID }) =>
    joined`${SYSTEM_COLLECTIONURI}${SYSTEM_TEAMPROJECT}/_build/results?buildId=${BUILD_BUILDID}`,
  // https://circleci.com/docs/reference/variables/
  ({ CIRCLE_BUILD_URL }) => joined`${CIRCLE_BUILD_URL}`,
  // https://buildkite.com/docs/pipelines/configure/environment-variables
  ({ BUILDKITE_BUILD_URL, BUILDKITE_JOB_ID }) => joined`${BUILDKITE_BUILD_URL}#${BUILDKITE_JOB_ID}`,
  // https://docs.travis-ci.com/user/environment-variables/
  ({ TRAVIS_JOB_WEB_URL }) => joined`${TRAVIS_JOB_WEB_URL}`,
  // https://www.jenkins.io/doc/book/pipeline/jenkinsfile/#using-environment-variables
  ({ BUILD_URL }) => joined`${BUILD_URL}`,
];

function joined(fixed: TemplateStringsArray, ...values: readonly (string | undefined)[]): string {
  return values.every(Boolean) ? String.raw({ raw: fixed }, ...values) : '';
}

function jobOf(env: Env): string | undefined {
  for (const addressIn of JOBS) {
    const address = addressIn(env);
    if (address.length > LONGEST_ADDRESS || !/^https?:\/\//i.test(address)) continue;
    if (!URL.canParse(address)) continue;
    const url = new URL(address);
    url.username = '';
    url.password = '';
    return url.href;
  }
  return undefined;
}
