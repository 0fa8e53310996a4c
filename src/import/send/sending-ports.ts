import type { Context } from '../../context.ts';
import type { Sender } from '../../core/service/sender.ts';
import { locator, type RowPlace } from '../check/locate.ts';
import { Gate } from '../gate.ts';
import type { Progress } from '../report/progress.ts';
import { countedIn } from '../report/words.ts';
import type { RunHeader } from '../run-header.ts';
import type { RunOptions } from '../run-options.ts';
import { mostOf } from '../run-options.ts';
import type { SendRunPorts } from '../send-run.ts';
import type { ImportTarget } from '../targets/import-target.ts';
import { MAX_CONCURRENCY, Pace, RateLimit } from './pace.ts';
import { judgeRow } from './verdict.ts';

/** For the look-ups that run while rows are sent. */
const SPARE_CONNECTIONS = 4;

export interface SentWith {
  readonly target: ImportTarget;
  readonly options: RunOptions;
  readonly progress: Progress;
  readonly header: RunHeader;
  /** Where a row and its values stand in the source, if this command has read it. */
  placeOf?(row: number): RowPlace;
  /** How long commands had worked on the run before this one began to send. */
  readonly workedMs: number;
}

/** What an import and a resume need to send rows. */
export async function sendingPorts(
  { target, options, progress, header, workedMs, placeOf = (row) => ({ row }) }: SentWith,
  ctx: Context,
): Promise<{
  readonly sender: Sender;
  readonly gate: Gate;
  readonly ctx: Pick<
    SendRunPorts,
    | 'gate'
    | 'pace'
    | 'clock'
    | 'signal'
    | 'post'
    | 'judge'
    | 'mostRejected'
    | 'settleMs'
    | 'onProgress'
    | 'workedMs'
  >;
}> {
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
  return {
    sender,
    gate,
    ctx: {
      ...{ gate, clock, signal, settleMs },
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
      workedMs: () => Math.round(workedMs + clock.monotonic() - began),
    },
  };
}
