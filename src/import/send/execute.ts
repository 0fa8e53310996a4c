import { messageOf, ProcError } from '../../core/errors.ts';
import type { Clock } from '../../core/ports.ts';
import type { Sender } from '../../core/service/sender.ts';
import { Listing } from '../../listing/listing.ts';
import { patientReader } from '../../listing/patient-reader.ts';
import type { Journal } from '../ledger/journal.ts';
import type { Counts } from '../ledger/rows/states.ts';
import { Settler } from '../reconcile/settler.ts';
import type { ImportTarget } from '../targets/import-target.ts';
import { Echoes } from './echoes.ts';
import { Gate } from './gate.ts';
import { Leave, Pace, Rate } from './pace.ts';
import { runClock } from './run-clock.ts';
import { countedQuestion, countedReads } from './run-reads.ts';
import { Sending, type Stop } from './sending.ts';
import { Wire } from './wire.ts';

/** How fast, and how patiently. May be given anew when a run is resumed. */
export interface SendOptions {
  /** Undefined adapts it. */
  readonly concurrency: number | undefined;
  /** Requests per second at most. */
  readonly rate: number | undefined;
  readonly patienceMs: number;
  readonly settleMs: number;
}

/** What is going on, for people who watch. */
export interface Glance {
  readonly counts: Counts;
  readonly perSecond: number;
  readonly concurrency: number;
  /** What the run waits for, and for how much longer. */
  readonly waiting: { readonly why: string; readonly ms: number } | undefined;
}

export interface ExecutePorts {
  readonly journal: Journal;
  readonly target: ImportTarget;
  readonly sender: Sender;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly options: SendOptions;
  onGlance(glance: Glance): void;
}

/** How often look-ups go on beside the sending, and progress is shown. */
const ROUND_MS = 500;

/**
 * Sends every pending row and settles every row in doubt, until nothing is left to do or the run has
 * to stop. The journal tells afterwards what became of each row.
 *
 * @returns why it stopped before its end; undefined at the end
 */
export async function execute(ports: ExecutePorts): Promise<Stop | undefined> {
  const { journal, target, sender, signal, options } = ports;
  const clock = runClock(ports.clock, journal);
  const { failFast, maxErrors } = journal.header.choices;
  const gate = new Gate(clock, options.patienceMs);
  const pace = new Pace(options.concurrency);
  const queue = journal.sendQueue();
  const ended = new AbortController();
  const reads = AbortSignal.any([signal, ended.signal]);
  let waiting: ReturnType<Gate['closed']>;
  const { response } = target.create;
  const idField = response.kind === 'record' ? (response.created ?? 'id') : 'id';
  const echoes = new Echoes(
    { id: idField, key: target.keyField },
    {
      hasRow: (code) => queue.hasRow(code),
      onAltered: () => {
        if (journal.get('codesAltered') !== true) journal.set('codesAltered', true);
      },
    },
  );
  const list = target.listing?.endpoint;
  const wire = new Wire(options.settleMs, clock.now());
  const sending = new Sending({
    queue,
    gate,
    pace,
    clock,
    leave: new Leave(
      options.rate === undefined ? undefined : new Rate(options.rate, clock.now()),
      pace.found,
    ),
    mostErrors: failFast ? 0 : maxErrors,
    send: sender.poster(target.create),
    proofs: {
      echoes,
      wire,
      isCrossed: journal.get('answersSwapped') === true,
      idField,
      // Codes that come twice prove nothing; what cannot be listed cannot be looked up.
      isAlwaysAlone: list === undefined || journal.header.choices.onDuplicate === 'all',
      ask: list === undefined ? undefined : countedQuestion(sender, wire, clock, list),
    },
  });
  const reader = countedReads(sender, wire, clock, () => sending.cross());
  const listing =
    target.listing === undefined
      ? undefined
      : new Listing(target, {
          target: sender.target,
          read: patientReader(reader, {
            clock,
            signal: reads,
            // As with creates, patience alone decides when to give up.
            retries: Number.POSITIVE_INFINITY,
            patienceMs: options.patienceMs,
            onWait: (ms, why) => gate.close(ms, why),
          }),
          takesSort: journal.get('learned')?.takesSort,
        });
  const settler = new Settler({
    journal,
    listing,
    clock,
    baseline: journal.get('baseline') ?? 'unproved',
    settleMs: options.settleMs,
    agesFrom: clock.since,
    keyField: target.keyField,
    isCrossed: () => sending.isCrossed,
    settle: (rows) => sending.settle(rows),
  });
  const glance = () => {
    const wait = waiting ?? gate.closed();
    ports.onGlance({
      counts: queue.counts,
      perSecond: sending.perSecond,
      concurrency: pace.limit,
      waiting: wait === undefined ? undefined : { why: wait.why, ms: wait.until - clock.now() },
    });
  };
  const showing = setInterval(glance, ROUND_MS);
  const onAbort = () => {
    sending.stop({ kind: 'interrupted', why: messageOf(signal.reason), error: signal.reason });
    ended.abort();
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  try {
    for (;;) {
      const stop = await beside(sending, settler, clock, reads, ended);
      if (stop !== undefined) return stop;
      const at = settler.nextAt();
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
      if (sending.stopped === undefined) await guarded(sending, () => settler.drained());
    }
  } finally {
    clearInterval(showing);
    signal.removeEventListener('abort', onAbort);
    ended.abort();
    glance();
  }
}

/** Sends until nothing is pending, with look-ups going on beside it. */
async function beside(
  sending: Sending,
  settler: Settler,
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
      if (!either.aborted && !sending.isCrossed) await guarded(sending, () => settler.round());
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
