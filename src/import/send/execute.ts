import { ProcError, saidBy } from '../../core/errors.ts';
import type { Clock } from '../../core/ports.ts';
import type { Problem } from '../../core/problem/row-problem.ts';
import { importStops } from '../../messages/errors/import-errors.ts';
import type { Reconciler } from '../reconcile/reconciler.ts';
import { runClock } from '../run-clock.ts';
import { isJournalFailure } from '../store/ledger-failure.ts';
import type { Counts } from '../store/transitions.ts';
import { partsOf, type SendPorts } from './send-parts.ts';
import type { Sending, Stop } from './sending.ts';

export interface ProgressSnapshot {
  readonly counts: Counts;
  readonly perSecond: number;
  readonly concurrency: number;
  /** `ms` is the time left to wait. Without `why`, the run waits to look rows up. */
  readonly waiting: { readonly why?: Problem; readonly ms: number } | undefined;
}

export interface ExecutePorts extends SendPorts {
  onProgress(snapshot: ProgressSnapshot): void;
}

/** How often proc looks rows up while it sends, and how often it shows progress. */
const ROUND_MS = 500;

export async function execute(ports: ExecutePorts): Promise<Stop | undefined> {
  const { journal, signal } = ports;
  const clock = runClock(ports.clock, journal);
  const ended = new AbortController();
  const reads = AbortSignal.any([signal, ended.signal]);
  const { queue, gate, pace, sending, reconciler } = partsOf(ports, clock, reads);
  let lookUpAt: number | undefined;
  const show = () => {
    const wait = lookUpAt === undefined ? gate.closed() : { until: lookUpAt };
    ports.onProgress({
      counts: queue.counts,
      perSecond: sending.perSecond,
      concurrency: pace.limit,
      waiting: wait === undefined ? undefined : { ...wait, ms: wait.until - clock.now() },
    });
  };
  const showing = setInterval(show, ROUND_MS);
  const onAbort = () => {
    sending.stop({ kind: 'interrupted', why: saidBy(signal.reason), error: signal.reason });
    ended.abort();
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  try {
    for (;;) {
      const stop = await sendAndLookUp({ sending, reconciler, clock, reads, ended });
      if (stop !== undefined) return stop;
      const at = reconciler.nextAt();
      if (at === undefined) {
        // The last look-up may have found rows absent, and made them pending.
        if (queue.counts.pending === 0) return undefined;
        continue;
      }
      // At least 50 ms, to avoid a busy loop: after a look-up, a row can still be due.
      const until = Math.max(at, clock.now() + 50);
      lookUpAt = until;
      await clock.sleep(until - clock.now(), reads).catch(() => undefined);
      lookUpAt = undefined;
      if (sending.stopped === undefined) await guarded(sending, () => reconciler.lookUpAll());
    }
  } finally {
    clearInterval(showing);
    signal.removeEventListener('abort', onAbort);
    ended.abort();
    show();
  }
}

interface Working {
  readonly sending: Sending;
  readonly reconciler: Reconciler;
  readonly clock: Clock;
  /** Ends all look-ups. */
  readonly reads: AbortSignal;
  /** Aborts `reads`. */
  readonly ended: AbortController;
}

async function sendAndLookUp({
  sending,
  reconciler,
  clock,
  reads,
  ended,
}: Working): Promise<Stop | undefined> {
  const over = new AbortController();
  const rounds = (async () => {
    const either = AbortSignal.any([over.signal, reads]);
    while (!either.aborted) {
      await clock.sleep(ROUND_MS, either).catch(() => undefined);
      // Once responses got mixed up, look-ups must not overlap with other requests.
      if (!either.aborted && !sending.hasForeign) await guarded(sending, () => reconciler.round());
    }
  })();
  const stop = await sending.drain();
  over.abort();
  // The run stops, so no look-up may go on waiting for the service.
  if (stop !== undefined) ended.abort();
  await rounds;
  return stop;
}

/** A failed look-up stops the run. The rows stay unconfirmed until a resume. */
async function guarded(sending: Sending, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (thrown) {
    if (sending.stopped !== undefined) return;
    if (!(thrown instanceof ProcError)) throw thrown;
    const isJournal = isJournalFailure(thrown);
    const { message } = thrown.said;
    sending.stop({
      kind: isJournal ? 'journal' : 'refused',
      why: isJournal ? message : importStops.lookUpFailed(message),
      error: thrown,
    });
  }
}
