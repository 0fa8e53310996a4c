import { closeSync, fdatasync, openSync } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Scope } from '../core/scope.ts';
import { ledgerPath, openLedger } from './open-ledger.ts';
import {
  type Against,
  type Batch,
  type Claim,
  type Confirmed,
  type Intent,
  isHeld,
  type KnownRun,
  type Ledger,
  type Move,
  type NewRun,
  type Noted,
  type Outcome,
  type Refused,
  type SentRows,
  type Written,
} from './port.ts';
import { SqliteSentRows } from './sqlite-sent-rows.ts';

/** Other processes write to the ledger too, but each only for a short time. */
const BUSY_MS = 20_000;

const PER_BATCH = 5_000;

const COLUMNS =
  'number, name, phase, generation, commits, counts, has_begun, is_discarded, header, entry';

/** The ledger in the state folder. */
export class SqliteLedger implements Ledger {
  readonly #database: DatabaseSync;
  readonly #path: string;
  readonly #statements = new Map<string, StatementSync>();
  /** The write-ahead log, opened to sync commits in another thread. */
  #log: number | undefined;

  constructor(stateFolder: string, { readOnly = false } = {}) {
    this.#path = ledgerPath(stateFolder);
    this.#database = openLedger(stateFolder, { readOnly, busyTimeoutMs: BUSY_MS });
    // Each checkpoint stops the run for a moment.
    if (!readOnly)
      this.#database.exec('PRAGMA wal_autocheckpoint = 2000; PRAGMA cache_size = -4096');
  }

  async runs(): Promise<readonly KnownRun[]> {
    return this.#sql(`SELECT ${COLUMNS} FROM runs ORDER BY number`).all().map(knownOf);
  }

  async run(name: string): Promise<KnownRun | undefined> {
    const found = this.#sql(`SELECT ${COLUMNS} FROM runs WHERE name = ?`).get(name);
    return found === undefined ? undefined : knownOf(found);
  }

