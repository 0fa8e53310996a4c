import { randomBytes } from 'node:crypto';
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { Env, KeptKind } from '../core/ports.ts';
import { type Scope, serviceOf } from '../core/scope.ts';
import { emptyLedger, hasLedger, ledgerPath, openLedger } from '../ledger/open-ledger.ts';
import type { SentRows } from '../ledger/port.ts';
import { SqliteSentRows } from '../ledger/sqlite-sent-rows.ts';
import { stateDir } from '../settings/read/paths.ts';
import { databaseError, IN_MEMORY, namingErrors } from '../store/open-database.ts';
import { type Ending, type Entry, entryOf, type Intent } from './entry.ts';
import { conditionOf, type EntryFilter } from './filter.ts';
import { looseFingerprintOf, newId } from './fingerprints.ts';
import { Organizations } from './organizations.ts';

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
 * The history of writes from this machine, stored in the ledger. Several processes may use it at
 * once.
 *
 * @throws ProcError `state_unwritable`, or `config_unreadable` if the file is damaged
 */
export function openHistory(env: Env): History {
  const folder = stateDir(env);
  const path = ledgerPath(folder);
  return new History(namingErrors(openLedger(folder), path), path);
}

/** Whether this machine has a ledger. */
export function hasHistory(env: Env): boolean {
  return hasLedger(stateDir(env));
}

export const HISTORY: KeptKind<History> = {
  open: ({ env }) => openHistory(env),
  /** The history if it exists, else an empty history in memory. */
  twin: ({ env }) => (hasHistory(env) ? openHistory(env) : new History(emptyLedger(), IN_MEMORY)),
};

export function openExistingHistory(env: Env): History | undefined {
  return hasHistory(env) ? openHistory(env) : undefined;
}

export class History {
  readonly #database: DatabaseSync;
  readonly #path: string;

