import type { Ports } from '../../core/ports.ts';
import type { OpenRun } from '../open-run.ts';
import { sayPlan } from '../plan/confirm-plan.ts';
import { makePlan } from '../plan/import-plan.ts';
import type { Planned } from '../plan/plan-run.ts';
import { planValues } from '../plan/values.ts';
import { beginSending } from '../record-run.ts';
import type { PlannedRows } from '../store/planned-rows.ts';
import { updateFromOtherRuns } from '../store/sent-before.ts';
import { checkUnchanged } from './find-changes.ts';
import { sealedOf } from './sealed-bodies.ts';

type SendPorts = Ports<'io' | 'api' | 'lookup' | 'ask' | 'store' | 'self'>;

export interface CheckedRun {
  readonly planned: Planned;
  readonly nowExisting: number;
}

/**
 * Checks that the plan of a staged run still holds, and shows the plan.
 *
 * @throws ProcError `plan_changed`
 */
export async function checkStaged(run: OpenRun, ports: SendPorts): Promise<CheckedRun> {
  const { journal } = run;
  const sealed = sealedOf(journal);
  const { baseline, inList, nowExisting } = await checkUnchanged(run, sealed, ports);
  const plan = makePlan(journal);
  const planned: Planned = {
    plan: { ...plan, create: plan.create - nowExisting, existing: plan.existing + nowExisting },
    baseline,
    inList,
    items: undefined,
    findings: journal.get('findings') ?? [],
    otherNames: journal.get('otherNames'),
    expected: journal.expected,
    now: ports.self.clock.now(),
    refusal: undefined,
    values: ports.io.terminal.interactive ? planValues(journal) : undefined,
  };
  await sayPlan(run, planned, ports);
  return { planned, nowExisting };
}

/** Records that a staged run begins to send. Its statement keeps the rows as they were staged. */
export async function beginStaged(
  run: OpenRun,
  { planned: { plan }, nowExisting }: CheckedRun,
  ports: SendPorts,
): Promise<void> {
  const { journal, target, began } = run;
  const spent = Math.round(ports.self.clock.monotonic() - began);
  const workedMs = (journal.get('workedMs') ?? 0) + spent;
  const isListed = target.listing !== undefined;
  const adjust = (planned: PlannedRows): void => {
    if (nowExisting > 0 && isListed) planned.markInCatalogue();
  };
  if (plan.create > 0) await beginSending(run, { rows: plan.create, workedMs, adjust }, ports);
  else await journal.begin('skip', { facts: { workedMs }, adjust });
  if (!isListed) await updateFromOtherRuns(journal, ports);
}
