import type { DatabaseSync } from 'node:sqlite';
import type { Journal } from '../ledger/journal.ts';
import type { RowState } from '../ledger/rows/states.ts';
import { placeOf } from '../report/words.ts';
import type { MappedRow } from '../source/record.ts';

/** Rows of one transaction: a commit costs more than a thousand inserts. */
const ROWS_PER_COMMIT = 2_000;
/** Batches too: each is of about one read from the file, however long its records are. */
const BATCHES_PER_COMMIT = 4;
/** Rows of one statement: calling SQLite costs more than a row does. */
const ROWS_PER_INSERT = 20;

export interface StageOptions {
  readonly keyField: string;
  /** Field that recognises rows without a key; undefined where they are not looked for. */
  readonly nameField: string | undefined;
  /** Rows without a key are refused. */
  readonly rejectWithoutKey: boolean;
  /** Invalid rows that are allowed; undefined for any number. */
  readonly mostInvalid: number | undefined;
  /** Told of the row with which they are too many; ends staging with an error. */
  readonly onTooMany: (row: string) => void;
  /** Recognises a body that was sent before; undefined where the listing does that. */
  readonly fingerprint: ((body: unknown) => string) | undefined;
  readonly onProgress: (rows: number) => void;
  readonly signal: AbortSignal;
}

/** Writes all rows into the journal; afterwards the source is never read again. */
export async function stage(
  journal: Journal,
  batches: AsyncIterable<readonly MappedRow[]>,
  options: StageOptions,
): Promise<void> {
  let invalid = 0;
  let exceeding: string | undefined;
  const insert = inserter(journal, options, ({ row, line }, reason) => {
    if (++invalid - 1 !== options.mostInvalid) return;
    exceeding = `${placeOf(row, line)}: ${reason}`;
  });
  // Until all rows are in, nothing is lost that could not be read again.
  journal.relax(true);
  let rows = 0;
  let lots = 0;
  let total = 0;
  let fileProblem: string | undefined;
  const flush = () => {
    journal.endSteps();
    total += rows;
    rows = 0;
    lots = 0;
    if (exceeding !== undefined) options.onTooMany(exceeding);
    options.onProgress(total);
    options.signal.throwIfAborted();
  };
  for await (const batch of batches) {
    const good = batch.filter(({ problem }) => {
      if (problem?.ofFile === true) fileProblem = problem.message;
      return problem?.ofFile !== true;
    });
    journal.step(() => insert(good));
    rows += good.length;
    if (rows >= ROWS_PER_COMMIT || ++lots >= BATCHES_PER_COMMIT) flush();
  }
  flush();
  if (fileProblem !== undefined && invalid === options.mostInvalid) options.onTooMany(fileProblem);
  journal.addIndexes();
  journal.relax(false);
  journal.note({ phase: 'planned', ...(fileProblem === undefined ? {} : { fileProblem }) });
}

/** Gives what inserts rows, and tells each that is rejected. */
function inserter(
  { database }: Journal,
  options: StageOptions,
  onRejected: (row: MappedRow, reason: string) => void,
): (rows: readonly MappedRow[]) => void {
  const one = inserts(database, 1, false);
  const many = inserts(database, ROWS_PER_INSERT, false);
  const plain = inserts(database, ROWS_PER_INSERT, true);
  const stagedOf = (row: MappedRow): Staged => {
    const { row: number, line = null, body, mends = null } = row;
    const key = textOf(body?.[options.keyField]);
    const isNamed = key === null && options.nameField !== undefined;
    const name = isNamed ? textOf(body?.[options.nameField!]) : null;
    const isFiltered = row.isFiltered === true;
    const reason = isFiltered ? null : (problemOf(row, key, name, options) ?? null);
    if (reason !== null) onRejected(row, reason);
    const fingerprint =
      reason === null && !isFiltered ? (options.fingerprint?.(body) ?? null) : null;
    const fields = fieldsOf(row);
    const state = isFiltered ? 'filtered' : reason === null ? 'pending' : 'rejected';
    const isPlain =
      state === 'pending' && fields === null && (name ?? reason ?? fingerprint ?? mends) === null;
    return {
      number,
      state,
      line,
      key,
      name,
      reason,
      fingerprint,
      mends,
      fields,
      body: json(body),
      isPlain,
    };
  };
  return (all) => {
    for (let from = 0; from < all.length; from += ROWS_PER_INSERT) {
      const lot = all.slice(from, from + ROWS_PER_INSERT).map(stagedOf);
      if (lot.length < ROWS_PER_INSERT) for (const row of lot) one([row]);
      else if (lot.every(({ isPlain }) => isPlain)) plain(lot);
      else many(lot);
    }
  };
}

