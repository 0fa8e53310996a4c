import { ProcError } from '../core/errors.ts';
import type { Row } from '../core/result.ts';
import { INTENT_MS } from '../core/service-target.ts';
import { parseResponse } from '../core/text/strict-json.ts';
import { inShell } from '../core/text/typed.ts';
import type { SqlRow } from '../ledger/sql.ts';
import type { Writer } from './written-by.ts';

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