  constructor(database: DatabaseSync, path: string) {
    this.#database = database;
    this.#path = path;
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
  begin(scope: Scope, intent: Intent, now: number, refuseRepeats: boolean): Begun {
    const { service } = scope;
    const { method, path, payload, given = payload, once } = intent;
    const fingerprint = looseFingerprintOf(method, path, given);
    return this.#transaction(() => {
      if (once !== undefined && this.once(scope, [once]).size > 0) return { isBusy: true };
      const earlier = refuseRepeats
        ? this.#database
            .prepare(
              `SELECT * FROM entries WHERE service = ? AND fingerprint = ? AND (once IS NULL OR ? IS NULL)
                AND ${OURS} AND (state IN ('pending', 'unknown')
                OR (state IN ('done', 'adopted') AND at > ?)) ORDER BY state IN ('done', 'adopted'), seq DESC`,
            )
            .get(service, fingerprint, once ?? null, namesIn(scope), now - REPEAT_MS)
        : undefined;
      if (earlier !== undefined) return { repeats: entryOf(earlier) };
      const row = this.newEntry(scope, intent, now);
      this.#insert(row);
      return { id: row.id };
    });
  }

  /** The entry of a write that has not left yet, by column. */
  newEntry({ service, organization }: Scope, intent: Intent, now: number) {
    const { method, path, payload, given = payload } = intent;
    return {
      id: this.#freeId(),
      at: now,
      service,
      fingerprint: looseFingerprintOf(method, path, given),
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
      organization: organization ?? null,
      ...intent.writer,
      job: intent.writer.job ?? null,
      once: intent.once ?? null,
      state: 'pending',
    };
  }

  /** A known outcome replaces an outcome that a person recorded. An unknown outcome does not. */
  finish(id: string, ending: Ending, now: number): void {
    this.#run(
      `UPDATE entries SET state = ?, created = ?, response = ?, status = ?, message = ?, requestId = ?,
        endedAt = ?, resolvedAt = NULL WHERE id = ? AND (state = 'pending' OR ? <> 'unknown')`,
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

  get(id: string): Entry | undefined {
    const row = this.#database.prepare('SELECT * FROM entries WHERE id = ?').get(id);
    return row === undefined ? undefined : entryOf(row);
  }

  /** The entries that hold the given `--once` keys, by key. A write that was not applied holds no key. */
  once(scope: Scope, keys: readonly string[]): ReadonlyMap<string, OnceEntry> {
    const rows = this.#database
      .prepare(
        `SELECT * FROM entries WHERE service = ? AND once IN (SELECT value FROM json_each(?))
          AND ${OURS} AND state NOT IN ('rejected', 'not-applied') ORDER BY seq`,
      )
      .all(scope.service, JSON.stringify(keys), namesIn(scope));
    return new Map(
      rows.map((row) => [
        row.once as string,
        { entry: entryOf(row), fingerprint: row.fingerprint as string },
      ]),
    );
  }

  /**
   * The id of the entry that created a record. Also finds an entry that a person resolved with the
   * id of the record.
   */
  creatorOf(scope: Scope, endpoint: string, id: string): string | undefined {
    const row = this.#database
      .prepare(
        `SELECT id FROM entries WHERE service = ? AND endpoint = ? AND created = ? AND ${OURS}`,
      )
      .get(scope.service, endpoint, id, namesIn(scope));
    return row?.id as string | undefined;
  }

  /** Which of the given ids belong to records that single commands created. */
  createdAmong(ids: readonly string[], scope: Scope, endpoint: string): string[] {
    return this.#database
      .prepare(
        `SELECT created FROM entries WHERE service = ? AND endpoint = ? AND ${OURS}
          AND created IN (SELECT value FROM json_each(?))`,
      )
      .all(scope.service, endpoint, namesIn(scope), JSON.stringify(ids))
      .map(({ created }) => created as string);
  }

  *entries(filter: EntryFilter = {}): Generator<Entry> {
    const { sql, values } = conditionOf(filter);
    const rows = this.#database
      .prepare(
        `SELECT * FROM entries ${sql} ORDER BY seq ${filter.isOldestFirst ? 'ASC' : 'DESC'} LIMIT ?`,
      )
      .iterate(...values, filter.limit ?? -1);
    for (const row of rows) yield entryOf(row);
  }

  resolve(id: string, adopted: string | undefined, now: number): void {
    const state = adopted === undefined ? 'not-applied' : 'adopted';
    this.#run(
      'UPDATE entries SET state = ?, created = ?, resolvedAt = ? WHERE id = ?',
      state,
      adopted ?? null,
      now,
      id,
    );
  }

  /** How many entries `prune` would remove. Entries with an unknown outcome or a `--once` key stay. */
  prunable(before: number): number {
    return this.#database.prepare(`SELECT count(*) AS n FROM entries ${PRUNABLE}`).get(before)!
      .n as number;
  }

  prune(before: number): number {
    return this.#run(`DELETE FROM entries ${PRUNABLE}`, before);
  }

  count(): number {
    return this.#database.prepare('SELECT count(*) AS n FROM entries').get()!.n as number;
  }

  /** Number of single writes and of import runs that `forgetWrites` would forget. */
  writesTo(service: string): { readonly entries: number; readonly runs: number } {
    return this.#database
      .prepare(
        `SELECT (SELECT count(*) FROM entries WHERE service = ?) AS entries,
          (SELECT count(*) FROM runs WHERE service = ? AND has_begun AND NOT is_forgotten) AS runs`,
      )
      .get(service, service) as { entries: number; runs: number };
  }

  /** Removes the single writes to a service that lost its data, and marks the runs that wrote to it as forgotten. */
  forgetWrites(service: string): void {
    this.#transaction(() => {
      this.#run('DELETE FROM entries WHERE service = ?', service);
      this.#run('UPDATE runs SET is_forgotten = 1 WHERE service = ?', service);
    });
  }

  /** Records which database a sandbox has. With another one than before, forgets what was sent to its address. */
  noteSandbox(baseUrl: string, databaseId: string): void {
    const service = serviceOf(baseUrl);
    const before = this.#database
      .prepare('SELECT db FROM sandboxes WHERE service = ?')
      .get(service);
    if (before?.db === databaseId) return;
    this.forgetWrites(service);
    this.#run('DELETE FROM organizations WHERE service = ?', service);
    this.#run('INSERT OR REPLACE INTO sandboxes VALUES (?, ?)', service, databaseId);
  }

  sentRows(scope: Scope): SentRows {
    return new SqliteSentRows(this.#database, scope);
  }

  organizations(baseUrl: string): Organizations {
    const commit = (work: () => void): void => this.#transaction(work);
    return new Organizations(this.#database, serviceOf(baseUrl), commit);
  }

  close(): void {
    this.#database.close();
  }

  #freeId(): string {
    for (;;) {
      const id = newId(randomBytes(ID_LETTERS));
      if (this.get(id) === undefined) return id;
    }
  }

  #insert(row: Readonly<Record<string, SQLInputValue>>): void {
    const names = Object.keys(row);
    this.#run(
      `INSERT INTO entries (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
      ...Object.values(row),
    );
  }

  #transaction<T>(work: () => T): T {
    try {
      this.#database.exec('BEGIN IMMEDIATE');
      const result = work();
      this.#database.exec('COMMIT');
      return result;
    } catch (thrown) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw databaseError(this.#path, thrown);
    }
  }

  #run(sql: string, ...values: SQLInputValue[]): number {
    try {
      return Number(this.#database.prepare(sql).run(...values).changes);
    } catch (thrown) {
      throw databaseError(this.#path, thrown);
    }
  }
}

const OURS = 'organization IN (SELECT value FROM json_each(?))';

function namesIn({ names }: Scope): string {
  return JSON.stringify(names);
}

const PRUNABLE = "WHERE at < ? AND state NOT IN ('unknown', 'pending') AND once IS NULL";

function json(value: unknown): string | null {
  return JSON.stringify(value) ?? null;
}
