import { messageOf, ProcError } from '../../core/errors.ts';
import type { Clock } from '../../core/ports.ts';
import type { Counts } from '../ledger/rows/states.ts';
import type { Reconciler } from '../reconcile/reconciler.ts';
import type { Gate } from './gate.ts';
import { runClock } from './run-clock.ts';
import { partsOf, type SendPorts } from './send-parts.ts';
import type { Sending, Stop } from './sending.ts';

/** What is going on, for people who watch. */
export interface ProgressSnapshot {
  readonly counts: Counts;
  readonly perSecond: number;
  readonly concurrency: number;
  /** What the run waits for, and for how much longer. */
  readonly waiting: { readonly why: string; readonly ms: number } | undefined;
}

export interface ExecutePorts extends SendPorts {
  onProgress(snapshot: ProgressSnapshot): void;
}

/** How often look-ups go on beside the sending, and progress is shown. */
const ROUND_MS = 500;

/**
 * Sends every pending row and reconciles every unconfirmed one, until nothing is left to do or the run
 * has to stop. The journal tells afterwards what became of each row.
 *
 * @returns why it stopped before its end; undefined at the end
 */
export async function execute(ports: ExecutePorts): Promise<Stop | undefined> {
  const { journal, signal } = ports;
  const clock = runClock(ports.clock, journal);
  const ended = new AbortController();
  const reads = AbortSignal.any([signal, ended.signal]);
  const { queue, gate, pace, sending, reconciler } = partsOf(ports, clock, reads);
  let waiting: ReturnType<Gate['closed']>;
  const show = () => {
    const wait = waiting ?? gate.closed();
    ports.onProgress({
      counts: queue.counts,
      perSecond: sending.perSecond,
      concurrency: pace.limit,
      waiting: wait === undefined ? undefined : { why: wait.why, ms: wait.until - clock.now() },
    });
  };
  const showing = setInterval(show, ROUND_MS);
  const onAbort = () => {
    sending.stop({ kind: 'interrupted', why: messageOf(signal.reason), error: signal.reason });
    ended.abort();
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  try {
    for (;;) {
      const stop = await beside(sending, reconciler, clock, reads, ended);
      if (stop !== undefined) return stop;
      const at = reconciler.nextAt();
      if (at === undefined) {
        // The last look-up may have ended after the last request: what it found absent is to be sent.
        if (queue.counts.pending === 0) return undefined;
        continue;
      }
      // At least a moment, so that rows which have to wait for others are not asked for in a circle.
      const until = Math.max(at, clock.now() + 50);
      waiting = { why: 'the outcome of some rows is not known yet', until };
      await clock.sleep(until - clock.now(), reads).catch(() => undefined);
      waiting = undefined;
      if (sending.stopped === undefined) await guarded(sending, () => reconciler.drained());
    }
  } finally {
    clearInterval(showing);
    signal.removeEventListener('abort', onAbort);
    ended.abort();
    show();
  }
}

/** Sends until nothing is pending, with look-ups going on beside it. */
async function beside(
  sending: Sending,
  reconciler: Reconciler,
  clock: Clock,
  signal: AbortSignal,
  ended: AbortController,
): Promise<Stop | undefined> {
  const over = new AbortController();
  const rounds = (async () => {
    const either = AbortSignal.any([over.signal, signal]);
    while (!either.aborted) {
      await clock.sleep(ROUND_MS, either).catch(() => undefined);
      // Where answers are swapped, nothing else is under way while rows are looked up.
      if (!either.aborted && !sending.isCrossed) await guarded(sending, () => reconciler.round());
    }
  })();
  const stop = await sending.drain();
  over.abort();
  // A look-up that waits for the service would hold up a run that has given it up.
  if (stop !== undefined) ended.abort();
  await rounds;
  return stop;
}

/** A look-up that fails for good stops the run: its rows stay in doubt, and can be resumed. */
async function guarded(sending: Sending, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (thrown) {
    if (sending.stopped !== undefined) return;
    if (!(thrown instanceof ProcError)) throw thrown;
    const isJournal = thrown.code === 'state_unwritable';
    // What was not sent is the look-up; of the rows that would say the wrong thing.
    const why = `a look-up failed: ${thrown.message.replace(/; nothing was sent$/, '')}`;
    sending.stop({
      kind: isJournal ? 'journal' : 'refused',
      why: isJournal ? thrown.message : why,
      error: thrown,
    });
  }
}
