import type { SQLInputValue } from 'node:sqlite';
import type { Journal } from '../journal/journal.ts';
import type { MappedRow } from '../record.ts';

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
    exceeding = `row ${row}${line === undefined ? '' : ` (line ${line})`}: ${reason}`;
  });
  // Until all rows are in, nothing is lost that could not be read again.
  journal.relax(true);
  let waiting: MappedRow[] = [];
  let lots = 0;
  let total = 0;
  let fileProblem: string | undefined;
  const flush = () => {
    journal.commit(() => insert(waiting));
    total += waiting.length;
    waiting = [];
    lots = 0;
    if (exceeding !== undefined) options.onTooMany(exceeding);
    options.onProgress(total);
    options.signal.throwIfAborted();
  };
  for await (const batch of batches) {
    for (const row of batch) {
      if (row.problem?.ofFile === true) fileProblem = row.problem.message;
      else waiting.push(row);
    }
    if (waiting.length >= ROWS_PER_COMMIT || ++lots >= BATCHES_PER_COMMIT) flush();
  }
  if (waiting.length > 0) flush();
  if (fileProblem !== undefined && invalid === options.mostInvalid) options.onTooMany(fileProblem);
  journal.addIndexes();
  journal.relax(false);
  journal.commit(() => {
    if (fileProblem !== undefined) journal.set('fileProblem', fileProblem);
    journal.set('phase', 'planned');
  });
}

/** Gives what inserts rows, and tells each that is rejected. */
function inserter(
  { database }: Journal,
  options: StageOptions,
  onRejected: (row: MappedRow, reason: string) => void,
): (rows: readonly MappedRow[]) => void {
  const statements = (count: number) => ({
    intoRows: database.prepare(
      `INSERT INTO rows (row, state, code, name, reason, fingerprint, mends) VALUES ${list('(?, ?, ?, ?, ?, ?, ?)', count)}`,
    ),
    intoRecords: database.prepare(
      `INSERT INTO records (row, line, fields, body) VALUES ${list('(?, ?, ?, ?)', count)}`,
    ),
  });
  const single = statements(1);
  const many = statements(ROWS_PER_INSERT);
  return (all) => {
    for (let from = 0; from < all.length; ) {
      const isWhole = all.length - from >= ROWS_PER_INSERT;
      const { intoRows, intoRecords } = isWhole ? many : single;
      const rows: SQLInputValue[] = [];
      const records: SQLInputValue[] = [];
      for (const row of all.slice(from, from + (isWhole ? ROWS_PER_INSERT : 1))) {
        const key = textOf(row.body?.[options.keyField]);
        const name =
          key === null && options.nameField !== undefined
            ? textOf(row.body?.[options.nameField])
            : null;
        const reason = problemOf(row, key, name, options);
        if (reason !== undefined) onRejected(row, reason);
        const isGood = reason === undefined && row.body !== undefined;
        rows.push(
          row.row,
          reason === undefined ? 'pending' : 'rejected',
          key,
          name,
          reason ?? null,
          isGood ? (options.fingerprint?.(row.body) ?? null) : null,
          row.mends ?? null,
        );
        records.push(row.row, row.line ?? null, fieldsOf(row), json(row.body));
      }
      intoRows.run(...rows);
      intoRecords.run(...records);
      from += isWhole ? ROWS_PER_INSERT : 1;
    }
  };
}

function list(values: string, count: number): string {
  return Array<string>(count).fill(values).join(', ');
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