/** A row as the journal holds it. */
interface Staged {
  readonly number: number;
  readonly state: RowState;
  readonly line: number | null;
  readonly key: string | null;
  readonly name: string | null;
  readonly reason: string | null;
  readonly fingerprint: string | null;
  readonly mends: number | null;
  readonly fields: string | null;
  readonly body: string | null;
  /** Nothing but its key and body: nearly all are, and each value that is handed over takes time. */
  readonly isPlain: boolean;
}

/** Gives what inserts `count` rows at once. */
function inserts(
  database: DatabaseSync,
  count: number,
  isPlain: boolean,
): (rows: readonly Staged[]) => void {
  const prepare = (table: string, values: string) =>
    database.prepare(`INSERT INTO ${table} VALUES ${Array<string>(count).fill(values).join(', ')}`);
  if (isPlain) {
    const intoRows = prepare('rows (row, state, code)', "(?, 'pending', ?)");
    const intoRecords = prepare('records (row, line, body)', '(?, ?, ?)');
    return (rows) => {
      intoRows.run(...rows.flatMap(({ number, key }) => [number, key]));
      intoRecords.run(...rows.flatMap(({ number, line, body }) => [number, line, body]));
    };
  }
  const columns = 'row, state, code, name, reason, fingerprint, mends';
  const intoRows = prepare(`rows (${columns})`, '(?, ?, ?, ?, ?, ?, ?)');
  const intoRecords = prepare('records (row, line, fields, body)', '(?, ?, ?, ?)');
  return (rows) => {
    intoRows.run(
      ...rows.flatMap(({ number, state, key, name, reason, fingerprint, mends }) => [
        number,
        state,
        key,
        name,
        reason,
        fingerprint,
        mends,
      ]),
    );
    intoRecords.run(
      ...rows.flatMap(({ number, line, fields, body }) => [number, line, fields, body]),
    );
  };
}

/** Null where the body is the same: many files have the service's own columns. */
function fieldsOf({ fields, body }: MappedRow): string | null {
  if (fields === undefined || body === undefined || Array.isArray(fields)) return json(fields);
  return isSame(fields as Readonly<Record<string, unknown>>, body) ? null : json(fields);
}

function isSame(
  a: Readonly<Record<string, unknown>>,
  b: Readonly<Record<string, unknown>>,
): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key]);
}

function json(value: object | undefined): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

function problemOf(
  row: MappedRow,
  key: string | null,
  name: string | null,
  options: StageOptions,
): string | undefined {
  if (row.problem !== undefined) {
    const { field, message } = row.problem;
    return field === undefined ? message : `${field}: ${message}`;
  }
  if (row.body === undefined) return 'this row cannot be sent';
  if (key !== null) return undefined;
  if (options.rejectWithoutKey) {
    return `no ${options.keyField}: a second import could not recognise this row (--no-code)`;
  }
  return options.nameField !== undefined && name === null
    ? `neither ${options.keyField} nor ${options.nameField}`
    : undefined;
}

/** A key as text; absent and empty ones are none. */
function textOf(value: unknown): string | null {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : null;
}
