import type { LocalPlan } from '../../../core/command.ts';
import { ProcError } from '../../../core/errors.ts';
import type { Ports } from '../../../core/ports.ts';
import type { Result } from '../../../core/result.ts';
import { typedAgain } from '../../../core/text/typed.ts';
import { settleMsOf } from '../../import-flags.ts';
import { Journal } from '../../ledger/journal.ts';
import { lockImport } from '../../ledger/processes/import-lock.ts';
import { recordEnd } from '../../ledger/record-run.ts';
import type { Unconfirmed } from '../../ledger/rows/unconfirmed-rows.ts';
import { summary } from '../../ledger/run-summary.ts';
import { findRun, importsFolder, journalPath } from '../../ledger/runs.ts';
import { updateFromOtherRuns } from '../../ledger/sent/sent-before.ts';
import { conclude } from '../../report/conclude.ts';
import { resumeCommand } from '../../report/next-command.ts';
import { isSameBoot } from '../../send/run-clock.ts';
import type { ImportTarget } from '../../targets/import-target.ts';
import { checkAdoption } from './adoption.ts';
import { askOutcome } from './ask-outcome.ts';
import {
  checkDecision,
  confirmAll,
  type Decision,
  decisionOf,
  type ResolveFlags,
  refuseUnconfirmable,
} from './decision.ts';
import { previewResolve, type Resolving } from './preview-decision.ts';
import { recordDecision } from './record-decision.ts';
import { decideResend } from './resend.ts';
import { chosen, decisionMissing } from './unconfirmed.ts';

/**
 * Records the outcome of unconfirmed rows: created with an id, to be sent again, or dropped. Without
 * a decision, proc asks row by row. Sends nothing itself: `imports resume` does.
 *
 * @param typed rows by number or code; none for all unconfirmed rows
 * @throws ProcError `invalid_usage`, `confirmation_required`, `reference_not_found`, `incomplete`
 */
export async function planResolve(
  targets: readonly ImportTarget[],
  typedRun: string,
  typed: readonly string[],
  flags: ResolveFlags,
  ports: Ports<'io' | 'api' | 'ask' | 'store' | 'self'>,
): Promise<LocalPlan> {
  const given = decisionOf(flags);
  if (flags.all && typed.length > 0) {
    throw new ProcError('invalid_usage', '--all cannot be used with the name of a row', {
      hint: `Leave --all out: ${typedAgain(
        ports.self.typed.filter((word) => word !== '--all'),
        [],
      )}`,
    });
  }
  const folder = importsFolder(ports.self.env);
  const path = journalPath(folder, findRun(folder, typedRun));
  const peek = Journal.open(path, true);
  const { header } = peek;
  peek.close();
  const target = targets.find(({ noun }) => noun === header.noun);
  if (target === undefined) {
    throw new ProcError(
      'invalid_usage',
      `${header.run} imports ${header.noun}, which this version of proc does not support`,
    );
  }
  return {
    would: () => previewResolve({ folder, path, target, header, typed, given }, flags, ports),
    apply: () => resolveRows({ folder, path, target, header, typed, given }, flags, ports),
  };
}

async function resolveRows(
  { folder, path, target, header, typed, given }: Resolving,
  flags: ResolveFlags,
  ports: Ports<'io' | 'api' | 'ask' | 'store' | 'self'>,
): Promise<Result> {
  const { clock, signal } = ports.self;
  const { run, noun, baseUrl, organization } = header;
  const isWhole = typed.length === 0 && given !== undefined && given.kind !== 'adopt';
  if (isWhole) refuseUnconfirmable(flags, given.kind, ports);
  const lock = await lockImport(
    { folder, noun, baseUrl, organization },
    { clock, signal, waitMs: flags.waitLock ?? 0, run },
  );
  let journal: Journal | undefined;
  try {
    journal = Journal.open(path);
    journal.interrupt(isSameBoot(clock, journal));
    const asked = chosen(journal.unconfirmed.all(), typed, run);
    if (target.listing === undefined) await updateFromOtherRuns(journal, target.create, ports);
    const open = new Set(journal.unconfirmed.all().map(({ row }) => row));
    const rows = asked.filter(({ row }) => open.has(row));
    if (rows.length === 0) return await summaryOf(journal, ports);
    checkDecision(given, rows, header, target);
    if (given === undefined && !ports.io.terminal.interactive) throw decisionMissing(run, rows);
    if (isWhole) await confirmAll(rows.length, given.kind, run, ports);
    const settleMs = settleMsOf(flags, ports.self.flags.timeoutMs);
    const record = (some: readonly Unconfirmed[], decision: Decision) =>
      recordDecision(journal!, target, some, decision, ports);
    if (given === undefined) {
      for (const row of rows) {
        const decision = await askOutcome(journal, target, row, settleMs, ports);
        if (decision !== undefined) await record([row], decision);
      }
    } else if (given.kind === 'resend') {
      const { resent, adopted } = await decideResend(journal, target, rows, settleMs, ports);
      for (const { row, id } of adopted) await record([row], { kind: 'adopt', id });
      if (resent.length > 0) await record(resent, given);
    } else {
      if (given.kind === 'adopt') await checkAdoption(journal, target, rows[0]!, given.id, ports);
      await record(rows, given);
    }
    if (journal.counts().pending > 0) {
      ports.io.say({
        kind: 'notice',
        text: `to send these rows again, run: ${resumeCommand(journal, ports)}`,
      });
    }
    return await summaryOf(journal, ports);
  } finally {
    journal?.close();
    lock.release();
  }
}

/** The summary of the run. The command fails only if rows stay unconfirmed. */
async function summaryOf(
  journal: Journal,
  ports: Ports<'io' | 'api' | 'store' | 'self'>,
): Promise<Result> {
  const { failure, ...result } = await conclude(journal, undefined, ports);
  await recordEnd(journal, undefined, ports);
  return summary(journal).counts.unknown > 0 ? { ...result, failure } : result;
}
