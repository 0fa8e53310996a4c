import type { Journal } from '../journal/journal.ts';
import type { MappedRow } from '../record.ts';

/** Rows of one transaction: a commit costs more than a thousand inserts. */
const ROWS_PER_COMMIT = 5_000;

export interface StageOptions {
  readonly keyField: string;
  /** Field that recognises rows without a key; undefined where they are not looked for. */
  readonly nameField: string | undefined;
  /** Rows without a key are refused. */
  readonly rejectWithoutKey: boolean;
  /** Told of invalid rows; ends staging with an error where they are too many. */
  readonly onInvalid: (count: number, first: string) => void;
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
  const insert = inserter(journal, options);
  let waiting: MappedRow[] = [];
  let total = 0;
  let invalid = 0;
  let fileProblem: string | undefined;
  const flush = () => {
    const rows = waiting;
    waiting = [];
    let first = '';
    journal.commit(() => {
      for (const row of rows) {
        const reason = insert(row);
        if (reason === undefined) continue;
        invalid++;
        first ||= `row ${row.row}${row.line === undefined ? '' : ` (line ${row.line})`}: ${reason}`;
      }
    });
    total += rows.length;
    if (first !== '') options.onInvalid(invalid, first);
    options.onProgress(total);
    options.signal.throwIfAborted();
  };
  for await (const batch of batches) {
    for (const row of batch) {
      if (row.problem?.ofFile === true) fileProblem = row.problem.message;
      else waiting.push(row);
    }
    if (waiting.length >= ROWS_PER_COMMIT) flush();
  }
  if (waiting.length > 0) flush();
  if (fileProblem !== undefined) options.onInvalid(invalid + 1, fileProblem);
  journal.addIndexes();
  journal.commit(() => {
    if (fileProblem !== undefined) journal.set('fileProblem', fileProblem);
    journal.set('phase', 'planned');
  });
}

/** Gives what inserts one row and returns why it is rejected, if it is. */
function inserter(journal: Journal, options: StageOptions): (row: MappedRow) => string | undefined {
  const { database } = journal;
  const intoRows = database.prepare(
    'INSERT INTO rows (row, state, code, name, reason, fingerprint, mends) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const intoRecords = database.prepare(
    'INSERT INTO records (row, line, fields, body) VALUES (?, ?, ?, ?)',
  );
  return (row) => {
    const key = textOf(row.body?.[options.keyField]);
    const name =
      key === null && options.nameField !== undefined
        ? textOf(row.body?.[options.nameField])
        : null;
    const reason = problemOf(row, key, name, options);
    const isGood = reason === undefined && row.body !== undefined;
    intoRows.run(
      row.row,
      reason === undefined ? 'pending' : 'rejected',
      key,
      name,
      reason ?? null,
      isGood ? (options.fingerprint?.(row.body) ?? null) : null,
      row.mends ?? null,
    );
    intoRecords.run(
      row.row,
      row.line ?? null,
      row.fields === undefined ? null : JSON.stringify(row.fields),
      row.body === undefined ? null : JSON.stringify(row.body),
    );
    return reason;
  };
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
