import type { Scope } from '../core/scope.ts';
import {
  type Against,
  type Batch,
  type Claim,
  type Confirmed,
  type Intent,
  isHeld,
  type KnownRun,
  type Move,
  type NewRun,
  type Noted,
  type Outcome,
  type Refused,
  type SentEntry,
} from './port.ts';
import { SentRows } from './sent-rows.ts';
import { insertInto, listOf, rowsOf, type Sql, type SqlRow, type Statements } from './sql.ts';

const PER_BATCH = 5_000;

const COLUMNS =
  'number, name, phase, generation, commits, counts, has_begun, is_discarded, header, entry';

/**
 * What was sent, across runs, machines and people. SQLite or PostgreSQL is behind it (`Sql`). Every method may wait for
 * a network, so it returns a promise, and takes or returns a whole batch.
 */
export class Ledger {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** All runs, also discarded ones, in the order in which they were added. */
  async runs(): Promise<readonly KnownRun[]> {
    return (await this.#sql.all(`SELECT ${COLUMNS} FROM runs ORDER BY number`)).map(knownOf);
  }

  async run(name: string): Promise<KnownRun | undefined> {
    const [found] = await this.#sql.all(`SELECT ${COLUMNS} FROM runs WHERE name = ?`, name);
    return found === undefined ? undefined : knownOf(found);
  }

  /** Adds a run, opened for writing. */
  async add({ name, noun, service, organization, phase, header }: NewRun): Promise<KnownRun> {
    const [added] = await this.#sql.all(
      `INSERT INTO runs (name, noun, service, organization, phase, header)
        VALUES (?, ?, ?, ?, ?, ?) RETURNING ${COLUMNS}`,
      ...[name, noun, service, organization ?? null, phase, JSON.stringify(header)],
    );
    return knownOf(added!);
  }

