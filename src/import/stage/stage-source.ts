import type { Ports } from '../../core/ports.ts';
import { typedAgain } from '../../core/text/typed.ts';
import { type Finding, FindingTally } from '../../messages/findings.ts';
import { importPlanMessages } from '../../messages/planning.ts';
import { Journal } from '../ledger/journal.ts';
import { importsFolder, journalPath } from '../ledger/runs.ts';
import { marksIn, textOf } from '../map/convert.ts';
import type { Mapping } from '../map/mapping.ts';
import { makeResolver, type ResolvedReference } from '../map/references/resolve-references.ts';
import type { OpenRun } from '../open-run.ts';
import type { MappedRow, Source } from '../source/record.ts';
import { shapeOf } from '../targets/import-target.ts';
import { groupRows } from './group-rows.ts';
import { applySteps, begin, type RowWork, rowOf, type StepContext } from './row-step.ts';
import { BODY_STEPS, CHECK_STEPS, PAYLOAD_STEPS } from './row-steps.ts';
import { stageRows } from './stage-rows.ts';

/** @throws ProcError `invalid_input` if the file as a whole cannot be imported */
export async function stageSource(
  { journal, target, options, progress }: OpenRun,
  source: Source,
  ports: Ports<'io' | 'api' | 'lookup' | 'store' | 'self'>,
): Promise<void> {
  const { header } = journal;
  const { groupBy, repairs } = header;
  const mapping = header.mapping as Mapping;
  const shape = shapeOf(target, groupBy);
  const earlier =
    repairs === undefined
      ? undefined
      : await Journal.read(journalPath(importsFolder(ports.self), repairs));
  try {
    const marks = await marksIn(source, mapping, shape, header.choices.allow);
    const known = { header, mapping, target, shape, source, earlier, marks, resolver: undefined };
    const { references = [] } = shape;
    const payloads = () => readRows(source, begin(PAYLOAD_STEPS, known));
    const { sealed } = journal.rows;
    if (header.isStaged === true) sealed.clearReferences();
    const note = (one: ResolvedReference) => sealed.noteReference(one);
    const resolver = await makeResolver(
      references,
      mapping,
      payloads,
      options.patienceMs,
      ports,
      header.isStaged === true ? note : undefined,
    );
    const run: StepContext = { ...known, resolver };
    const ofRecords = begin([...PAYLOAD_STEPS, ...CHECK_STEPS], run);
    const ofBodies = begin(BODY_STEPS, run);
    const rows = withWarnings(readRows(source, ofRecords), ofRecords, ports);
    const whole =
      groupBy === undefined
        ? rows
        : groupRows(journal, rows, {
            column: groupBy,
            assemble: target.grouped!.assemble,
            mapping,
            fillDown: typedAgain(ports.self.typed, ['--fill-down', groupBy]),
          });
    const { steps } = importPlanMessages[await ports.io.lang()];
    const tally = new FindingTally();
    await stageRows(journal, each(whole, ofBodies, tally), {
      onProgress: (count) => progress.step(steps.reading(count), { step: 'read', rows: count }),
      signal: ports.self.signal,
    });
    progress.finish();
    for (const step of ofRecords) step.check?.();
    const unguarded = source.unguarded?.() ?? 0;
    if (unguarded > 0) journal.note({ unguarded });
    sayWarnings(ofBodies, ports);
    const findings = withTally(
      [...ofRecords, ...ofBodies].flatMap((step) => step.findings?.() ?? []),
      tally,
    );
    noteShortCodes(journal, findings, mapping);
    if (findings.length > 0) journal.note({ findings });
    for (const step of ofRecords) journal.note(step.facts?.() ?? {});
    await journal.advance('read');
  } finally {
    earlier?.close();
  }
}

type Batches = AsyncIterable<readonly MappedRow[]>;

async function* readRows(source: Source, steps: readonly RowWork[]): Batches {
  for await (const records of source.records()) {
    yield records.map((record) => applySteps(steps, rowOf(record)));
  }
}

async function* each(batches: Batches, steps: readonly RowWork[], tally: FindingTally): Batches {
  for await (const batch of batches) {
    const rows = batch.map((row) => applySteps(steps, row));
    for (const { findings } of rows) if (findings !== undefined) tally.add(findings);
    yield rows;
  }
}

/** A finding about the file counts better than its rows do. */
function withTally(ofFile: readonly Finding[], tally: FindingTally): readonly Finding[] {
  const kinds = new Set(ofFile.map(({ kind }) => kind));
  return [...ofFile, ...tally.findings().filter(({ kind }) => !kinds.has(kind))];
}

/** Which codes have lost zeros is known only once all have been seen. */
function noteShortCodes(journal: Journal, findings: readonly Finding[], mapping: Mapping): void {
  const { findings: ofRows } = journal.rows;
  for (const { kind, field = '', digits = 0 } of findings) {
    if (kind !== 'lost_zeros') continue;
    const rule = mapping.fields[field];
    const column = rule !== undefined && 'column' in rule ? rule.column : field;
    for (const batch of ofRows.records()) {
      journal.commit(() => {
        for (const { row, fields, body } of batch) {
          const records = fields === null ? [] : [JSON.parse(fields)].flat();
          const own = body === null ? undefined : JSON.parse(body)[field];
          const codes = own === undefined ? records.map((one) => one[column]) : [own];
          for (const code of codes) {
            const value = textOf(code)?.trim() ?? '';
            if (!/^\d+$/.test(value) || value.length >= digits) continue;
            ofRows.add(row, [{ kind, field, sample: { value } }]);
          }
        }
      });
    }
  }
}

async function* withWarnings(
  batches: Batches,
  steps: readonly RowWork[],
  ports: Ports<'io' | 'api' | 'lookup' | 'store' | 'self'>,
): Batches {
  yield* batches;
  sayWarnings(steps, ports);
}

function sayWarnings(
  steps: readonly RowWork[],
  ports: Ports<'io' | 'api' | 'lookup' | 'store' | 'self'>,
): void {
  for (const text of steps.flatMap((step) => step.warnings?.() ?? [])) {
    ports.io.say({ kind: 'warning', text });
  }
}
