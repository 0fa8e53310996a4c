import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import { sentence } from '../../core/problem/sentence.ts';
import type { RecordResult } from '../../core/result.ts';
import type { OpenRun } from '../open-run.ts';
import { type Finding, findingText } from '../report/findings.ts';
import { importRunMessages } from '../report/labels.ts';
import { countedWord, importing, rowsIn } from '../report/words.ts';
import { otherNamesText } from './other-names.ts';
import { type Planned, planRecord, planText } from './plan-run.ts';

/** The short plan, for a terminal that has just shown the whole plan as text. */
const BRIEF = ['dryRun', 'source', 'rows', 'create', 'existing', 'duplicates', 'invalid'] as const;

/** Shows the plan in an interactive session. Otherwise shows only what a person should check. */
export async function sayPlan(
  { run, target }: OpenRun,
  planned: Planned,
  ports: Ports<'io' | 'api' | 'self'>,
): Promise<void> {
  const { name } = run.header.source;
  const fileProblem = run.get('fileProblem');
  // A file that ends too early gives an incomplete plan: warn before anybody confirms it.
  if (fileProblem !== undefined && (ports.api.isPreview || ports.io.terminal.interactive)) {
    ports.io.say({
      kind: 'warning',
      text: `${name}: ${sentence(fileProblem)}`,
    });
  }
  if (ports.io.terminal.interactive) {
    ports.io.say({ kind: 'notice', text: planText(planned, target, name) });
    return;
  }
  await sayFindings(planned.findings, ports);
  const { otherNames } = planned;
  if (otherNames !== undefined) {
    ports.io.say({ kind: 'notice', text: otherNamesText(otherNames) });
  }
}

export async function sayFindings(findings: readonly Finding[], ports: Ports<'io'>): Promise<void> {
  for (const found of findings) ports.io.say({ kind: 'warning', text: findingText(found) });
}

/** The plan as the result of a dry run. Removes the temporary run. */
export async function planResult(
  { run, target }: OpenRun,
  planned: Planned,
  ports: Ports<'io' | 'api' | 'self'>,
): Promise<RecordResult> {
  const { source, mapping } = run.header;
  const plan = planRecord(planned, target, source.name, mapping);
  const fileProblem = run.get('fileProblem');
  const value = {
    ...plan,
    ...(fileProblem === undefined ? {} : { fileProblem: sentence(fileProblem) }),
  };
  await run.discard();
  // A refused plan is still a result. Its refusal decides the exit code, as in a real import.
  const { labels } = importRunMessages;
  const failure = planned.refusal ?? rejectedIn(planned.plan);
  const result = { kind: 'record', value, labels, failure } as const;
  if (!ports.io.terminal.interactive) return result;
  return {
    ...result,
    columns: BRIEF.map((key) => ({ key, header: labels[key], kind: 'count' })),
    isBrief: true,
  };
}

function rejectedIn({ invalid, rows, counts }: Planned['plan']): ProcError | undefined {
  if (invalid === 0) return undefined;
  return new ProcError(
    'rows_rejected',
    `${invalid} of ${rowsIn(rows, countedWord(1, counts))} would be rejected`,
    {
      details: { invalid },
    },
  );
}

/** @throws ProcError `confirmation_required` if the plan is not confirmed */
export async function confirmPlan(
  { run, target }: OpenRun,
  { plan, items }: Planned,
  ports: Ports<'io' | 'api' | 'self'>,
): Promise<void> {
  const newItems = items?.counts.newItems ?? 0;
  const what = importing(plan.create, target, run.header.source.name, newItems);
  await ports.api.confirm({ what, weight: 'bulk' });
  ports.self.signal.throwIfAborted();
}
