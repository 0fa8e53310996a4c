import { storedProblem } from '../core/row-problem.ts';
import {
  atOf,
  boundsOf,
  GIVEN,
  type Held,
  heldSince,
  OPEN,
  PENDING,
  type Place,
  rowOf,
  UNFINISHED,
} from './rows.ts';
import {
  changeInLots,
  countedRows,
  type RowCounts,
  rowsOfRun,
  type StoredRow,
} from './run-queries.ts';
import { hashesOf } from './run-tables.ts';
import { listOf, rowsOf, type Sql, type SqlRow, type SqlValue, type Statements } from './sql.ts';

/** What a process needs to write a run: it must be the last one that opened it, and know its last batch. */
export interface Claim {
  readonly number: number;
  readonly generation: number;
  readonly lastIntent: number;
}

export interface Opened {
  /** Whoever compares rows with the ledger after this knows what others had sent up to this intent. */
  readonly planned: number;
  readonly unfinished: readonly (Claim & {
    readonly name: string;
    /** As {@link RunLedger.note} wrote them. */
    readonly findings: unknown;
  })[];
}

interface Opening {
  readonly keepsHeld?: boolean;
  readonly check?: (sql: Statements) => Promise<unknown> | undefined;
}

export interface NewRun {
  readonly name: string;
  readonly header: unknown;
  readonly planned: number;
  /** ms */
  readonly now: number;
}

/** A row that enters the ledger. `unconfirmed`: it is open elsewhere, and a look-up decides. */
export interface NewRow {
  readonly row: number;
  readonly state: 'pending' | 'unconfirmed';
  readonly key: string | null;
  /** Of nouns with a list, as it is sent, if it differs from the key. Reports name it when the body is gone. */
  readonly code?: string | null;
  readonly digest: string | null;
  /** JSON text */
  readonly body: string;
  readonly source: string | null;
  readonly line: number | null;
}

/** What became of the request of a row. */
export interface RowOutcome {
  readonly row: number;
  /** Of its request. */
  readonly intent: number;
  /** `pending`: the request had no effect. */
  readonly state: 'created' | 'rejected' | 'pending' | 'unconfirmed';
  readonly id?: string | null | undefined;
  readonly status?: number | null | undefined;
  readonly reason?: string | null | undefined;
}

/** A row whose request may leave. */
export interface Taken {
  readonly row: number;
  readonly key: string | null;
  readonly body: string;
  readonly tries: number;
}

/** What the file of an import knows of rows and single writes that are not settled, by their places and ids. */
export interface Covered {
  readonly rows: readonly (readonly [at: number, id: string | null])[];
  readonly entries: readonly (readonly [entry: string, id: string])[];
}

/** A pending row that is not sent. */
export interface LeftOut {
  readonly row: number;
  readonly state: Held['state'];
  readonly id: string | null;
  readonly reason?: string | null;
}

/** A row that a list can show by its code. */
export interface KeyedRow {
  readonly row: number;
  readonly code: string;
  readonly body: string;
}

export interface Batch {
  /** With the number of this batch. */
  readonly claim: Claim;
  readonly taken: readonly Taken[];
  readonly held: readonly Held[];
}

export interface Wanted {
  readonly outcomes: readonly RowOutcome[];
  /** At most this many rows; 0: only outcomes. */
  readonly most: number;
  /** Rows up to this one are not pending. */
  readonly after: number;
  /** ms */
  readonly now: number;
  /** Of equal rows it is not known which of them others have sent: so none leaves, and none is marked as held. */
  readonly stopsAtHit?: boolean;
}

/** The outcome of a request was not where its intent was written. */
export class LedgerChanged extends Error {}

/** The run is no longer that of this process. */
class RunLost extends Error {}

/** Whether this process still has the lock of the place. Asked in each transaction that opens or creates a run. */
export type HasLock = (sql: Statements) => Promise<boolean> | boolean;

/** SQL. As a join, PostgreSQL reads and sorts all rows of a run before it takes the first ones. */
const BODY = '(SELECT body FROM bodies b WHERE b.at = rows.at) AS body';

