import type { Context, LocalPlan } from '../../../core/command.ts';
import { ProcError } from '../../../core/errors.ts';
import type { Result } from '../../../core/result.ts';
import { typedAgain } from '../../../core/text/typed.ts';
import { settleMsOf } from '../../import-flags.ts';
import { Journal } from '../../ledger/journal.ts';
import { lockImport } from '../../ledger/processes/import-lock.ts';
import { recordEnd } from '../../ledger/record-run.ts';
import type { Unconfirmed } from '../../ledger/rows/unconfirmed-rows.ts';
import { summary } from '../../ledger/run-summary.ts';
import { findRun, importsFolder, journalPath } from '../../ledger/runs.ts';
import { lookAgain, noteSent } from '../../ledger/sent/sent-before.ts';
import { resumeCommand } from '../../report/next-command.ts';
import { conclude } from '../../send/send-run.ts';
import type { ImportTarget } from '../../targets/import-target.ts';
import { checkAdoption } from './adoption.ts';
import { askUntilItFits } from './ask-outcome.ts';
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
import { chosen, nobodyToAsk } from './unconfirmed.ts';

/**
 * Records the outcome of unconfirmed rows: created with an id, to be sent again, or given up. Without
 * a decision, a person is asked row by row. Sends nothing itself: `imports resume` does.
 *
 * @param typed rows by number or code; none for all unconfirmed rows
 * @throws ProcError `invalid_usage`, `confirmation_required`, `reference_not_found`, `incomplete`
 */
export async function planResolve(
  targets: readonly ImportTarget[],
  typedRun: string,
  typed: readonly string[],
  flags: ResolveFlags,
  ctx: Context,
): Promise<LocalPlan> {
  const given = decisionOf(flags);
  if (flags.all && typed.length > 0) {
    throw new ProcError('invalid_usage', '--all and the name of a row exclude each other', {
      hint: `Leave --all out: ${typedAgain(
        ctx.typed.filter((word) => word !== '--all'),
        [],
      )}`,
    });
  }
  const folder = importsFolder(ctx.env);
  const path = journalPath(folder, findRun(folder, typedRun));
  const peek = Journal.open(path, true);
  const { header } = peek;
  peek.close();
  const target = targets.find(({ noun }) => noun === header.noun);
  if (target === undefined) {
    throw new ProcError(
      'invalid_usage',
      `${header.run} imports ${header.noun}, which this version cannot`,
    );
  }
  return {
    would: () => previewResolve({ folder, path, target, header, typed, given }, flags, ctx),
    apply: () => resolveRows({ folder, path, target, header, typed, given }, flags, ctx),
  };
}

async function resolveRows(
  { folder, path, target, header, typed, given }: Resolving,
  flags: ResolveFlags,
  ctx: Context,
): Promise<Result> {
  const { clock, signal } = ctx;
  const { run, noun, baseUrl, organization } = header;
  const isWhole = typed.length === 0 && given !== undefined && given.kind !== 'adopt';
  if (isWhole) refuseUnconfirmable(flags, given.kind, ctx);
  const lock = await lockImport(
    { folder, noun, baseUrl, organization },
    { clock, signal, waitMs: flags.waitLock ?? 0, run },
  );
  let journal: Journal | undefined;
  try {
    journal = Journal.open(path);
    const asked = chosen(journal.unconfirmed.all(), typed, run);
    if (target.listing === undefined) await lookAgain(journal, target.create, ctx);
    const open = new Set(journal.unconfirmed.all().map(({ row }) => row));
    const rows = asked.filter(({ row }) => open.has(row));
    if (rows.length === 0) return await told(journal, ctx);
    checkDecision(given, rows, header, target);
    if (given === undefined && !ctx.terminal.interactive) throw nobodyToAsk(run, rows);
    if (isWhole) await confirmAll(rows.length, given.kind, run, ctx);
    const settleMs = settleMsOf(flags, ctx.globals.timeoutMs);
    const record = (some: readonly Unconfirmed[], decision: Decision) =>
      recordDecision(journal!, target, some, decision, ctx);
    if (given === undefined) {
      for (const row of rows) {
        const decision = await askUntilItFits(journal, target, row, settleMs, ctx);
        if (decision !== undefined) await record([row], decision);
      }
    } else if (given.kind === 'resend') {
      const { resent, adopted } = await decideResend(journal, target, rows, settleMs, ctx);
      for (const { row, id } of adopted) await record([row], { kind: 'adopt', id });
      if (resent.length > 0) await record(resent, given);
    } else {
      if (given.kind === 'adopt') await checkAdoption(journal, target, rows[0]!, given.id, ctx);
      await record(rows, given);
    }
    if (journal.counts().pending > 0) {
      // A row that was unconfirmed because of another run was never sent by this one so far.
      if (target.listing === undefined) await noteSent(journal, ctx);
      ctx.say({
        kind: 'notice',
        text: `to send these rows again, run: ${resumeCommand(journal, ctx)}`,
      });
    }
    return await told(journal, ctx);
  } finally {
    journal?.close();
    lock.release();
  }
}

/** What a person said is written: only rows that stay unconfirmed are no success. */
async function told(journal: Journal, ctx: Context): Promise<Result> {
  const { failure, ...result } = conclude(journal, undefined, ctx);
  await recordEnd(journal, undefined, ctx);
  return summary(journal).counts.unknown > 0 ? { ...result, failure } : result;
}
