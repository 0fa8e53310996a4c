import { type Problem, storedProblem } from '../../core/problem/row-problem.ts';
import type { Journal } from '../ledger/journal.ts';
import type { StagedRow } from '../ledger/rows/staged-rows.ts';
import type { MappedRow } from '../source/record.ts';

/** Rows per transaction: a commit costs more than a thousand inserts. */
const ROWS_PER_COMMIT = 2_000;
/** Batches per transaction. This limit matters for long records: their batches have few rows. */
const BATCHES_PER_COMMIT = 4;

export interface StageOptions {
  readonly onProgress: (rows: number) => void;
  readonly signal: AbortSignal;
}

/** Writes all rows to the journal. After that, proc does not read the source again. */
export async function stageRows(
  journal: Journal,
  batches: AsyncIterable<readonly MappedRow[]>,
  options: StageOptions,
): Promise<void> {
  const staging = journal.rows.staging();
  // Durable commits are not needed yet: until all rows are staged, the source can be read again.
  journal.relax(true);
  let rows = 0;
  let read = 0;
  let total = 0;
  let fileProblem: Problem | undefined;
  const flush = () => {
    journal.endSteps();
    total += rows;
    rows = 0;
    read = 0;
    options.onProgress(total);
    options.signal.throwIfAborted();
  };
  for await (const batch of batches) {
    const good = batch.filter(({ problem, isFileProblem }) => {
      if (isFileProblem === true) fileProblem = problem;
      return isFileProblem !== true;
    });
    journal.step(() => {
      staging.add(good, stagedOf);
      for (const { row, findings } of good) {
        if (findings !== undefined) journal.rows.findings.add(row, findings);
      }
    });
    rows += good.length;
    if (rows >= ROWS_PER_COMMIT || ++read >= BATCHES_PER_COMMIT) flush();
  }
  flush();
  journal.rows.addIndexes();
  journal.relax(false);
  if (fileProblem !== undefined) journal.note({ fileProblem });
}

function stagedOf(row: MappedRow): StagedRow {
  const { row: number, line = null, body, repairs = null, code = null, name = null } = row;
  const isFiltered = row.isFiltered === true;
  const reason = row.problem === undefined ? null : storedProblem(row.problem);
  return {
    row: number,
    state: isFiltered ? 'filtered' : reason === null ? 'pending' : 'rejected',
    line,
    code,
    name,
    reason,
    fingerprint: row.fingerprint ?? null,
    repairs,
    fields: fieldsOf(row),
    body: json(body),
  };
}

/** Null if the body is equal, as in files that use the service's own field names. */
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
