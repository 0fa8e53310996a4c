import { afterSending } from '../client/response/not-sent.ts';
import { messageOf, ProcError } from '../core/errors.ts';
import type { Clock, Ports } from '../core/ports.ts';
import type { Sender } from '../core/service/sender.ts';
import { someOf } from '../core/text/listed.ts';
import { Listing } from '../listing/listing.ts';
import { patientReader } from '../listing/patient-reader.ts';
import { Search } from '../listing/search.ts';
import { locator } from './map/locate.ts';
import type { OpenRun, Stop } from './open-run.ts';
import { isPhaseChanged } from './phases.ts';
import { probeList, senderFor } from './plan/catalogue/open-listing.ts';
import { rejectedLimit } from './plan/import-plan.ts';
import { Reconciler } from './reconcile/reconciler.ts';
import { countedIn, countIn } from './report/words.ts';
import { runClock } from './run-clock.ts';
import type { RunOptions } from './run-options.ts';
import { ChangedCodes } from './send/changed-codes.ts';
import { Gate } from './send/gate.ts';
import { MAX_CONCURRENCY, Pace, RateLimit } from './send/pace.ts';
import { ResponseMatcher } from './send/response-matcher.ts';
import { Sending } from './send/sending.ts';
import { countedQuestion, countedReads, Wire } from './send/wire.ts';
import type { ProgressSnapshot } from './send-run.ts';
import { createdByOthers, noteKnownIds } from './store/known-records.ts';
import { isRunFailure, runFailure } from './store/ledger-failure.ts';
import type { Run } from './store/run-file.ts';
import type { ImportTarget } from './targets/import-target.ts';

/** At most this many rows are named in a warning. */
const NAMED = 3;

/** For the look-ups that run while rows are sent. */
const SPARE_CONNECTIONS = 4;

/**
 * @returns why the run stopped early; undefined if it is complete
 */
export async function sendRows(
  { run, target, options, progress }: OpenRun,
  ports: Ports<'io' | 'api' | 'store' | 'self'>,
): Promise<Stop | undefined> {
  const { clock, signal } = ports.self;

  const connections = (options.concurrency ?? MAX_CONCURRENCY) + SPARE_CONNECTIONS;
  const sender = await senderFor(target, run, ports, connections);
  const relearn = async () => {
    if (run.get('learned') !== undefined) return undefined;
    const { learned } = await probeList(target, ports, progress);
    if (learned === undefined) return undefined;
    run.note({ learned });
    return senderFor(target, run, ports, SPARE_CONNECTIONS);
  };
  await noteKnownIds(run, target, ports);
  const alteredRows: string[] = [];
  let altered = 0;
  const before = run.get('workedMs') ?? 0;
  const began = clock.monotonic();
  const stop = await execute({
    run,
    target,
    sender,
    clock,
    signal,
    options,
    relearn,
    createdByOthers: (ids) => createdByOthers(ids, run, target, ports),
    onAltered(row, what) {
      altered++;
      if (alteredRows.length < NAMED) alteredRows.push(`row ${row}: ${what}`);
    },
    onProgress: (snapshot) => progress.sending(snapshot, countedIn(run.header)),
  });
  if (stop === undefined) progress.finish();
  if (altered > 0) {
    const some = someOf(alteredRows, altered, '; ');
    const text = `the service stored other values than proc sent in ${countIn(run.header, altered)}: ${some}`;
    ports.io.say({ kind: 'warning', text });
  }
  if (stop?.kind === 'journal') {
    withdrawUnsent(run);
    return stop;
  }
  const workedMs = before + Math.round(clock.monotonic() - began);
  try {
    if (stop === undefined) await run.advance('end', { workedMs, finishedAt: clock.now() });
    else run.note({ workedMs });
    return stop;
  } catch (thrown) {
    return stop ?? runStop(run, thrown);
  }
}

/**
 * Rows whose requests have not left become pending again. The summary must not count them as sent.
 */
function withdrawUnsent(run: Run): void {
  try {
    run.interrupt(true);
  } catch {
    // The disk may still be full. A resume makes these rows pending.
  }
}

/**
 * The stop of a run that this process can no longer write. A resume completes the run.
 *
 * @throws any other error
 */
export function runStop({ path }: Run, thrown: unknown): Stop {
  const error = runFailure(path, thrown);
  if (!isRunFailure(error) && !isPhaseChanged(error)) throw error;
  return { kind: 'journal', why: error.message, error };
}

