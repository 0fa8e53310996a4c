import type { Context } from '../context.ts';
import type { Claim, RunLedger } from '../ledger/run-ledger.ts';
import { locator, type RowPlace } from './check/locate.ts';
import type { EndedRun } from './ended-run.ts';
import { Gate } from './gate.ts';
import { readingOf } from './reconcile/run-reading.ts';
import type { Progress } from './report/progress.ts';
import { countedIn } from './report/words.ts';
import type { RunHeader } from './run-header.ts';
import { mostOf, type RunOptions } from './run-options.ts';
import { MAX_CONCURRENCY, Pace, RateLimit } from './send/pace.ts';
import { judgeRow } from './send/verdict.ts';
import { sendRun } from './send-run.ts';
import type { ImportTarget } from './targets/import-target.ts';

/** For the look-ups that run while rows are sent. */
const SPARE_CONNECTIONS = 4;

export interface RowsToSend {
  readonly ledger: RunLedger;
  readonly claim: Claim;
  readonly header: RunHeader;
  readonly target: ImportTarget;
  readonly options: RunOptions;
  readonly progress: Progress;
  /** How long commands had worked on the run before. */
  readonly workedMs: number;
  /** Where a row and its values stand in the source, if this command has read it. */
  placeOf?(row: number): RowPlace;
}

/** Sends the pending rows of an opened run to the service: of an import, or of a run that is resumed. */
export async function sendRows(rows: RowsToSend, ctx: Context): Promise<EndedRun> {
  const { ledger, claim, header, target, options, progress } = rows;
  const { placeOf = (row) => ({ row }) } = rows;
  const { clock, signal } = ctx;
  const { concurrency, rate, patienceMs, settleMs } = options;
  const { choices, planned } = header;
  const sender = await ctx.http().sender((concurrency ?? MAX_CONCURRENCY) + SPARE_CONNECTIONS);
  const gate = new Gate(clock, patienceMs);
  const { response } = target.create;
  const idField = response.kind === 'record' ? (response.created ?? 'id') : 'id';
  const names = { idField, keyField: target.keyField };
  const most = mostOf(choices.maxRejected, planned.rows);
  const locate = locator(header, header.source.format, target);
  const began = clock.monotonic();
  const { counts, ...sent } = await sendRun({
    ...{ ledger, claim, gate, clock, signal, settleMs },
    ...readingOf({ target, sender, gate, options, header }, ledger, claim.number, ctx),
    isListed: target.listing !== undefined,
    sendsEqual: choices.sendEqual,
    pace: new Pace(concurrency, new RateLimit(rate, clock.monotonic())),
    post: sender.poster(target.create),
    judge({ row, body }, outcome) {
      const { verdict, ...consequence } = judgeRow(body, outcome, names);
      const { state, reason } = verdict;
      const isRefused = state === 'rejected' && reason !== undefined;
      const said = isRefused ? { reason: locate(reason, placeOf(row)) } : {};
      return { ...consequence, verdict: { ...verdict, ...said } };
    },
    mostRejected: most === undefined ? undefined : Math.max(0, most - planned.rejected),
    onProgress: (snapshot) => progress.sending(snapshot, countedIn(header)),
    workedMs: () => Math.round(rows.workedMs + clock.monotonic() - began),
  });
  if (sent.stop === undefined) progress.finish();
  return { number: claim.number, header, rows: counts, ...sent };
}
