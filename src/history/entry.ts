import type { Row } from '../core/result.ts';
import { parseResponse } from '../core/text/strict-json.ts';
import { inShell } from '../core/text/typed.ts';
import type { Writer } from './written-by.ts';

/**
 * The outcome of a write. While no outcome is recorded, the database has `pending`, which is shown
 * as `unknown`.
 */
const STATES = ['done', 'rejected', 'unknown', 'not-applied', 'adopted'] as const;

export type EntryState = (typeof STATES)[number];

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
export interface Entry extends Intent {
  /** `h-7k3mqd` */
  readonly id: string;
  readonly at: number;
  /** The organization of the key. */
  readonly organization: string;
  readonly state: EntryState;
  readonly created: string | undefined;
  readonly response: unknown;
  readonly status: number | undefined;
  readonly message: string | undefined;
  readonly requestId: string | undefined;
  /** Undefined if no outcome was recorded: the process was killed or is still running. */
  readonly endedAt: number | undefined;
  readonly resolvedAt: number | undefined;
}

type Stored = Readonly<Record<string, unknown>>;

export function entryOf(row: Stored): Entry {
  const ended = optional<number>(row.endedAt);
  return {
    id: row.id as string,
    at: row.at as number,
    what: row.what as string,
    noun: row.noun as string,
    endpoint: row.endpoint as string,
    method: row.method as string,
    path: row.path as string,
    payload: parsed(row.payload),
    before: parsed(row.before) as Row | undefined,
    profile: optional<string>(row.profile),
    environment: optional<string>(row.environment),
    baseUrl: row.baseUrl as string,
    writer: {
      actor: row.actor as string,
      user: row.user as string,
      host: row.host as string,
      job: optional<string>(row.job),
      version: row.version as string,
    },
    once: optional<string>(row.once),
    organization: row.organization as string,
    state: row.state === 'pending' ? 'unknown' : (row.state as EntryState),
    created: optional<string>(row.created),
    response: parsed(row.response),
    status: optional<number>(row.status),
    message:
      row.state === 'pending'
        ? 'no outcome was recorded: the process was killed or is still running'
        : optional<string>(row.message),
    requestId: optional<string>(row.requestId),
    endedAt: ended,
    resolvedAt: optional<number>(row.resolvedAt),
  };
}

function optional<T>(value: unknown): T | undefined {
  return value === null ? undefined : (value as T);
}

function parsed(text: unknown): unknown {
  return typeof text === 'string' ? parseResponse(text) : undefined;
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
  return `Check the service. If the write was applied, run: ${resolve} --adopt ${adopt}; if not, run: ${resolve} --drop.`;
}