  /**
   * Opens a run for writing: raises its generation, so no process that opened it earlier can write
   * it.
   *
   * @returns undefined if there is no such run, or it is discarded
   */
  async claim(name: string): Promise<KnownRun | undefined> {
    return this.#sql.transaction(async (sql) => {
      const [found] = await sql.all(
        `SELECT ${COLUMNS} FROM runs WHERE name = ? AND header IS NOT NULL AND is_discarded = 0`,
        name,
      );
      if (found === undefined) return undefined;
      await sql.run(
        'UPDATE runs SET generation = generation + 1, counts = NULL WHERE number = ?',
        found.number!,
      );
      const known = knownOf(found);
      // The counts stay as the last process left them: they tell whether it ended properly.
      return { ...known, generation: known.generation + 1 };
    });
  }

  /** Whether no other process has opened the run for writing since. */
  async holds(claim: Claim): Promise<boolean> {
    return holds(this.#sql, claim);
  }

  /**
   * Changes the phase by compare-and-set.
   *
   * @returns false, and changes nothing, if the run is in no phase of `from` or was opened again
   */
  async move(claim: Claim, { from, to, hasBegun, noted, entry }: Move): Promise<boolean> {
    return this.#sql.transaction(async (sql) => {
      if (!(await holds(sql, claim, from))) return false;
      await sql.run(
        'UPDATE runs SET phase = ?, is_forgotten = is_forgotten & has_begun, has_begun = has_begun | ? WHERE number = ?',
        ...[to, hasBegun ? 1 : 0, claim.number],
      );
      await note(sql, claim, noted);
      if (entry !== undefined) {
        await sql.run(insertInto('entries', entry), ...Object.values(entry));
        await sql.run('UPDATE runs SET entry = ? WHERE number = ?', entry.id!, claim.number);
      }
      return true;
    });
  }

  /** @returns false if the run was opened again */
  async note(claim: Claim, noted: Noted): Promise<boolean> {
    return this.#sql.transaction(async (sql) => {
      if (!(await holds(sql, claim))) return false;
      await note(sql, claim, noted);
      return true;
    });
  }

  /**
   * Publishes outcomes, then writes intents. Everything is on the disk when the promise resolves.
   *
   * @returns the intents that were not written; undefined if the run was opened again: then nothing is written
   */
  async write(
    claim: Claim,
    { commits, outcomes, intents, against }: Batch,
  ): Promise<readonly Refused[] | undefined> {
    return this.#sql.transaction(async (sql) => {
      if (!(await holds(sql, claim))) return undefined;
      await publish(sql, claim.number, outcomes);
      const refused = intents.length === 0 ? [] : await intend(sql, claim.number, intents, against);
      await sql.run(
        'UPDATE runs SET commits = ? WHERE number = ? AND commits < ?',
        ...[commits, claim.number, commits],
      );
      return refused;
    });
  }

  /** The number of the last intent of all runs. */
  async lastIntent(): Promise<number> {
    return Number((await this.#sql.all('SELECT last FROM intents'))[0]!.last);
  }

  /**
   * Outcomes of requests that left before another process opened the run: each may only confirm the
   * intent that its process wrote.
   */
  async confirm(number: number, created: readonly Confirmed[]): Promise<void> {
    if (created.length === 0) return;
    await this.#sql.run(
      `UPDATE sent SET state = 'created', id = w.value ->> 2, body = NULL FROM json_each(?) w
        WHERE run = ? AND row = CAST(w.value ->> 0 AS BIGINT) AND at = CAST(w.value ->> 1 AS BIGINT)
          AND state = 'maybe'`,
      rowsOf(created.map(({ row, at, id }) => [row, at, id])),
      number,
    );
  }

  /** How many rows of a run have this state, as their entries say. */
  async count(number: number, state: Refused['state']): Promise<number> {
    const rows = 'SELECT count(*) AS n FROM sent WHERE run = ? AND state = ?';
    return Number((await this.#sql.all(rows, number, state))[0]!.n);
  }

  /** The rows of a run whose entries say that they may have been sent, in order. */
  async open(number: number, after: number): Promise<readonly number[]> {
    const rows = await this.#sql.all(
      `SELECT row FROM sent WHERE run = ? AND row > ? AND state = 'maybe' ORDER BY row LIMIT ${PER_BATCH}`,
      ...[number, after],
    );
    return rows.map(({ row }) => Number(row));
  }

  /** All entries of a run, in order and in batches: what is known of its rows without its file. */
  async *entries(number: number): AsyncGenerator<readonly SentEntry[]> {
    for (let last = 0; ; ) {
      const rows = await this.#sql.all(
        `SELECT row, key, state, id, at, body FROM sent WHERE run = ? AND row > ? ORDER BY row LIMIT ${PER_BATCH}`,
        ...[number, last],
      );
      if (rows.length === 0) return;
      last = Number(rows.at(-1)!.row);
      yield rows as unknown as readonly SentEntry[];
    }
  }

  /**
   * Opens a run for its removal. A run that has begun to send counts as discarded from now on.
   *
   * @param isUnsent leaves a run alone that has begun to send
   * @returns undefined if there is no such run
   */
  async beginDiscard(name: string, isUnsent = false): Promise<KnownRun | undefined> {
    const [found] = await this.#sql.all(
      `UPDATE runs SET generation = generation + 1, is_discarded = has_begun WHERE name = ?${isUnsent ? ' AND has_begun = 0' : ''}
        RETURNING ${COLUMNS}`,
      name,
    );
    return found === undefined ? undefined : knownOf(found);
  }

  /** Call it once the file of the run is removed. Entries of rows that were sent stay. */
  async endDiscard(number: number): Promise<void> {
    await this.#sql.transaction(async (sql) => {
      await sql.run('UPDATE runs SET header = NULL, counts = NULL WHERE number = ?', number);
      await sql.run(
        'DELETE FROM runs WHERE number = ? AND NOT EXISTS (SELECT 1 FROM sent WHERE run = ?)',
        ...[number, number],
      );
    });
  }

  /** What the ledger knows of writes to the service of `scope`. */
  sentRows(scope: Scope): SentRows {
    return new SentRows(this.#sql, scope);
  }

  close(): void {
    this.#sql.close();
  }
}

/** Part of the transaction of each write: it is made before another process opens the run, or never. */
async function holds(sql: Statements, claim: Claim, from?: readonly string[]): Promise<boolean> {
  const [found] = await sql.all(
    'SELECT phase, generation FROM runs WHERE number = ?',
    claim.number,
  );
  if (found === undefined || !isHeld(claim, found.generation)) return false;
  return from?.includes(found.phase as string) !== false;
}

async function note(
  sql: Statements,
  { number }: Claim,
  { finishedAt, commits, counts }: Noted,
): Promise<void> {
  await sql.run(
    `UPDATE runs SET finished_at = coalesce(?, finished_at),
      commits = coalesce(?, commits), counts = ? WHERE number = ?`,
    finishedAt ?? null,
    commits ?? null,
    counts === undefined ? null : JSON.stringify(counts),
    number,
  );
}

