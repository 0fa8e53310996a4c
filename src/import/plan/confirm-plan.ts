import type { Ports } from '../../core/ports.ts';
import type { Column, RecordResult } from '../../core/result.ts';
import { importing } from '../../messages/bulk.ts';
import type { OpenRun } from '../open-run.ts';
import { type Planned, planRecord, planText } from './plan-run.ts';

/** Of a plan that a person has just read as text, a table repeats the counts. */
const PLAN_COLUMNS: readonly Column[] = [
  { key: 'dryRun', header: 'DRY RUN' },
  { key: 'source', header: 'SOURCE' },
  { key: 'rows', header: 'ROWS', kind: 'number' },
  { key: 'create', header: 'CREATE', kind: 'number' },
  { key: 'existing', header: 'EXISTING', kind: 'number' },
  { key: 'duplicates', header: 'DUPLICATES', kind: 'number' },
  { key: 'invalid', header: 'INVALID', kind: 'number' },
];

/** Shows the plan to a person. */
export function sayPlan(
  { journal, target }: OpenRun,
  planned: Planned,
  ports: Ports<'io' | 'api' | 'self'>,
): void {
  const { name } = journal.header.source;
  const fileProblem = journal.get('fileProblem');
  // Before anybody agrees to a plan that is one of a part of the file.
  if (fileProblem !== undefined && (ports.api.isPreview || ports.io.terminal.interactive)) {
    ports.io.say({ kind: 'warning', text: `${name}: ${fileProblem}` });
  }
  if (ports.io.terminal.interactive) {
    ports.io.say({ kind: 'notice', text: planText(planned, target, name) });
  }
}

/** The plan as the result of `--dry-run`; the run goes. */
export function planResult(
  { journal, target }: OpenRun,
  planned: Planned,
  ports: Ports<'io' | 'api' | 'self'>,
): RecordResult {
  const { source, mapping } = journal.header;
  const plan = planRecord(planned, target, source.name, mapping);
  const fileProblem = journal.get('fileProblem');
  const value = fileProblem === undefined ? plan : { ...plan, fileProblem };
  journal.discard();
  // The plan is what was asked for; it ends as the import itself would.
  const result = { kind: 'record', value, failure: planned.refusal } as const;
  return ports.io.terminal.interactive
    ? { ...result, columns: PLAN_COLUMNS, isBrief: true }
    : result;
}

/** @throws ProcError `confirmation_required` unless a person or `--yes` agrees to the plan */
export async function confirmPlan(
  { journal, target }: OpenRun,
  { plan, items }: Planned,
  ports: Ports<'io' | 'api' | 'self'>,
): Promise<void> {
  const newItems = items?.counts.newItems ?? 0;
  const what = importing(plan.create, target, journal.header.source.name, newItems);
  await ports.api.confirm({ what, weight: 'bulk' });
  ports.self.signal.throwIfAborted();
}
