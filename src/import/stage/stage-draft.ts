import { createHash } from 'node:crypto';
import { storedProblem } from '../../core/problem/row-problem.ts';
import type { Draft, DraftRow } from '../draft/draft.ts';
import { marksIn } from '../map/convert.ts';
import { locator } from '../map/locate.ts';
import { makeResolver } from '../map/references/resolve-references.ts';
import type { SendPorts } from '../open-run.ts';
import type { Planning, Staged } from '../plan/plan.ts';
import { countedIn, countOf } from '../report/words.ts';
import type { MappedRow, Source } from '../source/record.ts';
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
import { contract, identity, located } from './steps/body-steps.ts';
import { cellErrors, lineBreaks, repeatedHeader } from './steps/cell-checks.ts';
import { mapColumns, readProblem, resolvedReferences } from './steps/record-steps.ts';

/**
 * Reads, maps and checks the source, into the draft.
 *
 * @throws ProcError `invalid_input` if the file as a whole cannot be imported
 */
export async function stageDraft(
  draft: Draft,
  planning: Planning,
  ports: SendPorts,
): Promise<Staged> {
  const { target, source, mapping, groupBy, choices, options, progress } = planning;
  const shape = shapeOf(target, groupBy);
  const marks = await marksIn(source, mapping, shape.fields);
  const known = { groupBy, choices, mapping, target, shape, source, marks, resolver: undefined };
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
      : groupRows(draft.database, rows, {
          column: groupBy,
          assemble: target.grouped!.assemble,
          locate: locator({ groupBy, mapping }, source.format, target),
        });
  const digest = createHash('sha256').update(target.noun);
  let count = 0;
  for await (const batch of whole) {
    const bodies: string[] = [];
    for (const mapped of batch) {
      const row = applySteps(ofBodies, mapped);
      const drafted = draftRowOf(row);
      draft.add(drafted, row.places === undefined ? null : JSON.stringify(row.places));
      if (drafted.state === 'pending') bodies.push(drafted.body!);
      count++;
    }
    digest.update(bodies.map((body) => `\n${body}`).join(''));
    progress.step(`Reading: ${countOf(count, countedIn({ groupBy }))}`, {
      step: 'read',
      rows: count,
    });
    ports.self.signal.throwIfAborted();
  }
  progress.finish();
  for (const text of ofBodies.flatMap((step) => step.warnings?.() ?? []))
    ports.io.say({ kind: 'warning', text });
  return {
    digest: digest.digest('hex').slice(0, DIGEST_LENGTH),
    findings: ofRecords.flatMap((step) => step.findings?.() ?? []),
    unguarded: source.unguarded?.() ?? 0,
    spelled: Object.fromEntries(spelled),
  };
}

/** A plan shows a few rows; more codes than these only cost memory. */
const MOST_SPELLED = 1_000;
/** People copy it from one command to the next. */
const DIGEST_LENGTH = 32;

type Batches = AsyncIterable<readonly MappedRow[]>;

async function* readRows(source: Source, steps: readonly RowWork[]): Batches {
  for await (const records of source.records())
    yield records.map((record) => applySteps(steps, rowOf(record)));
}

/**
 * From record to payload. If there are references to look up, proc reads the source twice. The
 * first time, it applies only these steps.
 */
const PAYLOAD_STEPS: readonly RowStep[] = [readProblem, repeatedHeader, mapColumns];

const CHECK_STEPS: readonly RowStep[] = [cellErrors, lineBreaks, resolvedReferences];

/** From body to row of the draft. Several flat rows may have made the body. */
const BODY_STEPS: readonly RowStep[] = [contract, identity, located];

function draftRowOf(row: MappedRow): DraftRow {
  const { row: number, line = null, body, problem, key = null, digest = null } = row;
  return {
    row: number,
    state: problem === undefined ? 'pending' : 'rejected',
    key,
    digest,
    body: json(body),
    source: sourceOf(row),
    line,
    reason: problem === undefined ? null : storedProblem(problem),
  };
}

/** Null if the body is equal, as in files that use the service's own field names. */
function sourceOf({ fields, body }: MappedRow): string | null {
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