export interface SentRun {
  readonly run: Run;
  readonly target: ImportTarget;
  readonly sender: Sender;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly options: Pick<RunOptions, 'concurrency' | 'rate' | 'patienceMs' | 'settleMs'>;
  /**
   * Detects the names of the list parameters, and returns a sender that uses them. Undefined if it
   * detects nothing new.
   */
  relearn(): Promise<Sender | undefined>;
  createdByOthers(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Called if the service stored other values than were sent, as `altered` says. */
  onAltered(row: number, altered: string): void;
  onProgress(snapshot: ProgressSnapshot): void;
}

/** How often proc looks rows up while it sends, and how often it shows progress. */
const ROUND_MS = 500;

export async function execute(run: SentRun): Promise<Stop | undefined> {
  const { signal } = run;
  const parts = partsOf(run);
  const { queue, gate, pace, sending, reconciler, clock, reads, ended } = parts;
  let lookUpAt: number | undefined;
  const show = () => {
    const wait = lookUpAt === undefined ? gate.closed() : { until: lookUpAt };
    run.onProgress({
      counts: queue.counts,
      perSecond: pace.perSecond,
      concurrency: pace.limit,
      waiting: wait === undefined ? undefined : { ...wait, ms: wait.until - clock.now() },
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
      const stop = await sendAndLookUp(parts);
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

async function sendAndLookUp({
  sending,
  reconciler,
  clock,
  reads,
  ended,
}: Parts): Promise<Stop | undefined> {
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
    const isOfFile = isRunFailure(thrown) || isPhaseChanged(thrown);
    const { message } = thrown;
    sending.stop({
      kind: isOfFile ? 'journal' : 'refused',
      why: isOfFile ? message : `a look-up failed: ${afterSending(message)}`,
      error: thrown,
    });
  }
}

type Parts = ReturnType<typeof partsOf>;

/**
 * `sending` passes each response to its `Proofs`, which ask the matcher and the wire. The
 * reconciler looks up the rows that remain unproved.
 */
function partsOf({ run, target, sender, options, ...parts }: SentRun) {
  const clock = runClock(parts.clock, run);
  const ended = new AbortController();
  /** Ends all look-ups. */
  const reads = AbortSignal.any([parts.signal, ended.signal]);
  const { choices, source } = run.header;
  const locate = locator(run.header, source.format, target);
  const gate = new Gate(clock, options.patienceMs);
  const pace = new Pace(options.concurrency, new RateLimit(options.rate, clock.now()));
  const queue = run.sendQueue(target.listing !== undefined);
  const { response } = target.create;
  const idField = response.kind === 'record' ? (response.created ?? 'id') : 'id';
  const codes = new ChangedCodes(run, queue);
  const matcher = new ResponseMatcher({
    hasRow: (code) => queue.hasRow(code),
    keyField: target.keyField,
    changes: codes.changes,
    onChanged: (sent, stored) => {
      const isNew = codes.note(sent, stored);
      const met = codes.metBy(sent, stored);
      if (isNew || met !== undefined) sending.compareChanged(met);
    },
    onBroken: () => {
      if (run.get('codesAltered') !== true) run.set('codesAltered', true);
    },
  });
  const list = target.listing?.endpoint;
  const wire = new Wire();
  const sending = new Sending({
    queue,
    gate,
    pace,
    clock,
    mostRejected: rejectedLimit(choices.maxRejected, run.counts()),
    send: sender.poster(target.create),
    isListed: list !== undefined,
    canLookUp: list !== undefined && run.get('baseline') !== 'unproved',
    onAltered: parts.onAltered,
    isChanged: run.get('codesChanged') !== undefined,
    compareCodes: () => codes.compare(() => new Search(listingOf(sender))),
    proofs: {
      matcher,
      wire,
      idField,
      keyField: target.keyField,
      locate: (row, problem) => locate(problem, run.rows.planned.rowPlace(row)),
      onUnlike: (why) => run.set('codesUnlike', why),
      // A code that occurs twice proves nothing, and without a list nothing can be looked up.
      isAlwaysAlone: list === undefined || choices.onDuplicate === 'all',
      ask: list === undefined ? undefined : countedQuestion(sender, wire, list),
    },
  });
  const listingOf = (from: Sender): Listing =>
    new Listing(target, {
      target: from.target,
      read: patientReader(
        countedReads(from, wire, () => sending.noteForeign()),
        {
          clock,
          signal: reads,
          // As for creates, only the patience decides when to give up.
          retries: Number.POSITIVE_INFINITY,
          patienceMs: options.patienceMs,
          onWait: (ms, why) => gate.close(ms, why),
        },
      ),
      takesSort: run.get('learned')?.takesSort,
    });
  const reconciler = new Reconciler({
    run,
    listing: list === undefined ? undefined : listingOf(sender),
    clock,
    baseline: run.get('baseline') ?? 'unproved',
    settleMs: options.settleMs,
    agesFrom: clock.since,
    keyField: target.keyField,
    nameField: target.listing?.nameField,
    isOneByOne: () => sending.hasForeign,
    record: (rows) => sending.record(rows),
    relearn: async () => {
      const learned = await parts.relearn();
      return learned === undefined ? undefined : listingOf(learned);
    },
    createdByOthers: parts.createdByOthers,
  });
  return { queue, gate, pace, sending, reconciler, clock, reads, ended };
}
