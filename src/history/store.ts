import { randomBytes } from 'node:crypto';
import type { KeptKind } from '../core/ports.ts';
import { type Scope, serviceOf } from '../core/scope.ts';
import { digestOf } from '../ledger/digest.ts';
import {
  emptyLedger,
  hasLedger,
  isShared,
  ledgerFolder,
  openLedger,
} from '../ledger/open-ledger.ts';
import { SentRows } from '../ledger/sent-rows.ts';
import {
  insertInto,
  listOf,
  type Sql,
  type SqlRow,
  type SqlValue,
  type Statements,
} from '../ledger/sql.ts';
import { type Ending, type Entry, type EntryState, entryOf, type Intent } from './entry.ts';

/**
 * A create that is sent again within this time is a repeat. If the outcome of the first create is
 * unknown, the second is a repeat at any time.
 */
export const REPEAT_MS = 24 * 3_600_000;

const ID_LETTERS = 6;

export type Begun =
  | { readonly id: string }
  | { readonly repeats: Entry }
  /** Another process has begun the create with the same `--once` key. */
  | { readonly isBusy: true };

/** An entry with a `--once` key whose write may have been applied. */
export interface OnceEntry {
  readonly entry: Entry;
  readonly fingerprint: string;
}

/**
 * The history of writes, stored in the ledger. Several processes may use it at once.
 *
 * @param folder of the ledger
 * @throws ProcError `state_unwritable`, or `config_unreadable` if the file is damaged
 */
export function openHistory(folder: string): History {
  return new History(openLedger(folder), isShared(folder));
}

/** Whether there is a ledger to read. */
export function hasHistory(self: Parameters<typeof ledgerFolder>[0]): boolean {
  return hasLedger(ledgerFolder(self));
}

export const HISTORY: KeptKind<History> = {
  open: (self) => openHistory(ledgerFolder(self)),
  /** The history if it exists, else an empty history in memory. */
  twin: (self) => (hasHistory(self) ? openHistory(ledgerFolder(self)) : emptyHistory()),
};

function emptyHistory(): History {
  return new History(emptyLedger(), false);
}

export class History {
  readonly #sql: Sql;
  /** Whether it is that of a team, in which only keys tell organizations apart. */
  readonly isShared: boolean;

  constructor(sql: Sql, isShared: boolean) {
    this.#sql = sql;
    this.isShared = isShared;
  }