/**
 * The runs of a place and noun. What each transaction does, and why nothing is created twice, is in
 * `test/model/protocol.ts`; a method has the name of a step there, or says which one it is.
 */
export class RunLedger {
  readonly #sql: Sql;
  readonly #where: Place;
  /** Parameters of its statements. */
  readonly #ours: readonly [place: string, noun: string];
  readonly #hasLock: HasLock;

  constructor(sql: Sql, where: Place, hasLock: HasLock) {
    this.#sql = sql;
    this.#where = where;
    this.#ours = [where.place, where.noun];
    this.#hasLock = hasLock;
  }

  /**
   * Opens all unfinished runs of the place, so no other process can resume one. What was being sent is
   * unconfirmed, what was held back because others were open is pending again, and runs that were not filled go.
   *
   * @param keepsHeld what was held back stays unconfirmed, for a person who decides about it
   * @param check whether the ledger is the one that this machine has used: before rows are sent
   * @returns undefined if another process has the lock
   */
  async open({ keepsHeld = false, check }: Opening = {}): Promise<Opened | undefined> {
    const opened = await this.#sql.transaction(async (sql) => {
      if (!(await this.#hasLock(sql))) return undefined;
      await check?.(sql);
      const runs = `UPDATE runs SET generation = generation + 1, counts = NULL WHERE place = ? AND noun = ?`;
      const filling = await sql.all(
        `${runs} AND phase = 'filling' RETURNING number`,
        ...this.#ours,
      );
      const found = await sql.all(
        `${runs} AND phase = 'sending' RETURNING number, name, generation, last_intent, findings`,
        ...this.#ours,
      );
      const unfinished = found.map((run) => ({
        number: Number(run.number),
        name: run.name as string,
        generation: Number(run.generation),
        lastIntent: Number(run.last_intent),
        findings: run.findings === null ? undefined : JSON.parse(run.findings as string),
      }));
      await sql.run(
        `UPDATE rows SET state = CASE WHEN intent IS NULL THEN 'pending' ELSE 'unconfirmed' END
          WHERE at IN (SELECT at FROM rows WHERE ${OPEN} AND (state = 'sending' ${keepsHeld ? '' : 'OR intent IS NULL'}))
          AND at >> 32 IN (SELECT CAST(value ->> 0 AS BIGINT) FROM json_each(?))`,
        listOf(unfinished.map(({ number }) => number)),
      );
      return { planned: await lastIntent(sql), unfinished, filling };
    });
    if (opened === undefined) return undefined;
    for (const { number } of opened.filling) await this.#remove(Number(number));
    return opened;
  }

