import { ProcError } from '../../../core/errors.ts';
import type { Ports } from '../../../core/ports.ts';
import type { Column, RecordResult, Result, Row } from '../../../core/result.ts';
import { typedAgain } from '../../../core/text/typed.ts';
import { bulkMessages } from '../../../messages/bulk.ts';
import { guardMessages } from '../../../messages/confirmations.ts';
import { needsConfirmation } from '../../../terminal/confirm-change.ts';
import { Journal } from '../../ledger/journal.ts';
import { summary } from '../../ledger/run-summary.ts';
import { updateFromOtherRuns } from '../../ledger/sent/sent-before.ts';
import { rowsIn } from '../../report/words.ts';
import { settleMsOf } from '../../run-options.ts';
import { checkFiledInList } from './check-filed-in-list.ts';
import type { ResolveFlags } from './decision.ts';
import { refuseReconcilable } from './decision.ts';
import { type DecisionFile, readDecisions } from './decision-file.ts';
import { type FilePlan, planFile } from './plan-file.ts';

import { recordDecisions } from './record-decision.ts';
import { type Resolving, refuseUnsent, resolveRun, sayHowToResend } from './resolve-run.ts';

const COUNTS = ['adopt', 'resend', 'drop', 'unchanged'] as const;

/** Records all decisions of the file, or none if any is wrong. */
export async function resolveFromFile(
  resolving: Resolving,
  from: string,
  flags: ResolveFlags,
  ports: Ports<'io' | 'api' | 'ask' | 'store' | 'self'>,
): Promise<Result> {
  const { folder, header, target } = resolving;
  const file = await readDecisions(from, flags.sheet, folder, ports);
  let plan: FilePlan | undefined;
  const result = await resolveRun(resolving, flags, ports, async (journal) => {
    if (target.listing === undefined) await updateFromOtherRuns(journal, target.create, ports);
    plan = planFile(file, journal);
    const { decided } = plan;
    if (decided.length === 0) {
      const text = `nothing was changed: the outcomes in ${file.name} were recorded before`;
      ports.io.say({ kind: 'notice', text });
      return;
    }
    refuseReconcilable(rowsOf(plan), header, target);
    await confirmPlan(plan, file, journal, ports);
    const settleMs = await settleMsOf(flags, ports);
    await checkFiledInList(file, plan, journal, target, settleMs, ports);
    const resolvedFrom = [...(journal.get('resolvedFrom') ?? []), file.hash];
    await recordDecisions(journal, target, decided, ports, { resolvedFrom });
    sayHowToResend(journal, ports);
  });
  return withPlan(result, file, plan!, 'recorded');
}

export async function previewFromFile(
  { folder, path, target }: Resolving,
  from: string,
  flags: ResolveFlags,
  ports: Ports<'io' | 'api' | 'ask' | 'store' | 'self'>,
): Promise<Result> {
  const file = await readDecisions(from, flags.sheet, folder, ports);
  const journal = Journal.read(path);
  try {
    refuseUnsent(journal);
    const { header } = journal;
    const plan = planFile(file, journal);
    refuseReconcilable(rowsOf(plan), header, target);
    const settleMs = await settleMsOf(flags, ports);
    await checkFiledInList(file, plan, journal, target, settleMs, ports);
    const unknown = summary(journal).counts.unknown - plan.decided.length;
    const failure =
      unknown > 0
        ? new ProcError('outcome_unknown', `${rowsIn(unknown)} would stay unconfirmed`, {
            details: { run: header.run, unknown },
          })
        : undefined;
    const columns: Column[] = [{ key: 'run', header: 'run' }];
    const value: Row = { run: header.run, unknown };
    return withPlan(
      { kind: 'record', idField: 'run', columns, value, failure },
      file,
      plan,
      'planned',
    );
  } finally {
    journal.close();
  }
}

/** @throws ProcError `confirmation_required` */
async function confirmPlan(
  plan: FilePlan,
  { name }: DecisionFile,
  journal: Journal,
  ports: Ports<'io' | 'ask' | 'self'>,
): Promise<void> {
  if (ports.self.flags.yes) return;
  const { run } = journal.header;
  const { adopt, resend, drop } = plan.counts;
  if (!ports.io.terminal.interactive) {
    throw new ProcError(
      'confirmation_required',
      `${needsConfirmation(`record the outcomes from ${name}`)}: ${rowsIn(adopt)} to adopt, ${resend} to resend, ${drop} to drop; nothing was changed`,
      { hint: `Add --yes: ${typedAgain(ports.self.typed, ['--yes'])}`, details: plan.counts },
    );
  }
  const lang = await ports.io.lang();
  const words = bulkMessages[lang];
  const open = journal.counts().unconfirmed - plan.decided.length;
  if (await ports.ask.confirm(words.resolveFrom(name, run, { ...plan.counts, open }), false))
    return;
  throw new ProcError('declined', guardMessages[lang].declined.local);
}

function rowsOf({ decided }: FilePlan) {
  return decided.map(({ row }) => row);
}

/** Adds the counts, and the outcome of each row. A table shows only the counts. */
function withPlan(
  { columns = [], value, ...result }: RecordResult,
  { name }: DecisionFile,
  { counts, decided, unchanged }: FilePlan,
  done: 'recorded' | 'planned',
): RecordResult {
  const decisions = [
    ...decided.map(({ row: { row, code }, decision }) => ({
      row,
      code,
      outcome: decision.kind,
      id: decision.kind === 'adopt' ? decision.id : null,
      result: done,
    })),
    ...unchanged.map((one) => ({ ...one, result: 'unchanged' })),
  ].sort((a, b) => a.row - b.row);
  const shown = COUNTS.map((key) => ({ key, header: key, kind: 'number' }) as const);
  const isPreview = done === 'planned';
  return {
    ...result,
    isBrief: true,
    columns: [
      ...columns,
      ...shown,
      ...(isPreview ? [{ key: 'unknown', header: 'unconfirmed', kind: 'number' } as const] : []),
    ],
    value: { ...value, file: name, ...counts, decisions },
  };
}