  /**
   * Records a write before its request leaves; the entry is on the disk when this returns. The
   * search for repeats is in the same transaction, so two processes that refuse repeats cannot both
   * begin the same create.
   *
   * @param scope where to look for an earlier write that makes the new one a repeat
   * @param refuseRepeats whether a repeat adds no entry and returns the earlier write. A write with a `--once`
   * key repeats no write with another key
   */
  async begin(scope: Scope, intent: Intent, now: number, refuseRepeats: boolean): Promise<Begun> {
    const { once } = intent;
    return this.#sql.transaction(async (sql) => {
      if (once !== undefined && (await onceIn(sql, scope, [once])).size > 0)
        return { isBusy: true };
      const row = await newEntry(sql, scope, intent, now);
      const [earlier] = refuseRepeats
        ? await sql.all(
            `SELECT * FROM entries WHERE service = ? AND fingerprint = ? AND (once IS NULL OR CAST(? AS TEXT) IS NULL)
              AND ${OURS} AND (state IN ('pending', 'unknown')
              OR (state IN ('done', 'adopted') AND at > ?))
              ORDER BY CASE WHEN state IN ('done', 'adopted') THEN 1 ELSE 0 END, seq DESC LIMIT 1`,
            ...[scope.service, row.fingerprint, row.once, listOf(scope.names), now - REPEAT_MS],
          )
        : [];
      if (earlier !== undefined) return { repeats: entryOf(earlier) };
      await sql.run(insertInto('entries', row), ...Object.values(row));
      return { id: row.id };
    });
  }

  /** The entry of a write that has not left yet, by column. */
  newEntry(scope: Scope, intent: Intent, now: number): Promise<NewEntry> {
    return newEntry(this.#sql, scope, intent, now);
  }

  /** A known outcome replaces an outcome that a person recorded. An unknown outcome does not. */
  async finish(id: string, ending: Ending, now: number): Promise<void> {
    await this.#sql.run(
      `UPDATE entries SET state = ?, created = ?, response = ?, status = ?, message = ?, "requestId" = ?,
        "endedAt" = ?, "resolvedAt" = NULL WHERE id = ? AND (state = 'pending' OR CAST(? AS TEXT) <> 'unknown')`,
      ending.state,
      ending.created ?? null,
      json(ending.response),
      ending.status ?? null,
      ending.message ?? null,
      ending.requestId ?? null,
      now,
      id,
      ending.state,
    );
  }

  async get(id: string): Promise<Entry | undefined> {
    const [row] = await this.#sql.all('SELECT * FROM entries WHERE id = ?', id);
    return row === undefined ? undefined : entryOf(row);
  }

  /** The entries that hold the given `--once` keys, by key. A write that was not applied holds no key. */
  once(scope: Scope, keys: readonly string[]): Promise<ReadonlyMap<string, OnceEntry>> {
    return onceIn(this.#sql, scope, keys);
  }

  /**
   * The id of the entry that created a record. Also finds an entry that a person resolved with the
   * id of the record.
   */
  async creatorOf(scope: Scope, endpoint: string, id: string): Promise<string | undefined> {
    const [row] = await this.#sql.all(
      `SELECT id FROM entries WHERE service = ? AND endpoint = ? AND created = ? AND ${OURS}`,
      ...[scope.service, endpoint, id, listOf(scope.names)],
    );
    return row?.id as string | undefined;
  }

  /** Which of the given ids belong to records that single commands created. */
  async createdAmong(ids: readonly string[], scope: Scope, endpoint: string): Promise<string[]> {
    const rows = await this.#sql.all(
      `SELECT created FROM entries WHERE service = ? AND endpoint = ? AND ${OURS}
        AND created IN (SELECT value ->> 0 FROM json_each(?))`,
      ...[scope.service, endpoint, listOf(scope.names), listOf(ids)],
    );
    return rows.map(({ created }) => created as string);
  }

  /** Newest first. */
  async entries(filter: EntryFilter = {}): Promise<Entry[]> {
    const { sql, values } = conditionOf(filter);
    const { limit, isOldestFirst } = filter;
    const rows = await this.#sql.all(
      `SELECT * FROM entries ${sql} ORDER BY seq ${isOldestFirst ? 'ASC' : 'DESC'}
        ${limit === undefined ? '' : 'LIMIT ?'}`,
      ...values,
      ...(limit === undefined ? [] : [limit]),
    );
    return rows.map(entryOf);
  }

  async resolve(id: string, adopted: string | undefined, now: number): Promise<void> {
    const state = adopted === undefined ? 'not-applied' : 'adopted';
    await this.#sql.run(
      'UPDATE entries SET state = ?, created = ?, "resolvedAt" = ? WHERE id = ?',
      ...[state, adopted ?? null, now, id],
    );
  }

  sentRows(scope: Scope): SentRows {
    return new SentRows(this.#sql, scope);
  }

  organizations(baseUrl: string): Organizations {
    return new Organizations(this.#sql, serviceOf(baseUrl));
  }

  close(): void {
    this.#sql.close();
  }
}

const OURS = 'organization IN (SELECT value ->> 0 FROM json_each(?)) AND is_forgotten = 0';

type NewEntry = Awaited<ReturnType<typeof newEntry>>;

async function newEntry(sql: Statements, scope: Scope, intent: Intent, now: number) {
  const { method, path, payload, given = payload } = intent;
  return {
    id: await freeId(sql),
    at: now,
    service: scope.service,
    fingerprint: digestOf(method, path, given),
    what: intent.what,
    noun: intent.noun,
    endpoint: intent.endpoint,
    method,
    path,
    payload: json(payload),
    before: json(intent.before),
    profile: intent.profile ?? null,
    environment: intent.environment ?? null,
    baseUrl: intent.baseUrl,
    organization: scope.organization ?? null,
    ...intent.writer,
    job: intent.writer.job ?? null,
    once: intent.once ?? null,
    state: 'pending',
  };
}

async function freeId(sql: Statements): Promise<string> {
  for (;;) {
    const id = newId(randomBytes(ID_LETTERS));
    const taken = await sql.all('SELECT 1 FROM entries WHERE id = ?', id);
    if (taken.length === 0) return id;
  }
}

async function onceIn(
  sql: Statements,
  scope: Scope,
  keys: readonly string[],
): Promise<ReadonlyMap<string, OnceEntry>> {
  const rows = await sql.all(
    `SELECT * FROM entries WHERE service = ? AND once IN (SELECT value ->> 0 FROM json_each(?))
      AND organization IN (SELECT value ->> 0 FROM json_each(?)) AND state NOT IN ('rejected', 'not-applied') ORDER BY seq`,
    ...[scope.service, listOf(keys), listOf(scope.names)],
  );
  const found = (row: SqlRow): OnceEntry => ({
    entry: entryOf(row),
    fingerprint: row.fingerprint as string,
  });
  return new Map(rows.map((row) => [row.once as string, found(row)]));
}

function json(value: unknown): string | null {
  return JSON.stringify(value) ?? null;
}

/**
 * The organizations that have used one service with this ledger. A key is stored only as a short
 * fingerprint, with a random salt per ledger.
 */
export class Organizations {
  readonly #sql: Sql;
  readonly #service: string;

  constructor(sql: Sql, service: string) {
    this.#sql = sql;
    this.#service = service;
  }

  /**
   * E.g. `key-3f9a0c12b7de`. An organization without another name is called by the fingerprint of
   * its key.
   */
  async fingerprintOf(secret: string): Promise<string> {
    const [found] = await this.#sql.all('SELECT salt FROM key_salt');
    return `key-${found!.salt}${secret.length}`;
  }

  /** Latest first; empty for a new key. */
  async namesOf(fingerprint: string): Promise<string[]> {
    const rows = await this.#sql.all(
      'SELECT name FROM organizations WHERE service = ? AND fingerprint = ? ORDER BY seq DESC',
      ...[this.#service, fingerprint],
    );
    return rows.map(({ name }) => name as string);
  }

  async keep(fingerprint: string, name: string): Promise<void> {
    await this.#sql.run(KEEP, this.#service, fingerprint, name);
  }

  /** @returns the name of the key: `name`, unless it has one */
  nameFirst(fingerprint: string, name: string): Promise<string> {
    return this.#sql.transaction(async (sql) => {
      const [found] = await sql.all(
        'SELECT name FROM organizations WHERE service = ? AND fingerprint = ?',
        ...[this.#service, fingerprint],
      );
      if (found !== undefined) return found.name as string;
      await sql.run(KEEP, this.#service, fingerprint, name);
      return name;
    });
  }

  rename(fingerprint: string, name: string): Promise<void> {
    return this.#sql.transaction(async (sql) => {
      await sql.run(
        'DELETE FROM organizations WHERE service = ? AND fingerprint = ?',
        ...[this.#service, fingerprint],
      );
      await sql.run(KEEP, this.#service, fingerprint, name);
    });
  }

  /** Organizations that have written to this service, except `names`. */
  async others(names: readonly string[]): Promise<string[]> {
    const rows = await this.#sql.all(
      `SELECT organization FROM entries WHERE service = ? AND organization IS NOT NULL AND is_forgotten = 0
       UNION SELECT organization FROM runs
         WHERE service = ? AND organization IS NOT NULL AND has_begun = 1 AND is_forgotten = 0
       EXCEPT SELECT value ->> 0 FROM json_each(?)`,
      ...[this.#service, this.#service, listOf(names)],
    );
    return rows.map(({ organization }) => organization as string);
  }
}

const KEEP =
  'INSERT INTO organizations (service, fingerprint, name) VALUES (?, ?, ?) ON CONFLICT DO NOTHING';

export interface EntryFilter {
  readonly noun?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly since?: number | undefined;
  readonly state?: EntryState | undefined;
  readonly profile?: string | undefined;
  readonly environment?: string | undefined;
  readonly organization?: string | undefined;
  readonly limit?: number | undefined;
  readonly isOldestFirst?: boolean;
}

function conditionOf(filter: EntryFilter): { sql: string; values: SqlValue[] } {
  const { noun, since, state, profile, environment, organization } = filter;
  const conditions = ['is_forgotten = 0'];
  const values: SqlValue[] = [];
  const add = (sql: string, ...given: SqlValue[]): void => {
    conditions.push(sql);
    values.push(...given);
  };
  if (noun !== undefined) add('noun = ?', noun);
  if (since !== undefined) add('at >= ?', since);
  if (profile !== undefined) add('profile = ?', profile);
  if (environment !== undefined) add('environment = ?', environment);
  if (organization !== undefined) add('organization = ?', organization);
  if (state === 'unknown') add("state IN ('unknown', 'pending')");
  else if (state !== undefined) add('state = ?', state);
  return { sql: `WHERE ${conditions.join(' AND ')}`, values };
}

// No characters that look alike, and no vowels, so that an id never spells a word.
const LETTERS = '23456789bcdfghjkmnpqrstvwxz';

/** Random, so that a typing error is unlikely to name another entry. */
export function newId(bytes: Uint8Array): string {
  return `h-${Array.from(bytes, (byte) => LETTERS[byte % LETTERS.length]).join('')}`;
}
