import { ProcError } from '../../../core/errors.ts';
import type { Ports } from '../../../core/ports.ts';
import type { RecordResult } from '../../../core/result.ts';
import type { Journal } from '../../ledger/journal.ts';
import { recordEnd } from '../../ledger/record-run.ts';
import { summary } from '../../ledger/run-summary.ts';
import { NEXT } from '../../phases.ts';
import { conclude } from '../../report/conclude.ts';
import { resumeCommand } from '../../report/next-command.ts';
import type { TargetedRun } from '../../resume/which-run.ts';
import { isSameBoot } from '../../send/run-clock.ts';
import { withRun } from '../../with-run.ts';
import type { Decision, ResolveFlags } from './decision.ts';

export interface Resolving extends TargetedRun {
  /** Numbers or codes of rows. */
  readonly typed: readonly string[];
  readonly given: Decision | undefined;
}

/**
 * Opens a run for decisions about its unconfirmed rows.
 *
 * @param work records the decisions
 * @returns the summary of the run afterwards; the result is a failure only if rows stay unconfirmed
 * @throws ProcError `invalid_usage` if the run has sent no row
 */
export function resolveRun(
  resolving: Resolving,
  { waitLock }: ResolveFlags,
  ports: Ports<'io' | 'api' | 'store' | 'self'>,
  work: (journal: Journal) => Promise<void>,
): Promise<RecordResult> {
  return withRun(resolving, { waitMs: waitLock }, ports, async (journal) => {
    refuseUnsent(journal);
    journal.interrupt(isSameBoot(ports.self.clock, journal));
    await work(journal);
    const { failure, ...result } = await conclude(journal, undefined, ports);
    await recordEnd(journal, undefined, ports);
    return summary(journal).counts.unknown > 0 ? { ...result, failure } : result;
  });
}

/** @throws ProcError `invalid_usage` */
export function refuseUnsent({ header: { run }, phase }: Journal): void {
  if (NEXT[phase].resolve === 'decide') return;
  throw new ProcError(
    'invalid_usage',
    `${run} has sent nothing yet, so it has no rows to resolve`,
    {
      hint: 'Resolve the rows in the run that sent them. To find it: proc imports list',
    },
  );
}

export function sayHowToResend(journal: Journal, ports: Ports<'io' | 'self'>): void {
  if (journal.counts().pending === 0) return;
  const text = `to send these rows again, run: ${resumeCommand(journal, ports)}`;
  ports.io.say({ kind: 'notice', text });
}
