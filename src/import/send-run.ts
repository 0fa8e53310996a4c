import type { Context } from '../context.ts';
import { idFieldOf } from '../core/endpoint.ts';
import { messageOf, ProcError } from '../core/errors.ts';
import type { Claim, RunLedger } from '../ledger/run-ledger.ts';
import { SeenKeys } from '../listing/list-pages.ts';
import { locator, type RowPlace } from './check/locate.ts';
import type { EndedRun, Findings, Stop } from './ended-run.ts';
import { Gate } from './gate.ts';
import { LookUps, type LookUpsPorts } from './reconcile/look-ups.ts';
import { type RunReading, readingOf } from './reconcile/run-reading.ts';
import type { Progress, ProgressSnapshot } from './report/progress.ts';
import { countedIn } from './report/words.ts';
import type { RunHeader } from './run-header.ts';
import { mostOf, type RunOptions } from './run-options.ts';
import { MAX_CONCURRENCY, Pace, RateLimit } from './send/pace.ts';
import { RowSender, type RowSenderPorts } from './send/row-sender.ts';
import { judgeRow } from './send/verdict.ts';
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
  const names = { idField: idFieldOf(target.create), keyField: target.keyField };
  const most = mostOf(choices.maxRejected, planned.rows);
  const locate = locator(header, header.source.format, target);
  const began = clock.monotonic();
  const sent = await sendRun({
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
  return { number: claim.number, header, ...sent };
}

interface SendRunPorts
  extends Omit<RowSenderPorts, 'onUnconfirmed' | 'counts' | 'ids'>,
    Pick<LookUpsPorts, 'settleMs'>,
    RunReading {
  readonly signal: AbortSignal;
  onProgress(snapshot: ProgressSnapshot): void;
  /** How long commands have worked on the run so far. */
  workedMs(): number;
}

type SentRun = Omit<EndedRun, 'number' | 'header'>;

/** How often rows are looked up while others are sent, and progress is shown. */
const ROUND_MS = 500;
/** How often the next pending row is searched for. */
const WATCH_MS = 5_000;

/** Sends the pending rows of an opened run, looks up those that are unconfirmed, verifies and ends it. */
async function sendRun(ports: SendRunPorts): Promise<SentRun> {
  const { ledger, claim, clock, signal, isListed } = ports;
  const { number } = claim;
  const counts = await ledger.counts(number);
  const ids = await idsOf(ports, counts.created ?? 0);
  // Nothing in a list shows which record is that of a row without a code.
  const isLookedUp = isListed && !(await ledger.hasKeyless(number));
  if (!isLookedUp) ports.pace.keepSmall();
  const sender: RowSender = new RowSender({
    ...ports,
    ...{ counts, ids },
    isListed: isLookedUp,
    onUnconfirmed: (row, isOwn) => lookUps.note(row, isOwn),
  });
  const lookUps = new LookUps({
    ...ports,
    ids,
    claim: () => sender.claim,
    onFound: (row, id) => sender.noteFound(row, id),
  });
  for (const row of await ledger.unconfirmed(number)) lookUps.note(row, false);
  const onAbort = () =>
    sender.stop({ kind: 'interrupted', why: messageOf(signal.reason), error: signal.reason });
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  const show = () => ports.onProgress(snapshotOf(ports, sender, lookUps));
  const showing = setInterval(show, ROUND_MS);
  try {
    let stop = await sendAndLookUp(ports, sender, lookUps);
    while (stop === undefined && isListed && !(sender.isDrained && lookUps.nextAt === undefined)) {
      const waitMs = (lookUps.nextAt ?? 0) - clock.monotonic();
      if (sender.isDrained) await clock.sleep(Math.max(0, waitMs), signal).catch(() => undefined);
      await round(sender, lookUps, sender.isDrained);
      stop = sender.stopped ?? (await sendAndLookUp(ports, sender, lookUps));
    }
    show();
    // No answer is awaited any more, and verifying remembers as many.
    ids.clear();
    return await end(ports, sender, stop);
  } finally {
    clearInterval(showing);
    signal.removeEventListener('abort', onAbort);
  }
}

async function end(
  { ledger, clock, signal, isListed, verify, workedMs }: SendRunPorts,
  sender: RowSender,
  stopped: Stop | undefined,
): Promise<SentRun> {
  const { claim, storedAs } = sender;
  let stop = stopped;
  let findings: Findings = { storedAs, workedMs: workedMs() };
  const counts = await ledger.counts(claim.number).catch(() => sender.counts);
  let ended: typeof counts | undefined;
  try {
    if (stop === undefined) {
      findings = isListed
        ? await verify(counts.created ?? 0).catch(unverified)
        : { verified: null };
      if (signal.aborted) throw signal.reason;
      findings = { ...findings, workedMs: workedMs() };
      ended = await ledger.end(claim, findings, clock.now());
      if (ended === undefined) findings = { ...findings, isUndecided: true };
    }
    if (ended === undefined && stop?.kind !== 'ledger') await ledger.note(claim, findings);
  } catch (thrown) {
    if (!(thrown instanceof ProcError)) throw thrown;
    const kind = signal.aborted ? 'interrupted' : 'ledger';
    stop ??= { kind, why: thrown.message, error: thrown };
  }
  return { stop, rows: ended ?? counts, hasEnded: ended !== undefined, findings };
}

function unverified(thrown: unknown): Findings {
  if (!(thrown instanceof ProcError)) throw thrown;
  return { verified: false, unread: thrown.message };
}

async function idsOf({ ledger, claim }: SendRunPorts, created: number): Promise<SeenKeys> {
  const ids = new SeenKeys();
  if (created > 0)
    for await (const rows of ledger.created(claim.number))
      for (const { id } of rows) if (id !== null) ids.add(id);
  return ids;
}

function snapshotOf(
  { gate, pace, clock }: SendRunPorts,
  sender: RowSender,
  lookUps: LookUps,
): ProgressSnapshot {
  const closed = gate.closed();
  const isLookingUp = sender.isDrained && lookUps.nextAt !== undefined;
  const waiting =
    closed !== undefined
      ? { why: closed.why, ms: closed.until - clock.monotonic() }
      : isLookingUp
        ? { ms: lookUps.nextAt - clock.monotonic() }
        : undefined;
  return { counts: sender.counts, perSecond: pace.perSecond, concurrency: pace.limit, waiting };
}

async function sendAndLookUp(
  ports: SendRunPorts,
  sender: RowSender,
  lookUps: LookUps,
): Promise<Stop | undefined> {
  const { clock, isListed } = ports;
  const over = new AbortController();
  let watchAt = clock.monotonic() + WATCH_MS;
  const rounds = async () => {
    while (!over.signal.aborted) {
      await clock.sleep(ROUND_MS, over.signal).catch(() => undefined);
      if (over.signal.aborted) return;
      await round(sender, lookUps, false);
      if (clock.monotonic() < watchAt) continue;
      await guarded(sender, () => watch(ports, sender));
      watchAt = clock.monotonic() + WATCH_MS;
    }
  };
  const looking = isListed ? rounds() : undefined;
  const stop = await sender.drain();
  over.abort();
  await looking;
  return stop ?? sender.stopped;
}

async function round(sender: RowSender, lookUps: LookUps, isQuiet: boolean): Promise<void> {
  await guarded(sender, async () => {
    const isOurs = await lookUps.round(isQuiet);
    if (!isOurs) sender.stop({ kind: 'ledger', why: 'another command continues this run' });
  });
}

/** A failed look-up stops the run. The rows stay unconfirmed until a resume. */
async function guarded(sender: RowSender, work: () => Promise<void>): Promise<void> {
  if (sender.stopped !== undefined) return;
  try {
    await work();
  } catch (thrown) {
    if (!(thrown instanceof ProcError)) throw thrown;
    sender.stop({
      kind: 'refused',
      why: `rows could not be looked up: ${thrown.message}`,
      error: thrown,
    });
  }
}

/** Somebody else may create the same codes at the same time. */
async function watch({ ledger, claim, search }: SendRunPorts, sender: RowSender): Promise<void> {
  const row = await ledger.nextKeyed(claim.number, sender.after);
  if (row === undefined) return;
  const ids = await search(row);
  // It may have been sent meanwhile. Then one of the records is its own, and while it is being sent nobody knows.
  const own = await ledger.stateOf(claim.number, row.row);
  if (own.state === 'sending' || own.state === 'unconfirmed') return;
  const id = ids.find((one) => one !== own.id);
  if (id === undefined) return;
  sender.stop({
    kind: 'refused',
    why: `row ${row.row} (${row.code}) exists by now as ${id}, and not from this import: somebody else creates the same codes`,
  });
}
