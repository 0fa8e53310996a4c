import { randomBytes } from 'node:crypto';
import { nounOf } from '../core/endpoint.ts';
import { isObject } from '../core/json.ts';
import type { Scope } from '../core/service.ts';
import type { Memory } from '../ledger/memory.ts';
import { type Ledger, ledgerExists } from '../ledger/open-ledger.ts';
import { digestOf, keyOf } from '../ledger/rows.ts';
import { beginWrite, finishWrite } from '../ledger/single-writes.ts';
import type { Sql, SqlValue, Statements } from '../ledger/sql.ts';
import { type Ending, type Entry, type EntryState, entryOf, type Intent } from './entry.ts';

/**
 * A create that is sent again within this time is a repeat. If the outcome of the first create is
 * unknown, the second is a repeat at any time.
 */
const REPEAT_MS = 24 * 3_600_000;

/** Of the nouns of single creates, only this one has a list that shows what was created. */
const LISTED = 'items';

export type Begun =
  | { readonly id: string }
  | { readonly repeats: Repeated }
  /** Another process has begun the create with the same key of `--once`. */
  | { readonly once: string };

/** An earlier write: another single one, or a row of an import. */
export type Repeated = {
  /** ms */
  readonly at: number;
  /** Nobody knows whether it was created. */
  readonly isOpen: boolean;
  /** Nor will anybody: a person has given the row up. */
  readonly isDropped?: boolean;
  /** For messages: the id of the entry, or the row and its run. */
  readonly name: string;
  readonly created: string | undefined;
} & (
  | { readonly entry: Entry }
  | { readonly entry?: undefined; readonly run: string; readonly row: number }
);

interface Beginning {
  readonly now: number;
  /** A repeat adds no entry. */
  readonly refusesRepeats: boolean;
  /** The entry of the same write, whose request was turned away. */
  readonly renews?: string | undefined;
}

/** The parts of a context that hold the ledger. */
type Opening = Parameters<typeof ledgerExists>[0] & { ledger(): Promise<Ledger> };

export async function historyOf(ctx: Pick<Opening, 'ledger'>): Promise<History> {
  return new History(await ctx.ledger());
}

/** Returns `otherwise` if there is no ledger yet, because reading must not create a file. */
export async function withHistory<T>(
  ctx: Opening,
  otherwise: T,
  look: (history: History) => T | Promise<T>,
): Promise<T> {
  return ledgerExists(ctx) ? look(await historyOf(ctx)) : otherwise;
}

/** The single writes in the ledger, of all places. Several processes may use it at once. */
export class History {
  readonly sql: Sql;

  readonly #memory: Memory | undefined;

  constructor({ sql, memory }: Pick<Ledger, 'sql' | 'memory'>) {
    this.sql = sql;
    this.#memory = memory;
  }

  /**
   * Records a write before its request leaves; the entry is on the disk when this returns. The
   * search for repeats is in the same transaction, so two processes that refuse repeats cannot both
   * begin the same create.
   *
   * @param now ms
   */
  async begin(
    scope: Scope,
    intent: Intent,
    { now, refusesRepeats, renews }: Beginning,
  ): Promise<Begun> {
    const { noun, once, profile, environment, given, ...request } = intent;
    const id = renews ?? newId(randomBytes(6));
    const where = { place: scope.key, alias: scope.alias, noun, isListed: noun === LISTED };
    const identity = identityOf(intent, given ?? request.payload);
    // Only of an item with a code the list proves whether it was created.
    const isListed = where.isListed && identity.key !== null;
    const check = (sql: Statements) => this.#memory?.check(sql, { ...where, isListed });
    const write = {
      ...{ id, once, ...identity, check: request.method === 'POST' ? check : undefined },
      columns: {
        ...{ at: now, profile: profile ?? null, environment: environment ?? null },
        request: JSON.stringify(request),
      },
    };
    const since = refusesRepeats ? now - REPEAT_MS : undefined;
    const before = await beginWrite(this.sql, where, write, since, renews !== undefined);
    if (before === undefined) return { id };
    if ('once' in before) return before;
    if ('run' in before)
      return { repeats: { ...before, name: `row ${before.row} of the import ${before.run}` } };
    const entry = (await this.get(before.entry))!;
    const { at, created } = entry;
    return { repeats: { at, isOpen: before.isOpen, name: entry.id, created, entry } };
  }