  /** @returns undefined if another process has the lock */
  create({ name, header, planned, now }: NewRun): Promise<Claim | undefined> {
    return this.#sql.transaction(async (sql) => {
      if (!(await this.#hasLock(sql))) return undefined;
      const [added] = await sql.all(
        `INSERT INTO runs (name, place, noun, phase, generation, header, planned, begun_at)
          VALUES (?, ?, ?, 'filling', 1, ?, ?, ?) RETURNING number`,
        ...[name, ...this.#ours, JSON.stringify(header), planned, now],
      );
      return { number: Number(added!.number), generation: 1, lastIntent: 0 };
    });
  }

  /** @returns false if the run is no longer that of this process */
  fill(claim: Claim, rows: readonly NewRow[]): Promise<boolean> {
    const at = ({ row }: NewRow) => atOf(claim.number, row);
    const hashes = hashesOf(rows.flatMap(({ key }) => key ?? []));
    return this.#holding(claim, 'filling', async (sql) => {
      void sql.run(
        `INSERT INTO rows (at, state, key, digest, line, code) SELECT CAST(value ->> 0 AS BIGINT), value ->> 1,
          value ->> 2, value ->> 3, CAST(value ->> 4 AS BIGINT), value ->> 5 FROM json_each(?) WHERE true`,
        rowsOf(rows.map((one) => [at(one), one.state, one.key, one.digest, one.line, one.code])),
      );
      void sql.run(
        `INSERT INTO bodies (at, body, source) SELECT CAST(value ->> 0 AS BIGINT), value ->> 1, value ->> 2
          FROM json_each(?) WHERE true`,
        rowsOf(rows.map((one) => [at(one), one.body, one.source])),
      );
      if (rows.length > 0)
        void sql.run('INSERT INTO lots VALUES (?, ?, ?)', at(rows[0]!), at(rows.at(-1)!), hashes);
    });
  }

  /**
   * Takes over rows that unfinished runs left pending: of equal rows as many as this run has. Then the run may send.
   *
   * @returns false if the run is no longer that of this process
   */
  async begin(claim: Claim): Promise<boolean> {
    let ended: readonly number[] = [];
    const isOurs = await this.#holding(claim, 'filling', async (sql) => {
      const others = await this.#othersThan(sql, claim.number);
      if (others.length > 0) await moveRows(sql, claim.number, others, this.#where.isExact);
      ended = await this.#endOthers(sql, claim.number);
      await sql.run("UPDATE runs SET phase = 'sending' WHERE number = ?", claim.number);
    });
    if (isOurs) await this.#removeBodies(ended);
    return isOurs;
  }

  /**
   * Compares all pending rows with what others have sent: after a run was opened to be resumed.
   *
   * @param after what others had sent up to this intent does not count
   * @returns undefined if the run is no longer that of this process
   */
  async compare(
    claim: Claim,
    planned: number,
    { after = 0, stopsAtHit = false } = {},
  ): Promise<readonly Held[] | undefined> {
    let held: readonly Held[] = [];
    const isOurs = await this.#holding(claim, 'sending', async (sql) => {
      const pending = { sql: PENDING, values: boundsOf(claim.number) };
      held = await heldSince(sql, this.#where, pending, claim.number, after);
      if (stopsAtHit && held.length > 0) return;
      await leaveOut(sql, claim.number, held);
      await sql.run('UPDATE runs SET planned = ? WHERE number = ?', planned, claim.number);
    });
    return isOurs ? held : undefined;
  }

  /**
   * Writes outcomes, and takes the next rows. Their requests may leave once this is resolved.
   *
   * @returns undefined if the run is no longer that of this process: it sends nothing more
   * @throws LedgerChanged if an outcome misses its intent
   */
  async batch(claim: Claim, wanted: Wanted): Promise<Batch | undefined> {
    try {
      return await this.#sql.transaction((sql) => this.#batch(sql, claim, wanted));
    } catch (thrown) {
      if (thrown instanceof RunLost) return undefined;
      throw thrown;
    }
  }

  async #batch(sql: Statements, claim: Claim, wanted: Wanted): Promise<Batch> {
    const { number } = claim;
    const { outcomes, most, now, stopsAtHit = false } = wanted;
    // None needs the result of another one.
    const [[next], [run], written, first, since] = await Promise.all([
      sql.all('UPDATE intents SET last = last + 1 RETURNING last'),
      sql.all(
        `UPDATE runs SET last_intent = (SELECT last FROM intents), counts = NULL WHERE number = ? AND generation = ?
          AND last_intent = ? AND phase = 'sending' RETURNING planned`,
        ...[number, claim.generation, claim.lastIntent],
      ),
      writeOutcomes(sql, number, outcomes),
      most === 0 ? [] : nextRows(sql, number, wanted),
      most === 0 ? [] : this.#sentSince(sql, number),
    ]);
    if (run === undefined) throw new RunLost();
    if (written !== outcomes.length) throw new LedgerChanged();
    const intent = Number(next!.last);
    const claimed = { ...claim, lastIntent: intent };
    if (first.length === 0) return { claim: claimed, taken: [], held: [] };
    const held =
      since.length === 0 ? [] : await this.#hold(sql, number, first, Number(run.planned));
    if (stopsAtHit && held.length > 0) return { claim: claimed, taken: [], held };
    await leaveOut(sql, number, held);
    const heldRows = new Set(held.map(({ row }) => atOf(number, row)));
    // All pending rows up to the last one were read, so one statement can mark them.
    void sql.run(
      `UPDATE rows SET state = 'sending', intent = ?, sent_at = ? WHERE at >= ? AND at <= ? AND state = 'pending'`,
      ...[intent, now, first[0]!.at, first.at(-1)!.at],
    );
    const taken = first.filter(({ at }) => !heldRows.has(at));
    return {
      claim: claimed,
      held,
      taken: taken.map(({ at, ...one }) => ({ ...one, row: rowOf(at) })),
    };
  }

  /** Outcomes of a process that has lost its run: each may only confirm the request whose intent it wrote. */
  async confirm(number: number, outcomes: readonly RowOutcome[]): Promise<void> {
    const created = outcomes.filter(({ state }) => state === 'created');
    if (created.length === 0) return;
    await this.#sql.run(
      `UPDATE rows SET state = 'created', id = w.value ->> 2, status = NULL, reason = NULL FROM json_each(?) w
        WHERE at = CAST(w.value ->> 0 AS BIGINT) AND intent = CAST(w.value ->> 1 AS BIGINT) AND ${OPEN}`,
      rowsOf(created.map(({ row, intent, id }) => [atOf(number, row), intent, id ?? null])),
    );
  }

  /**
   * Records what look-ups found, for all open rows and single writes of each key; with `--exact-codes`, for the rows
   * whose code is spelled like that of this run.
   *
   * @param found ids by key; null: provably no record has the key
   * @returns false if the run is no longer that of this process
   */
  settle(claim: Claim, found: ReadonlyMap<string, string | null>): Promise<boolean> {
    const { number } = claim;
    const keys = rowsOf([...found]);
    const isAbsent = 'w.value ->> 1 IS NULL';
    const isExact = this.#where.isExact === true;
    const sameCode = `AND coalesce(rows.code, rows.key) =
      (SELECT coalesce(m.code, m.key) FROM rows m WHERE m.key = rows.key AND m.${OPEN} AND m.at >> 32 = ${number})`;
    return this.#holding(claim, 'sending', async (sql) => {
      await sql.run(
        `UPDATE rows SET id = w.value ->> 1, status = NULL, reason = NULL,
          state = CASE WHEN ${isAbsent} THEN CASE WHEN at >> 32 = ? THEN 'pending' ELSE 'dropped' END
            WHEN intent IS NULL THEN 'existing' ELSE 'created' END,
          intent = CASE WHEN ${isAbsent} AND at >> 32 = ? THEN ? ELSE intent END
          FROM json_each(?) w WHERE rows.key = w.value ->> 0 AND ${OPEN}
          AND at >> 32 IN (SELECT number FROM runs WHERE place = ? AND noun = ?) ${isExact ? sameCode : ''}`,
        ...[number, number, await lastIntent(sql), keys, ...this.#ours],
      );
      if (isExact) return;
      await sql.run(
        `UPDATE entries SET created = w.value ->> 1, state = CASE WHEN ${isAbsent} THEN 'not-applied' ELSE 'adopted' END
          FROM json_each(?) w WHERE entries.key = w.value ->> 0 AND place = ? AND noun = ? AND state IN ('pending', 'unknown')`,
        ...[keys, ...this.#ours],
      );
    });
  }

  /**
   * Records what the file of an import knows of rows that do not enter its run.
   *
   * @returns false if another process has the lock
   */
  async settleCovered({ rows, entries }: Covered): Promise<boolean> {
    const ended = await this.#sql.transaction(async (sql) => {
      if (!(await this.#hasLock(sql))) return undefined;
      await sql.run(
        `UPDATE rows SET id = w.value ->> 1, status = NULL, reason = NULL,
          state = CASE WHEN state = 'pending' OR intent IS NULL THEN 'existing' ELSE 'created' END
          FROM json_each(?) w WHERE at = CAST(w.value ->> 0 AS BIGINT) AND ${UNFINISHED}`,
        rowsOf(rows),
      );
      await sql.run(
        `UPDATE entries SET created = w.value ->> 1, state = 'adopted' FROM json_each(?) w
          WHERE entries.id = w.value ->> 0 AND state IN ('pending', 'unknown')`,
        rowsOf(entries),
      );
      return this.#endOthers(sql, 0);
    });
    if (ended === undefined) return false;
    await this.#removeBodies(ended);
    return true;
  }

  /** The rows that a look-up must decide, or a person. */
  async unconfirmed(
    number: number,
  ): Promise<readonly { readonly row: number; readonly key: string | null }[]> {
    const rows = await this.#sql.all(
      `SELECT at, key FROM rows WHERE ${OPEN} AND state = 'unconfirmed' AND at >> 32 = ? ORDER BY at`,
      number,
    );
    return rows.map(({ at, key }) => ({ row: rowOf(Number(at)), key: key as string | null }));
  }

  /** The bodies of unconfirmed rows of a run, by key. */
  async bodiesOf(number: number, keys: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const rows = await this.#sql.all(
      `SELECT rows.key, body FROM json_each(?) w JOIN rows ON rows.key = w.value ->> 0 JOIN bodies USING (at)
        WHERE ${OPEN} AND at >> 32 = ?`,
      ...[listOf(keys), number],
    );
    return new Map(rows.map(({ key, body }) => [key as string, body as string]));
  }

  /** The row that the run has created last. */
  async lastCreated(
    number: number,
  ): Promise<{ readonly id: string; readonly body: string } | undefined> {
    const [row] = await this.#sql.all(
      `SELECT id, ${BODY} FROM rows WHERE at >= ? AND at < ? AND state = 'created' AND id IS NOT NULL
        ORDER BY at DESC LIMIT 1`,
      ...boundsOf(number),
    );
    return row as { readonly id: string; readonly body: string } | undefined;
  }

  /**
   * Pending rows that are not sent.
   *
   * @returns false if the run is no longer that of this process
   */
  leaveOut(claim: Claim, rows: readonly LeftOut[]): Promise<boolean> {
    return this.#holding(claim, 'sending', (sql) => leaveOut(sql, claim.number, rows));
  }

  /**
   * Other bodies for pending rows. What is compared with others stays the body that the file gives.
   *
   * @returns false if the run is no longer that of this process
   */
  replaceBodies(claim: Claim, bodies: ReadonlyMap<number, string>): Promise<boolean> {
    return this.#holding(claim, 'sending', async (sql) => {
      await sql.run(
        `UPDATE bodies SET source = coalesce(source, body), body = w.value ->> 1 FROM json_each(?) w
          WHERE bodies.at = CAST(w.value ->> 0 AS BIGINT)`,
        rowsOf([...bodies].map(([row, body]) => [atOf(claim.number, row), body])),
      );
    });
  }

  /** Whether some rows can only be told by their values, so no look-up decides them. */
  async hasKeyless(number: number): Promise<boolean> {
    const [found] = await this.#sql.all(
      `SELECT 1 FROM rows WHERE at >= ? AND at < ? AND key IS NULL AND ${UNFINISHED} LIMIT 1`,
      ...boundsOf(number),
    );
    return found !== undefined;
  }

  /** The first pending row after this one that has a key. */
  async nextKeyed(number: number, after: number): Promise<KeyedRow | undefined> {
    const [row] = await this.#sql.all(
      `SELECT at, coalesce(code, key) AS code, ${BODY} FROM rows
        WHERE at > ? AND at < ? AND state = 'pending' AND key IS NOT NULL ORDER BY at LIMIT 1`,
      ...[atOf(number, after), atOf(number + 1, 0)],
    );
    if (row === undefined) return undefined;
    return { row: rowOf(Number(row.at)), code: row.code as string, body: row.body as string };
  }

  async stateOf(
    number: number,
    row: number,
  ): Promise<{ readonly state: string; readonly id: string | null }> {
    const [found] = await this.#sql.all(
      'SELECT state, id FROM rows WHERE at = ?',
      atOf(number, row),
    );
    return { state: found!.state as string, id: found!.id as string | null };
  }

  /** The rows that a run has created, in order. */
  created(number: number): AsyncGenerator<readonly StoredRow[]> {
    return rowsOfRun(this.#sql, number, ['created']);
  }

  /** How many rows of a run are in each state. */
  counts(number: number): Promise<RowCounts> {
    return countedRows(this.#sql, number);
  }

  /**
   * Ends the run if nothing is left: nothing pending or being sent and, with a list, nothing unconfirmed.
   *
   * @returns the counts of its rows; undefined if something is left, or the run is no longer that of this process
   */
  async end(claim: Claim, findings: object, now: number): Promise<RowCounts | undefined> {
    let counts: RowCounts | undefined;
    let others: readonly number[] = [];
    await this.#holding(claim, 'sending', async (sql) => {
      // No look-up finds a row without a key.
      const undecided = this.#where.isListed
        ? " OR (state = 'unconfirmed' AND key IS NOT NULL)"
        : '';
      const left = `(state IN ('pending', 'sending')${undecided})`;
      const open = await sql.all(
        `SELECT 1 FROM rows WHERE at >= ? AND at < ? AND ${left} LIMIT 1`,
        ...boundsOf(claim.number),
      );
      if (open.length > 0) return;
      counts = await countedRows(sql, claim.number);
      others = await this.#endOthers(sql, claim.number);
      await sql.run(
        "UPDATE runs SET phase = 'ended', counts = ?, findings = ?, finished_at = ? WHERE number = ?",
        ...[JSON.stringify(counts), JSON.stringify(findings), now, claim.number],
      );
    });
    if (counts !== undefined) await this.#removeBodies([...others, claim.number]);
    return counts;
  }

  /** Records what a run that is not over has found. */
  async note({ number, generation }: Claim, findings: object): Promise<void> {
    await this.#sql.run(
      "UPDATE runs SET findings = ? WHERE number = ? AND generation = ? AND phase = 'sending'",
      ...[JSON.stringify(findings), number, generation],
    );
  }

  /**
   * After a transaction failed, of which it is not known whether it was written: makes the rows pending that it has
   * taken, because their requests have not left.
   *
   * @returns undefined if the run is no longer that of this process
   */
  takeBack(claim: Claim): Promise<Claim | undefined> {
    return this.#sql.transaction(async (sql) => {
      const [run] = await sql.all(
        "SELECT last_intent FROM runs WHERE number = ? AND generation = ? AND phase = 'sending'",
        ...[claim.number, claim.generation],
      );
      if (run === undefined) return undefined;
      const lastIntent = Number(run.last_intent);
      if (lastIntent !== claim.lastIntent)
        await sql.run(
          `UPDATE rows SET state = 'pending' WHERE ${OPEN} AND state = 'sending' AND intent = ? AND at >> 32 = ?`,
          ...[lastIntent, claim.number],
        );
      return { ...claim, lastIntent };
    });
  }

  async #holding(
    claim: Claim,
    phase: string,
    work: (sql: Statements) => Promise<void>,
  ): Promise<boolean> {
    return this.#sql.transaction(async (sql) => {
      const found = await sql.all(
        'SELECT 1 FROM runs WHERE number = ? AND generation = ? AND phase = ?',
        ...[claim.number, claim.generation, phase],
      );
      if (found.length === 0) return false;
      await work(sql);
      return true;
    });
  }

  async #remove(number: number): Promise<void> {
    const all = ['DELETE FROM bodies WHERE true', 'DELETE FROM rows WHERE true'];
    await changeInLots(this.#sql, number, ...all);
    await this.#sql.run('DELETE FROM lots WHERE at >= ? AND at < ?', ...boundsOf(number));
    await this.#sql.run("DELETE FROM runs WHERE number = ? AND phase = 'filling'", number);
  }

  /**
   * Of nouns with a list, the list has what was created. Other rows are nowhere else, and a person may send them again.
   * It is no outcome of a run: if it fails, a prune takes the bodies.
   */
  async #removeBodies(runs: readonly number[]): Promise<void> {
    const sent = `DELETE FROM bodies WHERE (SELECT state FROM rows WHERE rows.at = bodies.at) NOT IN ('rejected', 'unconfirmed')`;
    for (const number of this.#where.isListed ? runs : [])
      await changeInLots(this.#sql, number, sent).catch(() => undefined);
  }

  /**
   * Runs whose rows have all gone over to others, or were settled by them, have no process that could end them.
   *
   * @returns their numbers
   */
  async #endOthers(sql: Statements, number: number): Promise<readonly number[]> {
    const ended: number[] = [];
    for (const other of await this.#othersThan(sql, number)) {
      // The index of open rows spares most walks through a run.
      const open = `SELECT 1 FROM rows WHERE ${OPEN} AND at >> 32 = ? LIMIT 1`;
      if ((await sql.all(open, other)).length > 0) continue;
      const bounds = boundsOf(other);
      const pending = "SELECT 1 FROM rows WHERE at >= ? AND at < ? AND state = 'pending' LIMIT 1";
      if ((await sql.all(pending, ...bounds)).length > 0) continue;
      ended.push(other);
      await sql.run(
        `UPDATE runs SET phase = 'ended', counts = ?, finished_at =
            (SELECT coalesce(max(sent_at), begun_at) FROM rows WHERE at >= ? AND at < ?) WHERE number = ?`,
        ...[JSON.stringify(await countedRows(sql, other)), ...bounds, other],
      );
    }
    return ended;
  }

  /** The unfinished runs of the place, but for this one. */
  async #othersThan(sql: Statements, number: number): Promise<readonly number[]> {
    const others = await sql.all(
      "SELECT number FROM runs WHERE place = ? AND noun = ? AND phase = 'sending' AND number <> ?",
      ...[...this.#ours, number],
    );
    return others.map(({ number: other }) => Number(other));
  }

  /** Whether others have sent anything since the run was planned: mostly nobody has. */
  #sentSince(sql: Statements, number: number): Promise<readonly SqlRow[]> {
    const planned = '(SELECT planned FROM runs WHERE number = ?)';
    return sql.all(
      `SELECT 1 FROM runs WHERE place = ? AND noun = ? AND last_intent > ${planned} AND number <> ?
        UNION ALL SELECT 1 FROM entries WHERE intent > ${planned} LIMIT 1`,
      ...[...this.#ours, number, number, number],
    );
  }

  /** Those of the next rows that others have sent since the run was planned. */
  #hold(
    sql: Statements,
    number: number,
    next: readonly Next[],
    planned: number,
  ): Promise<readonly Held[]> {
    const rows = rowsOf(
      next.map(({ at, key, digest, intent, code }) => [at, key, digest, intent, code]),
    );
    return heldSince(sql, this.#where, { sql: GIVEN, values: [rows] }, number, planned);
  }
}

