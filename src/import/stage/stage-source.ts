import type { Ports } from '../../core/ports.ts';
import { storedProblem } from '../../core/problem/row-problem.ts';
import { marksIn } from '../map/convert.ts';
import { locator } from '../map/locate.ts';
import type { Mapping } from '../map/mapping.ts';
import { makeResolver } from '../map/references/resolve-references.ts';
import type { OpenRun } from '../open-run.ts';
import { countedIn, countOf } from '../report/words.ts';
import type { MappedRow, Source } from '../source/record.ts';
import type { Run } from '../store/run-file.ts';
import { type StagedRow, StagedRows } from '../store/staged-rows.ts';
import { shapeOf } from '../targets/import-target.ts';
import { groupRows } from './group-rows.ts';
import {
  applySteps,
  begin,
  type RowStep,
  type RowWork,
  rowOf,
  type StepContext,
} from './row-step.ts';
import { bodyFingerprint, contract, located, rowCode } from './steps/body-steps.ts';
import { cellErrors, lineBreaks, repeatedHeader } from './steps/cell-checks.ts';
import { mapColumns, readProblem, resolvedReferences } from './steps/record-steps.ts';

/** @throws ProcError `invalid_input` if the file as a whole cannot be imported */
export async function stageSource(
  { run, target, options, progress }: OpenRun,
  source: Source,
  ports: Ports<'io' | 'api' | 'lookup' | 'store' | 'self'>,
): Promise<void> {
  const { header } = run;
  const { groupBy } = header;
  const mapping = header.mapping as Mapping;
  const shape = shapeOf(target, groupBy);
  const marks = await marksIn(source, mapping, shape.fields);
  const known = { header, mapping, target, shape, source, marks, resolver: undefined };
  const { references = [] } = shape;
  const payloads = () => readRows(source, begin(PAYLOAD_STEPS, known));
  const spelled = new Map<string, string>();
  const resolver = await makeResolver(
    { references, mapping, patienceMs: options.patienceMs },
    payloads,
    ports,
    {
      onFound: (id, code) => {
        if (spelled.size < MOST_SPELLED) spelled.set(id, code);
      },
    },
  );
  const context: StepContext = { ...known, resolver };
  const ofRecords = begin([...PAYLOAD_STEPS, ...CHECK_STEPS], context);
  const ofBodies = begin(BODY_STEPS, context);
  const rows = readRows(source, ofRecords);
  const whole =
    groupBy === undefined
      ? rows
      : groupRows(run, rows, {
          column: groupBy,
          assemble: target.grouped!.assemble,
          locate: locator(header, source.format, target),
        });
  await stageRows(run, each(whole, ofBodies), {
    onProgress: (count) =>
      progress.step(`Reading: ${countOf(count, countedIn(header))}`, { step: 'read', rows: count }),
    signal: ports.self.signal,
  });
  progress.finish();
  const unguarded = source.unguarded?.() ?? 0;
  if (unguarded > 0) run.note({ unguarded });
  for (const text of ofBodies.flatMap((step) => step.warnings?.() ?? [])) {
    ports.io.say({ kind: 'warning', text });
  }
  const findings = ofRecords.flatMap((step) => step.findings?.() ?? []);
  if (findings.length > 0) run.note({ findings });
  if (spelled.size > 0) run.note({ spelled: Object.fromEntries(spelled) });
  await run.advance('read');
}

/** A plan shows a few rows; more codes than these only cost memory. */
const MOST_SPELLED = 1_000;

type Batches = AsyncIterable<readonly MappedRow[]>;

async function* readRows(source: Source, steps: readonly RowWork[]): Batches {
  for await (const records of source.records()) {
    yield records.map((record) => applySteps(steps, rowOf(record)));
  }
}

async function* each(batches: Batches, steps: readonly RowWork[]): Batches {
  for await (const batch of batches) yield batch.map((row) => applySteps(steps, row));
}

/**
 * From record to payload. If there are references to look up, proc reads the source twice. The
 * first time, it applies only these steps.
 */
const PAYLOAD_STEPS: readonly RowStep[] = [readProblem, repeatedHeader, mapColumns];

const CHECK_STEPS: readonly RowStep[] = [cellErrors, lineBreaks, resolvedReferences];

/** From body to row of the ledger. Several flat rows may have made the body. */
const BODY_STEPS: readonly RowStep[] = [contract, rowCode, bodyFingerprint, located];

/** Rows per transaction: a commit costs more than a thousand inserts. */
const ROWS_PER_COMMIT = 2_000;
/** Batches per transaction. This limit matters for long records: their batches have few rows. */
const BATCHES_PER_COMMIT = 4;

interface StageOptions {
  readonly onProgress: (rows: number) => void;
  readonly signal: AbortSignal;
}

/** Writes all rows to the run's file. After that, proc does not read the source again. */
async function stageRows(
  run: Run,
  batches: AsyncIterable<readonly MappedRow[]>,
  options: StageOptions,
): Promise<void> {
  const staging = new StagedRows(run.rows.sql);
  // Durable commits are not needed yet: until all rows are read, nothing was sent.
  run.relax(true);
  let rows = 0;
  let read = 0;
  let total = 0;
  const flush = () => {
    run.endSteps();
    total += rows;
    rows = 0;
    read = 0;
    options.onProgress(total);
    options.signal.throwIfAborted();
  };
  for await (const batch of batches) {
    run.step(() => {
      staging.add(batch, stagedOf);
    });
    rows += batch.length;
    if (rows >= ROWS_PER_COMMIT || ++read >= BATCHES_PER_COMMIT) flush();
  }
  flush();
  run.rows.addIndexes();
  run.relax(false);
}

function stagedOf(row: MappedRow): StagedRow {
  const { row: number, line = null, body, code = null } = row;
  const reason = row.problem === undefined ? null : storedProblem(row.problem);
  return {
    row: number,
    state: reason === null ? 'pending' : 'rejected',
    line,
    code,
    name: null,
    reason,
    fingerprint: row.fingerprint ?? null,
    fields: fieldsOf(row),
    body: json(body),
    places: row.places === undefined ? null : JSON.stringify(row.places),
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
