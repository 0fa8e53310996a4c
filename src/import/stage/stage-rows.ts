import type { Journal } from '../ledger/journal.ts';
import type { StagedRow } from '../ledger/rows/staged-rows.ts';
import { placeOf } from '../report/words.ts';
import type { MappedRow } from '../source/record.ts';

/** Rows of one transaction: a commit costs more than a thousand inserts. */
const ROWS_PER_COMMIT = 2_000;
/** Batches too: each is of about one read from the file, however long its records are. */
const BATCHES_PER_COMMIT = 4;

export interface StageOptions {
  /** Invalid rows that are allowed; undefined for any number. */
  readonly mostInvalid: number | undefined;
  /** Told of the row with which they are too many; ends staging with an error. */
  readonly onTooMany: (row: string) => void;
  readonly onProgress: (rows: number) => void;
  readonly signal: AbortSignal;
}

/** Writes all rows into the journal; afterwards the source is never read again. */
export async function stageRows(
  journal: Journal,
  batches: AsyncIterable<readonly MappedRow[]>,
  options: StageOptions,
): Promise<void> {
  let invalid = 0;
  let exceeding: string | undefined;
  const staging = journal.staging();
  const staged = (row: MappedRow): StagedRow => {
    const one = stagedOf(row);
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

/** A row in its first state. */
function stagedOf(row: MappedRow): StagedRow {
  const { row: number, line = null, body, mends = null, code = null, name = null } = row;
  const isFiltered = row.isFiltered === true;
  const reason = reasonOf(row);
  return {
    row: number,
    state: isFiltered ? 'filtered' : reason === null ? 'pending' : 'rejected',
    line,
    code,
    name,
    reason,
    fingerprint: row.fingerprint ?? null,
    mends,
    fields: fieldsOf(row),
    body: json(body),
  };
}

function reasonOf({ problem }: MappedRow): string | null {
  if (problem === undefined) return null;
  const { field, message } = problem;
  return field === undefined ? message : `${field}: ${message}`;
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