/** A pending row; with its body if it is to be sent. */
interface Next {
  readonly at: number;
  readonly key: string | null;
  readonly digest: string | null;
  readonly intent: number;
  readonly code: string | null;
  readonly tries: number;
  readonly body: string;
}

async function lastIntent(sql: Statements): Promise<number> {
  return Number((await sql.all('SELECT last FROM intents'))[0]!.last);
}

async function nextRows(
  sql: Statements,
  number: number,
  { after, most }: Wanted,
): Promise<readonly Next[]> {
  const rows = await sql.all(
    `SELECT at, key, digest, coalesce(intent, 0) AS intent, code, tries, ${BODY} FROM rows
      WHERE at > ? AND at < ? AND state = 'pending' ORDER BY at LIMIT ?`,
    ...[atOf(number, after), atOf(number + 1, 0), most],
  );
  return rows as unknown as readonly Next[];
}

async function writeOutcomes(
  sql: Statements,
  number: number,
  outcomes: readonly RowOutcome[],
): Promise<number> {
  if (outcomes.length === 0) return 0;
  const values = outcomes.map(({ row, intent, state, id, status, reason }): readonly SqlValue[] => [
    ...[atOf(number, row), intent, state, id ?? null, status ?? null, reason ?? null],
  ]);
  return sql.run(
    `UPDATE rows SET state = w.value ->> 2, id = w.value ->> 3, status = CAST(w.value ->> 4 AS BIGINT),
      reason = w.value ->> 5, tries = tries + CASE WHEN w.value ->> 2 = 'unconfirmed'
        AND coalesce(CAST(w.value ->> 4 AS BIGINT), 0) <> 503 THEN 1 ELSE 0 END
      FROM json_each(?) w WHERE at = CAST(w.value ->> 0 AS BIGINT) AND intent = CAST(w.value ->> 1 AS BIGINT)
        AND state = 'sending'`,
    rowsOf(values),
  );
}