  async add({ name, noun, service, organization, phase, header }: NewRun): Promise<KnownRun> {
    const added = this.#sql(
      `INSERT INTO runs (name, noun, service, organization, phase, header)
        VALUES (?, ?, ?, ?, ?, ?) RETURNING ${COLUMNS}`,
    ).get(name, noun, service, organization ?? null, phase, JSON.stringify(header));
    return knownOf(added!);
  }

  async claim(name: string): Promise<KnownRun | undefined> {
    return this.#transaction(() => {
      const found = this.#sql(
        `SELECT ${COLUMNS} FROM runs WHERE name = ? AND header IS NOT NULL AND NOT is_discarded`,
      ).get(name);
      if (found === undefined) return undefined;
      this.#sql('UPDATE runs SET generation = generation + 1, counts = NULL WHERE number = ?').run(
        found.number!,
      );
      const known = knownOf(found);
      // The counts stay as the last process left them: they tell whether it ended properly.
      return { ...known, generation: known.generation + 1 };
    });
  }

  async holds(claim: Claim): Promise<boolean> {
    return this.#holds(claim);
  }

  async move(claim: Claim, { from, to, hasBegun, noted, entry }: Move): Promise<boolean> {
    return this.#transaction(() => {
      if (!this.#holds(claim, from)) return false;
      this.#sql(
        'UPDATE runs SET phase = ?, is_forgotten = is_forgotten AND has_begun, has_begun = max(has_begun, ?) WHERE number = ?',
      ).run(to, hasBegun ? 1 : 0, claim.number);
      this.#note(claim, noted);
      if (entry !== undefined) {
        const names = Object.keys(entry);
        this.#sql(
          `INSERT INTO entries (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
        ).run(...Object.values(entry));
        this.#sql('UPDATE runs SET entry = ? WHERE number = ?').run(entry.id!, claim.number);
      }
      return true;
    });
  }

  async note(claim: Claim, noted: Noted): Promise<boolean> {
    return this.#transaction(() => {
      if (!this.#holds(claim)) return false;
      this.#note(claim, noted);
      return true;
    });
  }

  #note({ number }: Claim, { finishedAt, commits, counts }: Noted): void {
    this.#sql(
      `UPDATE runs SET finished_at = coalesce(?, finished_at),
        commits = coalesce(?, commits), counts = ? WHERE number = ?`,
    ).run(
      finishedAt ?? null,
      commits ?? null,
      counts === undefined ? null : JSON.stringify(counts),
      number,
    );
  }

  async write(
    claim: Claim,
    { commits, outcomes, intents, against }: Batch,
  ): Promise<Written | undefined> {
    this.#database.exec('PRAGMA synchronous = NORMAL');
    let written: Written | undefined;
    try {
      written = this.#transaction(() => {
        if (!this.#holds(claim)) return undefined;
        this.#publish(claim.number, outcomes);
        const refused = intents.length === 0 ? [] : this.#intend(claim.number, intents, against);
        this.#sql('UPDATE runs SET commits = max(commits, ?) WHERE number = ?').run(
          commits,
          claim.number,
        );
        return { refused };
      });
    } finally {
      this.#database.exec('PRAGMA synchronous = FULL');
    }
    if (written !== undefined) await this.#sync();
    return written;
  }

  #publish(number: number, outcomes: readonly Outcome[]): void {
    const added = outcomes.filter(({ entry, state }) => entry !== undefined && state !== 'none');
    if (added.length > 0) {
      const rows = added.map(({ row, entry }) => [row, entry!.key, entry!.at]);
      this.#sql(
        `INSERT INTO sent (run, row, key, state, at, intent)
          SELECT ?, value ->> 0, value ->> 1, 'maybe', value ->> 2, 0 FROM json_each(?) WHERE true
          ON CONFLICT DO NOTHING`,
      ).run(number, JSON.stringify(rows));
    }
    const known = outcomes.filter(({ state }) => state !== 'none');
    if (known.length > 0) {
      const rows = known.map(({ row, state, id }) => [row, state, id ?? null]);
      // One statement for all rows, and an upsert: an UPDATE would read all rows of the run.
      this.#sql(
        `INSERT INTO sent (run, row, state, id, intent)
          SELECT ?, value ->> 0, value ->> 1, value ->> 2, 0 FROM json_each(?) WHERE true
          ON CONFLICT DO UPDATE SET state = excluded.state, id = excluded.id,
            body = iif(excluded.state = 'maybe', body, NULL),
            answer_run = iif(excluded.state = 'maybe', answer_run, NULL),
            answer_row = iif(excluded.state = 'maybe', answer_row, NULL)`,
      ).run(number, JSON.stringify(rows));
    }
    const none = outcomes.filter(({ state }) => state === 'none').map(({ row }) => row);
    if (none.length > 0) {
      this.#sql('DELETE FROM sent WHERE run = ? AND row IN (SELECT value FROM json_each(?))').run(
        number,
        JSON.stringify(none),
      );
    }
  }

  #intend(number: number, intents: readonly Intent[], against: Against): readonly Refused[] {
    const { last } = this.#sql('UPDATE intents SET last = last + 1 RETURNING last').get()!;
    const refused = against.which === 'nothing' ? [] : this.#stopped(number, intents, against);
    const stopped = new Set(refused.map(({ row }) => row));
    const rows = intents
      .filter(({ row }) => !stopped.has(row))
      .map(({ row, key, at, body }) => [row, key, at, body]);
    this.#sql(
      `INSERT INTO sent (run, row, key, state, at, intent, body)
        SELECT ?, value ->> 0, value ->> 1, 'maybe', value ->> 2, ?, value ->> 3 FROM json_each(?) WHERE true
        ON CONFLICT DO UPDATE SET state = 'maybe', id = NULL, at = excluded.at, intent = excluded.intent,
          body = excluded.body`,
    ).run(number, last!, JSON.stringify(rows));
    return refused;
  }

  #stopped(
    number: number,
    intents: readonly Intent[],
    { which, since }: Against,
  ): readonly Refused[] {
    const wanted = intents.flatMap(({ row, key, seen }) =>
      key === null ? [] : [[row, key, seen]],
    );
    const isNew = 's.intent > max(?, w.value ->> 2)';
    const stops =
      which === 'new' ? isNew : `(${isNew} OR s.state = 'maybe' AND s.intent > w.value ->> 2)`;
    const found = this.#sql(
      `SELECT w.value ->> 0 AS row, max(s.intent) AS intent, n.name AS run, s.state, s.id, s.at
        FROM json_each(?) w CROSS JOIN sent s ON s.key = w.value ->> 1
        JOIN runs n ON n.number = s.run JOIN runs o ON o.number = ?
        WHERE n.number <> o.number AND n.service = o.service AND n.noun = o.noun
          AND n.organization IS o.organization AND NOT n.is_forgotten AND ${stops} GROUP BY 1`,
    ).all(JSON.stringify(wanted), number, since);
    return found as unknown as Refused[];
  }

  async lastIntent(): Promise<number> {
    return Number(this.#sql('SELECT last FROM intents').get()!.last);
  }

  async confirm(number: number, created: readonly Confirmed[]): Promise<void> {
    if (created.length === 0) return;
    const confirm = this.#sql(
      "UPDATE sent SET state = 'created', id = ?, body = NULL WHERE run = ? AND row = ? AND at = ? AND state = 'maybe'",
    );
    this.#transaction(() => {
      for (const { row, at, id } of created) confirm.run(id, number, row, at);
    });
  }

  async countCreated(number: number): Promise<number> {
    const created = "SELECT count(*) AS n FROM sent WHERE run = ? AND state = 'created'";
    return Number(this.#sql(created).get(number)!.n);
  }

  async open(number: number, after: number): Promise<readonly number[]> {
    return this.#sql(
      `SELECT row FROM sent WHERE run = ? AND row > ? AND state = 'maybe' ORDER BY row LIMIT ${PER_BATCH}`,
    )
      .all(number, after)
      .map(({ row }) => Number(row));
  }

  async beginDiscard(name: string): Promise<KnownRun | undefined> {
    const found = this.#sql(
      `UPDATE runs SET generation = generation + 1, is_discarded = has_begun WHERE name = ?
        RETURNING ${COLUMNS}`,
    ).get(name);
    return found === undefined ? undefined : knownOf(found);
  }

  async endDiscard(number: number): Promise<void> {
    this.#transaction(() => {
      this.#sql('UPDATE runs SET header = NULL, counts = NULL WHERE number = ?').run(number);
      this.#sql(
        'DELETE FROM runs WHERE number = ? AND NOT EXISTS (SELECT 1 FROM sent WHERE run = ?)',
      ).run(number, number);
    });
  }

  sentRows(scope: Scope): SentRows {
    return new SqliteSentRows(this.#database, scope);
  }

  close(): void {
    if (this.#log !== undefined) closeSync(this.#log);
    this.#log = undefined;
    if (this.#database.isOpen) this.#database.close();
  }

  /** Part of the transaction of each write: it is made before another process opens the run, or never. */
  #holds(claim: Claim, from?: readonly string[]): boolean {
    const found = this.#sql('SELECT phase, generation FROM runs WHERE number = ?').get(
      claim.number,
    );
    if (found === undefined || !isHeld(claim, found.generation)) return false;
    return from?.includes(found.phase as string) !== false;
  }

  async #sync(): Promise<void> {
    this.#log ??= openSync(`${this.#path}-wal`, 'r+');
    const log = this.#log;
    await new Promise<void>((resolve, reject) => {
      fdatasync(log, (error) => (error === null ? resolve() : reject(error)));
    });
  }

  #transaction<T>(work: () => T): T {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.#database.exec('COMMIT');
      return result;
    } catch (thrown) {
      try {
        if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      } catch {
        // On a full disk, ROLLBACK may fail too. SQLite then rolls back when the file is next opened.
      }
      throw thrown;
    }
  }

  #sql(text: string): StatementSync {
    let statement = this.#statements.get(text);
    if (statement === undefined) {
      statement = this.#database.prepare(text);
      this.#statements.set(text, statement);
    }
    return statement;
  }
}

function knownOf(stored: Readonly<Record<string, unknown>>): KnownRun {
  const parsed = (text: unknown): unknown =>
    text === null ? undefined : JSON.parse(text as string);
  return {
    number: Number(stored.number),
    name: stored.name as string,
    phase: stored.phase as string,
    generation: Number(stored.generation),
    commits: Number(stored.commits),
    counts: parsed(stored.counts),
    hasBegun: stored.has_begun === 1,
    isDiscarded: stored.is_discarded === 1,
    header: parsed(stored.header),
    entry: (stored.entry as string | null) ?? undefined,
  };
}
