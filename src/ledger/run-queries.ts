import { ProcError } from '../core/errors.ts';
import { nearest } from '../core/wording.ts';
import { atOf, boundsOf, PER_TRANSACTION, rowOf } from './rows.ts';
import type { Sql, SqlRow, Statements } from './sql.ts';

export type RowState =
  | 'pending'
  | 'sending'
  | 'created'
  | 'existing'
  | 'rejected'
  | 'unconfirmed'
  | 'dropped'
  | 'abandoned';
export type RowCounts = Readonly<Partial<Record<RowState, number>>>;

/** A run that may have sent something. */
export interface StoredRun {
  readonly number: number;
  readonly name: string;
  readonly noun: string;
  readonly place: string;
  readonly hasEnded: boolean;
  readonly header: unknown;
  /** What the run found at its end; undefined before. */
  readonly findings: unknown;
  /** ms */
  readonly begunAt: number;
  /** How many rows are in each state. */
  readonly rows: RowCounts;
}

export interface StoredRow {
  readonly row: number;
  readonly state: RowState;
  readonly key: string | null;
  /** As it was sent, if it differs from the key. */
  readonly code: string | null;
  readonly id: string | null;
  /** ms */
  readonly sentAt: number | null;
  readonly status: number | null;
  readonly reason: string | null;
  readonly line: number | null;
  /** JSON text; null once it was removed. */
  readonly body: string | null;
  /** JSON text; null if it does not differ from the body. */
  readonly source: string | null;
}

const RUN =
  'SELECT number, name, noun, place, phase, header, findings, counts, begun_at, finished_at FROM runs';
/** A run in another phase has sent nothing; one without a header was pruned. */
const BEGUN = "phase IN ('sending', 'ended') AND header <> 'null'";
const PER_LOT = 1_000;

/** @returns the newest first */
export async function runsIn(sql: Statements): Promise<readonly StoredRun[]> {
  const runs = await sql.all(`${RUN} WHERE ${BEGUN} ORDER BY number DESC`);
  const all: StoredRun[] = [];
  for (const run of runs) all.push(await storedRun(sql, run));
  return all;
}

/**
 * @param typed the name of a run, its first or last characters, or `last`
 * @throws ProcError `reference_not_found`, with the most similar name; `ambiguous_reference`
 */
export async function findRun(sql: Statements, typed: string): Promise<StoredRun> {
  const runs = await sql.all(`SELECT name FROM runs WHERE ${BEGUN} ORDER BY number DESC`);
  const names = runs.map(({ name }) => name as string);
  const hits = names.includes(typed)
    ? [typed]
    : typed === 'last'
      ? names.slice(0, 1)
      : names.filter((name) => name.startsWith(typed) || name.endsWith(typed));
  if (hits.length > 1) {
    throw new ProcError('ambiguous_reference', `"${typed}" matches ${hits.length} runs`, {
      hint: 'Give more of the name. To list all runs: proc imports list',
      details: { candidates: hits },
    });
  }
  if (hits.length === 1) return runNamed(sql, hits[0]!);
  const moved = await sql.all(
    "SELECT 1 FROM runs WHERE name = ? AND phase IN ('sharing', 'shared')",
    typed,
  );
  if (moved.length > 0)
    throw new ProcError('reference_not_found', `${typed} is in the shared ledger by now`, {
      hint: 'Name that ledger with PROC_LEDGER, or store it: proc profile set NAME -e ENV ledger=ADDRESS',
    });
  const near = nearest(typed, names);
  throw new ProcError(
    'reference_not_found',
    typed === 'last' ? 'there are no import runs' : `there is no import run "${typed}"`,
    { hint: near === undefined ? 'List all runs: proc imports list' : `Did you mean ${near}?` },
  );
}

export async function runNamed(sql: Statements, name: string): Promise<StoredRun> {
  const [run] = await sql.all(`${RUN} WHERE name = ?`, name);
  return storedRun(sql, run!);
}

/** Each in its order. @param states empty: all */
export async function* rowsOfRun(
  sql: Statements,
  number: number,
  states: readonly RowState[] = [],
): AsyncGenerator<readonly StoredRow[]> {
  const marks = states.map(() => '?').join(', ');
  const some = states.length === 0 ? '' : `AND state IN (${marks})`;
  let last = 0;
  for (;;) {
    const rows = await sql.all(
      `SELECT r.*, body, source FROM (SELECT * FROM rows WHERE at > ? AND at < ? ${some} ORDER BY at LIMIT ?) r
        LEFT JOIN bodies b ON b.at = r.at ORDER BY r.at`,
      ...[atOf(number, last), atOf(number + 1, 0), ...states, PER_LOT],
    );
    if (rows.length === 0) return;
    const lot = rows.map(storedRow);
    last = lot.at(-1)!.row;
    yield lot;
  }
}

/**
 * Changes the rows of a run, a lot with each transaction: other processes wait for it, and get the ledger between two.
 *
 * @param changes SQL that ends with a condition
 */
export async function changeInLots(
  ledger: Sql,
  number: number,
  ...changes: readonly string[]
): Promise<void> {
  for (let [from, end] = boundsOf(number); from < end; ) {
    from = await ledger.transaction(async (sql) => {
      const [found] = await sql.all(
        `SELECT max(at) AS last FROM (SELECT at FROM rows WHERE at >= ? AND at < ? ORDER BY at LIMIT ${PER_TRANSACTION}) lot`,
        ...[from, end],
      );
      if (found!.last === null) return end;
      const after = Number(found!.last) + 1;
      for (const change of changes) void sql.run(`${change} AND at >= ? AND at < ?`, from, after);
      return after;
    });
  }
}

async function storedRun(sql: Statements, run: SqlRow): Promise<StoredRun> {
  const number = Number(run.number);
  return {
    number,
    name: run.name as string,
    noun: run.noun as string,
    place: run.place as string,
    hasEnded: run.phase === 'ended',
    header: parsed(run.header),
    findings: parsed(run.findings),
    begunAt: Number(run.begun_at),
    rows: (parsed(run.counts) as RowCounts | undefined) ?? (await countedRows(sql, number)),
  };
}

/** How many rows of a run are in each state. */
export async function countedRows(sql: Statements, number: number): Promise<RowCounts> {
  const rows = await sql.all(
    'SELECT state, count(*) AS n FROM rows WHERE at >= ? AND at < ? GROUP BY state',
    ...boundsOf(number),
  );
  return Object.fromEntries(rows.map(({ state, n }) => [state, Number(n)]));
}

function storedRow(row: SqlRow): StoredRow {
  const { at, state, key, code, id, sent_at, status, reason, line, body, source } = row;
  const number = (value: typeof at) => (value === null ? null : Number(value));
  return {
    ...({ key, code, id, reason, body, source } as Pick<
      StoredRow,
      'key' | 'code' | 'id' | 'reason' | 'body' | 'source'
    >),
    row: rowOf(Number(at)),
    state: state as RowState,
    sentAt: number(sent_at!),
    status: number(status!),
    line: number(line!),
  };
}

function parsed(text: SqlRow[string] | undefined): Readonly<Record<string, unknown>> | undefined {
  return text === null || text === undefined ? undefined : JSON.parse(text as string);
}