async function publish(
  sql: Statements,
  number: number,
  outcomes: readonly Outcome[],
): Promise<void> {
  const added = outcomes.filter(({ entry }) => entry !== undefined);
  if (added.length > 0) {
    await sql.run(
      `INSERT INTO sent (run, row, key, state, at, intent)
        SELECT CAST(? AS BIGINT), CAST(value ->> 0 AS BIGINT), value ->> 1, 'maybe', CAST(value ->> 2 AS BIGINT), 0
        FROM json_each(?) WHERE true ON CONFLICT DO NOTHING`,
      number,
      rowsOf(added.map(({ row, entry }) => [row, entry!.key, entry!.at])),
    );
  }
  // The last outcome of a row counts: one statement may write a row only once.
  const known = new Map(
    outcomes.filter(({ state }) => state !== 'none').map((one) => [one.row, one]),
  );
  if (known.size > 0) {
    // One statement for all rows, and an upsert: an UPDATE would read all rows of the run.
    await sql.run(
      `INSERT INTO sent (run, row, state, id, intent)
        SELECT CAST(? AS BIGINT), CAST(value ->> 0 AS BIGINT), value ->> 1, value ->> 2, 0
        FROM json_each(?) WHERE true
        ON CONFLICT (run, row) DO UPDATE SET state = excluded.state, id = excluded.id,
          body = CASE WHEN excluded.state = 'maybe' THEN sent.body END,
          answer_run = CASE WHEN excluded.state = 'maybe' THEN sent.answer_run END,
          answer_row = CASE WHEN excluded.state = 'maybe' THEN sent.answer_row END`,
      number,
      rowsOf(Array.from(known.values(), ({ row, state, id }) => [row, state, id ?? null])),
    );
  }
  const none = outcomes.filter(({ state }) => state === 'none').map(({ row }) => row);
  if (none.length > 0) {
    await sql.run(
      'DELETE FROM sent WHERE run = ? AND row IN (SELECT CAST(value ->> 0 AS BIGINT) FROM json_each(?))',
      ...[number, listOf(none)],
    );
  }
}

async function intend(
  sql: Statements,
  number: number,
  intents: readonly Intent[],
  against: Against,
): Promise<readonly Refused[]> {
  const [next] = await sql.all('UPDATE intents SET last = last + 1 RETURNING last');
  const refused = against.which === 'nothing' ? [] : await stopped(sql, number, intents, against);
  const stoppedRows = new Set(refused.map(({ row }) => row));
  const rows = intents
    .filter(({ row }) => !stoppedRows.has(row))
    .map(({ row, key, at, body }) => [row, key, at, body]);
  await sql.run(
    `INSERT INTO sent (run, row, key, state, at, intent, body)
      SELECT CAST(? AS BIGINT), CAST(value ->> 0 AS BIGINT), value ->> 1, 'maybe', CAST(value ->> 2 AS BIGINT),
        CAST(? AS BIGINT), value ->> 3
      FROM json_each(?) WHERE true
      ON CONFLICT (run, row) DO UPDATE SET state = 'maybe', id = NULL, at = excluded.at, intent = excluded.intent,
        body = excluded.body`,
    ...[number, Number(next!.last), rowsOf(rows)],
  );
  return refused;
}

async function stopped(
  sql: Statements,
  number: number,
  intents: readonly Intent[],
  { which, since }: Against,
): Promise<readonly Refused[]> {
  const wanted = intents.flatMap(({ row, key, seen }) =>
    key === null ? [] : [[row, key, seen, Math.max(since, seen)]],
  );
  const isNew = 's.intent > CAST(w.value ->> 3 AS BIGINT)';
  const isOpen = "s.state = 'maybe' AND s.intent > CAST(w.value ->> 2 AS BIGINT)";
  const found = await sql.all(
    `SELECT CAST(w.value ->> 0 AS BIGINT) AS row, s.intent, n.name AS run, s.state, s.id
      FROM json_each(?) w CROSS JOIN sent s
      JOIN runs n ON n.number = s.run JOIN runs o ON o.number = ?
      WHERE s.key = w.value ->> 1 AND n.number <> o.number AND n.service = o.service AND n.noun = o.noun
        AND n.organization IS NOT DISTINCT FROM o.organization AND n.is_forgotten = 0
        AND ${which === 'new' ? isNew : `(${isNew} OR ${isOpen})`} ORDER BY s.intent, s.row`,
    ...[rowsOf(wanted), number],
  );
  // Of several entries, the one with the last intent.
  const last = new Map(found.map((one) => [Number(one.row), one as unknown as Refused]));
  return [...last.values()];
}

function knownOf(stored: SqlRow): KnownRun {
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
