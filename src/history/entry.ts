import { hostname, userInfo } from 'node:os';
import { ProcError } from '../core/errors.ts';
import type { Env, Terminal } from '../core/io.ts';
import { parseResponse } from '../core/json.ts';
import type { Row } from '../core/result.ts';
import { INTENT_MS } from '../core/service.ts';
import { VERSION } from '../core/system.ts';
import { inShell } from '../core/wording.ts';
import type { SqlRow } from '../ledger/sql.ts';

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

/** While no outcome is recorded, the database has `pending`, which is shown as `unknown`. */
export type EntryState = 'done' | 'rejected' | 'unknown' | 'not-applied' | 'adopted';

export interface Intent {
  /** For people: `create item "Bolt"`. */
  readonly what: string;
  readonly noun: string;
  /** Id of the endpoint: `items.create`. */
  readonly endpoint: string;
  readonly method: string;
  /** Relative to the base URL, as sent. */
  readonly path: string;
  readonly payload: unknown;
  /** Compared with earlier writes instead of `payload`, to find out whether this write is a repeat. */
  readonly given?: unknown;
  /** The record before it is changed or deleted. */
  readonly before?: Row | undefined;
  readonly profile: string | undefined;
  readonly environment: string | undefined;
  readonly baseUrl: string;
  readonly writer: Writer;
  /** The key of `--once`. */
  readonly once?: string | undefined;
}

export interface Ending {
  readonly state: Exclude<EntryState, 'adopted'>;
  readonly created?: string | undefined;
  readonly response?: unknown;
  readonly status?: number | undefined;
  readonly message?: string | undefined;
  readonly requestId?: string | undefined;
}

/** A write in the history. Times are milliseconds since the epoch. */
export interface Entry extends Omit<Intent, 'given'>, Omit<Ending, 'state'> {
  /** `h-7k3mqd` */
  readonly id: string;
  readonly at: number;
  /** Service and organization. */
  readonly place: string;
  /** The organization of the key. */
  readonly organization: string;
  /** Equal for repeats. */
  readonly digest: string;
  readonly state: EntryState;
  /** Undefined if no outcome was recorded: the process was killed or is still running. */
  readonly endedAt?: number | undefined;
  readonly resolvedAt?: number | undefined;
}

type Request = Omit<Intent, 'given' | 'noun' | 'once' | 'profile' | 'environment'>;

export function entryOf(row: SqlRow): Entry {
  const text = (value: unknown) => (value === null ? undefined : (value as string));
  const isPending = row.state === 'pending';
  const place = row.place as string;
  return {
    ...(parseResponse(row.request as string) as Request),
    ...(parseResponse((row.outcome as string | null) ?? '{}') as Partial<Entry>),
    ...(isPending
      ? { message: 'no outcome was recorded: the process was killed or is still running' }
      : {}),
    id: row.id as string,
    at: Number(row.at),
    place,
    organization: place.slice(place.indexOf(' ') + 1),
    noun: row.noun as string,
    digest: row.digest as string,
    once: text(row.once),
    profile: text(row.profile),
    environment: text(row.environment),
    state: isPending ? 'unknown' : (row.state as EntryState),
    created: text(row.created),
    resolvedAt: row.resolved_at === null ? undefined : Number(row.resolved_at),
  };
}

/** Also if a person has found that out. */
export function wasApplied({ state }: Entry): boolean {
  return state === 'done' || state === 'adopted';
}

/**
 * Until the settle time and `INTENT_MS` have passed, a write that has no outcome may still be sent, or be applied.
 *
 * @throws ProcError `busy`
 */
export function refuseInFlight(entry: Entry, now: number, settleMs: number): void {
  const { id, at, state, endedAt, resolvedAt, method, path } = entry;
  const isPending = state === 'unknown' && endedAt === undefined && resolvedAt === undefined;
  // The clocks of two machines may differ.
  const age = Math.abs(now - at);
  const left = settleMs + INTENT_MS - age;
  if (!isPending || left <= 0) return;
  const seconds = Math.ceil(left / 1000);
  throw new ProcError('busy', `another process may be sending ${method} ${path} (${id})`, {
    hint: `Try again in ${seconds} s. If that process was killed, you can resolve the write then`,
    details: { historyId: id, seconds },
  });
}

/**
 * The id of the record that a write changes or deletes: the last part of the path. Undefined for a
 * create.
 */
export function subjectOf({ method, path }: Pick<Entry, 'method' | 'path'>): string | undefined {
  return method === 'POST' ? undefined : decodeURIComponent(path.split('/').at(-1)!);
}

export function resolveHint(entry: Pick<Entry, 'id' | 'method' | 'path'>): string {
  const id = subjectOf(entry);
  const adopt = id === undefined ? 'ID' : inShell(id);
  const resolve = `proc history resolve ${inShell(entry.id)}`;
  return `Check the service. If the write was applied, run: ${resolve} --adopt ${adopt}; if not, run: ${resolve} --drop`;
}
