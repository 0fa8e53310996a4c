import type { Journal } from '../ledger/journal.ts';
import type { StagedRow } from '../ledger/rows/staged-rows.ts';
import { placeOf } from '../report/words.ts';
import type { MappedRow } from '../source/record.ts';

/** Rows of one transaction: a commit costs more than a thousand inserts. */
const ROWS_PER_COMMIT = 2_000;
/** Batches too: each is of about one read from the file, however long its records are. */
const BATCHES_PER_COMMIT = 4;

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
  const staging = journal.staging();
  const staged = (row: MappedRow): StagedRow => {
    const one = stagedOf(row, options);
    if (one.reason === null || ++invalid - 1 !== options.mostInvalid) return one;
    exceeding = `${placeOf(row.row, row.line)}: ${one.reason}`;
    return one;
  };
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
    journal.step(() => staging.add(good, staged));
    rows += good.length;
    if (rows >= ROWS_PER_COMMIT || ++lots >= BATCHES_PER_COMMIT) flush();
  }
  flush();
  if (fileProblem !== undefined && invalid === options.mostInvalid) options.onTooMany(fileProblem);
  journal.addIndexes();
  journal.relax(false);
  journal.note({ phase: 'planned', ...(fileProblem === undefined ? {} : { fileProblem }) });
}

function stagedOf(row: MappedRow, options: StageOptions): StagedRow {
  const { row: number, line = null, body, mends = null } = row;
  const code = textOf(body?.[options.keyField]);
  const isNamed = code === null && options.nameField !== undefined;
  const name = isNamed ? textOf(body?.[options.nameField!]) : null;
  const isFiltered = row.isFiltered === true;
  const reason = isFiltered ? null : (problemOf(row, code, name, options) ?? null);
  const isPending = reason === null && !isFiltered;
  return {
    row: number,
    state: isFiltered ? 'filtered' : isPending ? 'pending' : 'rejected',
    line,
    code,
    name,
    reason,
    fingerprint: isPending ? (options.fingerprint?.(body) ?? null) : null,
    mends,
    fields: fieldsOf(row),
    body: json(body),
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