  finish(id: string, { state, created, ...outcome }: Ending, now: number): Promise<void> {
    return finishWrite(this.sql, id, {
      ...{ state, created: created ?? null, resolved_at: null },
      outcome: JSON.stringify({ ...outcome, endedAt: now }),
    });
  }

  async get(id: string): Promise<Entry | undefined> {
    return (await this.#all('WHERE id = ?', id))[0];
  }

  /** The entry with a key of `--once`. A write that was not applied has none. */
  async once(scope: Scope, key: string): Promise<Entry | undefined> {
    const condition = "WHERE once = ? AND place = ? AND state NOT IN ('rejected', 'not-applied')";
    return (await this.#all(condition, key, scope.key))[0];
  }

  /** Newest first. */
  entries(filter: EntryFilter = {}): Promise<readonly Entry[]> {
    const given = Object.entries({ ...filter, scope: filter.scope?.key }).flatMap(
      ([name, value]) =>
        value !== undefined && name in CONDITIONS ? [[CONDITIONS[name]!, value] as const] : [],
    );
    // Those without a request were pruned.
    const conditions = ["request <> '{}'", ...given.map(([condition]) => condition)];
    return this.#all(
      `WHERE ${conditions.join(' AND ')} ORDER BY seq DESC
        ${filter.limit === undefined ? '' : `LIMIT ${filter.limit}`}`,
      ...given.map(([, value]) => value as SqlValue),
    );
  }

  /**
   * What a person has found out. Changes nothing if the service's answer has arrived or the write was sent again since
   * the entry was read.
   *
   * @param adopted undefined: the write was not applied
   */
  async resolve(
    { id, at }: Pick<Entry, 'id' | 'at'>,
    adopted: string | undefined,
    now: number,
  ): Promise<void> {
    const state = adopted === undefined ? 'not-applied' : 'adopted';
    await this.sql.run(
      `UPDATE entries SET state = ?, created = ?, resolved_at = ? WHERE id = ? AND at = ?
        AND (state IN ('pending', 'unknown') OR resolved_at IS NOT NULL)`,
      ...[state, adopted ?? null, now, id, at],
    );
  }

  async #all(condition: string, ...values: readonly SqlValue[]): Promise<readonly Entry[]> {
    return (await this.sql.all(`SELECT * FROM entries ${condition}`, ...values)).map(entryOf);
  }
}

/** SQL, by filter. */
const CONDITIONS: Readonly<Record<string, string>> = {
  noun: 'noun = ?',
  scope: 'place = ?',
  since: 'at >= ?',
  state: "CASE state WHEN 'pending' THEN 'unknown' ELSE state END = ?",
  profile: 'profile = ?',
  environment: 'environment = ?',
};

export interface EntryFilter {
  readonly noun?: string | undefined;
  readonly scope?: Scope | undefined;
  /** Milliseconds since the epoch. */
  readonly since?: number | undefined;
  readonly state?: EntryState | undefined;
  readonly profile?: string | undefined;
  readonly environment?: string | undefined;
  readonly limit?: number | undefined;
}

/** By what repeats of a write are recognized. @param body as the user gave it */
export function identityOf(
  { endpoint, method, path }: Pick<Intent, 'endpoint' | 'method' | 'path'>,
  body: unknown,
): { readonly key: string | null; readonly digest: string } {
  const noun = nounOf({ id: endpoint });
  const isCreate = endpoint === `${noun}.create` && isObject(body);
  return { key: isCreate ? keyOf(noun, body) : null, digest: digestOf(method, path, body) };
}

// No characters that look alike, and no vowels, so that an id never spells a word.
const LETTERS = '23456789bcdfghjkmnpqrstvwxz';

/** Random, so that a typing error is unlikely to name another entry. */
export function newId(bytes: Uint8Array): string {
  return `h-${Array.from(bytes, (byte) => LETTERS[byte % LETTERS.length]).join('')}`;
}