async function leaveOut(sql: Statements, number: number, rows: readonly LeftOut[]): Promise<void> {
  if (rows.length === 0) return;
  await sql.run(
    `UPDATE rows SET state = w.value ->> 1, id = w.value ->> 2, reason = w.value ->> 3, intent = NULL
      FROM json_each(?) w WHERE at = CAST(w.value ->> 0 AS BIGINT) AND state = 'pending'`,
    rowsOf(rows.map(({ row, state, id, reason }) => [atOf(number, row), state, id, reason])),
  );
}

/**
 * Each pending row goes over once: first equal bodies, then equal keys. It matches nothing from then on, and would only
 * make the index of digests larger with each run that takes over.
 */
async function moveRows(
  sql: Statements,
  to: number,
  from: readonly number[],
  isExact = false,
): Promise<void> {
  const key = isExact ? 'coalesce(code, rows.key)' : 'rows.key';
  const numbered = (by: string, of: string) =>
    `SELECT at, digest, key, row_number() OVER (PARTITION BY ${by} ORDER BY at) AS nth FROM ${of}`;
  const [run] = await sql.all('SELECT name FROM runs WHERE number = ?', to);
  const reason = storedProblem({ text: `moved to run ${run!.name}` });
  const moved = await sql.run(
    `WITH theirs AS (SELECT at, digest, ${key} AS key FROM json_each(?) w JOIN rows
        ON at >= CAST(w.value ->> 0 AS BIGINT) AND at < CAST(w.value ->> 1 AS BIGINT) WHERE state = 'pending'),
      ours AS (SELECT at, digest, ${key} AS key FROM rows WHERE state IN ('pending', 'unconfirmed') AND at >= ? AND at < ?),
      equal AS (SELECT t.at AS theirs, o.at AS ours FROM (${numbered('digest', 'theirs')}) t
        JOIN (${numbered('digest', 'ours')}) o ON o.digest = t.digest AND o.nth = t.nth),
      theirs_left AS (SELECT * FROM theirs WHERE at NOT IN (SELECT theirs FROM equal)),
      ours_left AS (SELECT * FROM ours WHERE at NOT IN (SELECT ours FROM equal)),
      same AS (SELECT t.at AS theirs FROM (${numbered('key', 'theirs_left')}) t
        JOIN (${numbered('key', 'ours_left')}) o ON o.key = t.key AND o.nth = t.nth)
      UPDATE rows SET state = 'dropped', digest = NULL, reason = ?
        WHERE at IN (SELECT theirs FROM equal UNION ALL SELECT theirs FROM same)`,
    ...[rowsOf(from.map(boundsOf)), ...boundsOf(to), reason],
  );
  if (moved === 0) return;
  await sql.run(
    `INSERT INTO moves SELECT number, ? FROM json_each(?) w JOIN runs ON number = CAST(w.value ->> 0 AS BIGINT)
        WHERE EXISTS (SELECT 1 FROM rows WHERE at >= number << 32 AND at < (number + 1) << 32 AND reason = ?)`,
    ...[to, listOf(from), reason],
  );
}
