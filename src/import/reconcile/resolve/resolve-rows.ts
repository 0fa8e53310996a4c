import type { LocalPlan } from '../../../core/command.ts';
import type { Ports } from '../../../core/ports.ts';
import type { Result } from '../../../core/result.ts';
import type { Unconfirmed } from '../../ledger/rows/unconfirmed-rows.ts';
import { updateFromOtherRuns } from '../../ledger/sent/sent-before.ts';
import { whichRun } from '../../resume/which-run.ts';
import { settleMsOf } from '../../run-options.ts';
import type { ImportTarget } from '../../targets/import-target.ts';
import { checkAdoption } from './adoption.ts';
import { askOutcome } from './ask-outcome.ts';
import {
  checkDecision,
  checkFlags,
  confirmAll,
  type Decision,
  decisionOf,
  type ResolveFlags,
  refuseUnconfirmable,
} from './decision.ts';
import { previewResolve } from './preview-decision.ts';
import { recordDecisions } from './record-decision.ts';
import { decideResend } from './resend.ts';
import { previewFromFile, resolveFromFile } from './resolve-from-file.ts';
import { type Resolving, resolveRun, sayHowToResend } from './resolve-run.ts';
import { chosen, decisionMissing } from './unconfirmed.ts';

/**
 * Records the outcome of unconfirmed rows: created with an id, to be sent again, or dropped.
 * Without a decision, proc asks row by row. Sends nothing: `imports resume` sends the rows.
 *
 * @param typed numbers or codes of rows; empty for all unconfirmed rows
 * @throws ProcError `invalid_usage`, `confirmation_required`, `reference_not_found`, `incomplete`
 */
export async function planResolve(
  targets: readonly ImportTarget[],
  typedRun: string,
  typed: readonly string[],
  flags: ResolveFlags,
  ports: Ports<'io' | 'api' | 'ask' | 'store' | 'self'>,
): Promise<LocalPlan> {
  checkFlags(flags, typed, ports.self.typed);
  const given = decisionOf(flags);
  const resolving = { ...whichRun(targets, typedRun, ports), typed, given };
  const { from } = flags;
  if (from !== undefined) {
    return {
      would: () => previewFromFile(resolving, from, flags, ports),
      apply: () => resolveFromFile(resolving, from, flags, ports),
    };
  }
  return {
    would: () => previewResolve(resolving, flags, ports),
    apply: () => resolveRows(resolving, flags, ports),
  };
}

async function resolveRows(
  resolving: Resolving,
  flags: ResolveFlags,
  ports: Ports<'io' | 'api' | 'ask' | 'store' | 'self'>,
): Promise<Result> {
  const { target, header, typed, given } = resolving;
  const { run } = header;
  const isWhole = typed.length === 0 && given !== undefined && given.kind !== 'adopt';
  if (isWhole) refuseUnconfirmable(flags, given.kind, ports);
  return resolveRun(resolving, flags, ports, async (journal) => {
    const asked = chosen(journal.unconfirmed.all(), typed, run);
    if (target.listing === undefined) await updateFromOtherRuns(journal, target.create, ports);
    const open = new Set(journal.unconfirmed.all().map(({ row }) => row));
    const rows = asked.filter(({ row }) => open.has(row));
    if (rows.length === 0) return;
    checkDecision(given, rows, header, target);
    if (given === undefined && !ports.io.terminal.interactive) throw decisionMissing(header, rows);
    if (isWhole) await confirmAll(rows.length, given.kind, run, ports);
    const settleMs = await settleMsOf(flags, ports);
    const record = (some: readonly Unconfirmed[], decision: Decision) => {
      const decided = some.map((row) => ({ row, decision }));
      return recordDecisions(journal, target, decided, ports);
    };
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
    sayHowToResend(journal, ports);
  });
}
