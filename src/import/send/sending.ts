import { afterSending } from '../../client/response/not-sent.ts';
import { messageOf, ProcError } from '../../core/errors.ts';
import { rowSentence, sentence as said } from '../../core/problem/sentence.ts';
import type { Post } from '../../core/service/sender.ts';
import type { Stop } from '../open-run.ts';
import type { RunClock } from '../run-clock.ts';
import { isRunFailure } from '../store/ledger-failure.ts';
import type { Decided, Ready, SendQueue, Verdict } from '../store/send-queue.ts';
import type { Gate } from './gate.ts';
import type { Pace } from './pace.ts';
import { Proofs, type ProofsPorts } from './proofs.ts';
import type { Consequence } from './verdict.ts';

const MAX_PER_COMMIT = 256;
/** Outcomes wait at most this long for a transaction. */
const FLUSH_MS = 100;
/**
 * If rows cannot be looked up, a kill must lose few outcomes. So outcomes are written when their
 * number reaches this share of the concurrent requests.
 */
const UNWRITTEN_PART = 1 / 8;
/**
 * Writing to the disk may take this long. So proc marks further rows before the marked rows are
 * used up.
 */
const AHEAD_MS = 40;
const MAX_WRITING = 3;
/** After this many responses that are no success, further rows need not wait for one. */
const ALONE = 3;
/** If the first responses are all refusals such as 403 or 404, no row can succeed. */
const FIRST_RESPONSES = 20;
const HOPELESS_STATUS = new Set([403, 404, 405]);

export interface SendingPorts {
  readonly queue: SendQueue;
  readonly gate: Gate;
  readonly pace: Pace;
  readonly clock: RunClock;
  /** The run stops when more rows than this are rejected, including invalid rows. */
  readonly mostRejected: number | undefined;
  readonly send: Post;
  readonly isListed: boolean;
  /** Rows whose answers contradict them can be looked up. Otherwise the first such answer stops the run. */
  readonly canLookUp: boolean;
  /** Called if the service stored other values than were sent, as `altered` says. */
  onAltered(row: number, altered: string): void;
  /** The service is known to change codes. */
  readonly isChanged: boolean;
  /**
   * Settles the pending rows whose codes exist in the form in which the service stores codes.
   *
   * @returns why the run stops, if it does
   * @throws ProcError if the list cannot be read
   */
  compareCodes(): Promise<string | undefined>;
  readonly proofs: Omit<ProofsPorts, 'finish' | 'now'>;
}

/** So many times in a row, a shared ledger may take too long to write intents. */
const MOST_LATE = 5;

/** `ahead`: of the clock when the intent was written. */
type Intended = Ready & { readonly ahead: number };

/**
 * A transaction marks the next rows as sent and writes the outcomes of earlier rows. Requests leave
 * once their mark is on the disk.
 *
 * While a transaction is being written, the requests of the previous transaction leave. So the
 * service need not wait for the disk.
 */
export class Sending {
  readonly #ports: SendingPorts;
  readonly #proofs: Proofs;
  readonly #ready: Intended[] = [];
  #decided: Decided[] = [];
  #inFlight = 0;
  /** Transactions being written, and the number of rows that they mark as sent. */
  #writing = 0;
  #coming = 0;
  /** The file could not even store the last outcomes. */
  #isLost = false;
  /** How many times in a row the intents were too old when they were written. */
  #late = 0;
  /** The last transaction found no further pending row. */
  #isDry = false;
  #stop: Stop | undefined;
  #resolve: ((stop: Stop | undefined) => void) | undefined;
  #scheduled = false;
  #flushAt = 0;
  #wakeTimer: NodeJS.Timeout | undefined;
  /** No row may leave before the pending rows are compared with the codes that exist. */
  #mustCompare: boolean;
  #isComparing = false;
  #hasAnswers: boolean;
  #answers = 0;
  #checkedResponses = 0;
  #hopelessResponses = 0;

  constructor(ports: SendingPorts) {
    this.#ports = ports;
    this.#proofs = new Proofs({
      ...ports.proofs,
      now: () => ports.clock.now(),
      finish: (row, verdict) => {
        this.#finish(row, verdict);
        this.#schedule();
      },
    });
    this.#mustCompare = ports.isChanged;
    this.#hasAnswers = ports.queue.counts.created > 0;
    // A run that has created rows can succeed, so its first responses need no check.
    if (ports.queue.counts.created > 0) this.#checkedResponses = FIRST_RESPONSES + 1;
  }

  async drain(): Promise<Stop | undefined> {
    this.#isDry = false;
    const tick = setInterval(() => this.#tick(), FLUSH_MS);
    try {
      return await new Promise((resolve) => {
        this.#resolve = resolve;
        this.#schedule();
      });
    } finally {
      clearInterval(tick);
      clearTimeout(this.#wakeTimer);
      this.#wakeTimer = undefined;
      this.#resolve = undefined;
    }
  }

  /** Sends nothing more. Requests in flight are still awaited, and their outcomes written. */
  stop(stop: Stop): void {
    this.#stop ??= stop;
    this.#schedule();
  }

  /** A request has got the response to another request. */
  get hasForeign(): boolean {
    return this.#proofs.hasForeign;
  }

  /** Records that a look-up received the response to a create. */
  noteForeign(): void {
    this.#proofs.noteForeign();
  }

  /**
   * The service has stored a code in another form. Before further rows leave, the pending rows are
   * compared in that form.
   *
   * @param met why the run stops: the code in that form existed before
   */
  compareChanged(met: string | undefined): void {
    this.#mustCompare = true;
    if (met !== undefined) this.stop({ kind: 'refused', why: met });
    this.#schedule();
  }

  get stopped(): Stop | undefined {
    return this.#stop;
  }

  /** Writes the results of look-ups. Rows that are pending again will be sent. */
  record(rows: readonly Decided[]): void {
    if (rows.length === 0) return;
    const { onDisk } = this.#ports.queue.commit(rows, 0, this.#ports.clock.now());
    onDisk.catch((error: unknown) => this.#fail(error));
    this.#isDry = false;
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled || this.#resolve === undefined) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#turn();
    });
  }

  #tick(): void {
    const { gate, pace, clock } = this.#ports;
    if (gate.isHopeless()) this.stop({ kind: 'impatient', why: gate.why });
    pace.measure(clock.now());
    this.#proofs.release();
    if (gate.closed() === undefined) this.#proofs.ask(false);
    this.#turn();
  }

  #turn(): void {
    if (this.#resolve === undefined) return;
    if (this.#stop !== undefined) {
      this.#putBack(() => true);
      if (this.#inFlight > 0 || this.#writing > 0 || this.#isComparing) return;
      if (this.#proofs.hasHeld) this.#prove(this.#stop);
      if (this.#proofs.hasHeld) return;
      // A resumed run compares the codes before it sends.
      if (this.#decided.length > 0 && !this.#isLost) this.#commit(0);
      else this.#resolve(this.#stop);
      return;
    }
    if (this.#mustCompare) {
      this.#putBack(() => true);
      if (this.#writing > 0 || this.#isComparing) return;
      if (this.#decided.length > 0) this.#commit(0);
      else void this.#compare();
      return;
    }
    this.#dispatch();
    while (this.#stop === undefined && this.#wantsCommit()) this.#commit(this.#wanted());
    const isIdle = this.#inFlight === 0 && this.#ready.length === 0 && this.#decided.length === 0;
    if (!isIdle || !this.#isDry || this.#writing > 0) return;
    if (!this.#proofs.hasHeld) this.#resolve(undefined);
    // A service that refuses requests would refuse the request for a list too.
    else if (this.#ports.gate.closed() === undefined) this.#proofs.ask(true);
  }

  async #compare(): Promise<void> {
    this.#isComparing = true;
    try {
      const why = await this.#ports.compareCodes();
      if (why !== undefined) this.stop({ kind: 'refused', why });
      this.#mustCompare = false;
      this.#isDry = false;
    } catch (error) {
      const isRead = error instanceof ProcError && !isRunFailure(error);
      if (!isRead) this.#fail(error);
      else
        this.stop({
          kind: 'refused',
          why: `a look-up failed: ${afterSending(messageOf(error))}`,
          error,
        });
    } finally {
      this.#isComparing = false;
    }
    this.#schedule();
  }

  /**
   * At a stop, held refusals are proved only if the service may still answer. Otherwise they become
   * unconfirmed.
   */
  #prove(stop: Stop): void {
    const isOver = stop.kind === 'interrupted' || stop.kind === 'journal';
    if (isOver || this.#ports.gate.closed() !== undefined) this.#proofs.giveUp();
    else this.#proofs.ask(true);
  }

  #wantsCommit(): boolean {
    if (this.#writing >= MAX_WRITING) return false;
    const waiting = this.#decided.length;
    if (this.#wanted() > 0 || waiting >= MAX_PER_COMMIT) return true;
    return waiting > 0 && (this.#inFlight === 0 || this.#ports.clock.now() >= this.#flushAt);
  }

  /** How many rows to mark now: enough to keep requests flowing, few enough that marks stay recent. */
  #wanted(): number {
    const { gate, pace, clock } = this.#ports;
    if (this.#isDry || gate.closed() !== undefined) return 0;
    const ahead = Math.floor((pace.perSecond * AHEAD_MS) / 1000);
    if (this.#ready.length + this.#coming > Math.min(ahead, 2 * MAX_PER_COMMIT)) return 0;
    const now = clock.now();
    if (pace.rate.wait(now) > clock.intentMs / 2) return 0;
    const quarterSecond = Math.ceil(pace.perSecond / 4);
    const paced = Math.max(pace.limit, Math.min(MAX_PER_COMMIT, quarterSecond));
    return Math.min(paced, Math.max(1, Math.ceil(pace.rate.perSecond(now) / 4)));
  }

  #commit(max: number): void {
    const { queue, clock } = this.#ports;
    const decided = this.#decided.slice(0, MAX_PER_COMMIT);
    const ahead = clock.ahead();
    try {
      const { count, onDisk } = queue.commit(decided, max, clock.now());
      this.#stopAtFalseId();
      this.#decided = this.#decided.slice(decided.length);
      if (max > 0 && count === 0) this.#isDry = true;
      // Rows that were put back are pending again.
      if (decided.some(({ verdict }) => verdict.state === 'pending')) this.#isDry = false;
      const arrived = () => {
        this.#writing--;
        this.#coming -= count;
      };
      this.#writing++;
      this.#coming += count;
      onDisk.then(
        (next) => {
          arrived();
          for (const ready of next) this.#ready.push({ ...ready, ahead });
          this.#checkInTime();
          this.#turn();
        },
        (error: unknown) => {
          arrived();
          this.#fail(error);
        },
      );
    } catch (error) {
      this.#fail(error);
    }
  }

  /**
   * The run stops, and `#turn` writes the outcomes again. If that fails too, they are lost, and a
   * resume looks the rows up.
   */
  #fail(error: unknown): void {
    if (this.#stop?.kind === 'journal') this.#isLost = true;
    else {
      this.#stop = { kind: 'journal', why: messageOf(error), error };
    }
    this.#schedule();
  }

  #dispatch(): void {
    const { gate, pace, clock } = this.#ports;
    const closed = gate.closed();
    const now = clock.now();
    if (closed !== undefined) {
      this.#putBack(() => true);
      this.#wakeIn(closed.until - now);
      return;
    }
    if (this.#mustCompare) return;
    // The first row leaves alone: its response may show that the service changes codes.
    const limit = this.#hasAnswers ? pace.limit : 1;
    while (this.#stop === undefined && this.#inFlight < limit && this.#ready.length > 0) {
      if (!this.#isFresh(this.#ready[0]!)) {
        this.#putBack((ready) => !this.#isFresh(ready));
        continue;
      }
      const wait = pace.rate.take(now);
      if (wait > 0) {
        this.#wakeIn(wait);
        return;
      }
      this.#send(this.#ready.shift()!, now);
    }
  }

  #wakeIn(ms: number): void {
    // The tick handles longer waits.
    if (ms > 2 * FLUSH_MS) return;
    this.#wakeTimer ??= setTimeout(() => {
      this.#wakeTimer = undefined;
      this.#turn();
    }, ms);
  }

  /** Without this, rows would be marked again and again, and none would ever leave. */
  #checkInTime(): void {
    const last = this.#ready.at(-1);
    if (!this.#ports.clock.isShared || last === undefined) return;
    this.#late = this.#isFresh(last) ? 0 : this.#late + 1;
    if (this.#late < MOST_LATE) return;
    const seconds = this.#ports.clock.intentMs / 1_000;
    this.#fail(
      new ProcError(
        'ledger_unreachable',
        `the ledger takes longer than ${seconds} s to record rows that are to be sent`,
        {
          hint: 'Check the database and the network: proc doctor',
        },
      ),
    );
  }

  /** Whether the request may leave with this intent. */
  #isFresh({ at, ahead }: Intended): boolean {
    const { clock } = this.#ports;
    return clock.now() - at + Math.max(0, clock.ahead() - ahead) <= clock.intentMs;
  }

  #putBack(which: (ready: Intended) => boolean): void {
    const kept = this.#ready.filter((ready) => !which(ready));
    for (const ready of this.#ready) {
      if (which(ready)) this.#finish(ready.row, { state: 'pending' });
    }
    this.#ready.length = 0;
    this.#ready.push(...kept);
  }

  #finish(row: number, verdict: Verdict): void {
    if (this.#decided.length === 0) this.#flushAt = this.#ports.clock.now() + FLUSH_MS;
    this.#decided.push({ row, was: 'sending', verdict });
  }

  #send(ready: Intended, sentAt: number): void {
    try {
      this.#ports.queue.handOver(ready);
    } catch (error) {
      this.#finish(ready.row, { state: 'pending' });
      this.#fail(error);
      return;
    }
    this.#inFlight++;
    const number = this.#proofs.begin(ready);
    const { clock, send } = this.#ports;
    const mayLeave = clock.isShared ? () => this.#isFresh(ready) : undefined;
    const alone = this.#proofs.needsOwnConnection(ready);
    const onOutcome: Parameters<Post>[2] = (outcome, place) => {
      this.#inFlight--;
      this.#hasAnswers ||= outcome.kind === 'done' || ++this.#answers === ALONE;
      this.#apply(ready, this.#proofs.judge(ready, number, outcome, place), sentAt);
      this.#record();
      // The next request leaves at once: gathering responses first would leave the service idle.
      if (this.#stop === undefined) this.#dispatch();
      this.#schedule();
    };
    send(ready.body, alone, onOutcome, mayLeave);
  }

  #record(): void {
    const { queue, pace, isListed } = this.#ports;
    if (isListed || this.#isLost || this.#decided.length < pace.limit * UNWRITTEN_PART) return;
    const decided = this.#decided;
    try {
      queue.record(decided);
      this.#decided = [];
      this.#stopAtFalseId();
      if (decided.some(({ verdict }) => verdict.state === 'pending')) this.#isDry = false;
    } catch (error) {
      this.#fail(error);
    }
  }

  #apply(ready: Ready, consequence: Consequence, sentAt: number): void {
    const { gate, pace, clock, queue, mostRejected, canLookUp, onAltered } = this.#ports;
    const { verdict, wait, congested, stop, serviceWorks, contradiction, altered } = consequence;
    const now = clock.now();
    if (wait !== undefined) gate.close(wait.ms, wait.why);
    if (congested === true) pace.congested(sentAt, now, wait?.ms);
    else pace.noteResponse(now - sentAt, now);
    if (serviceWorks) gate.noteResponse();
    if (stop !== undefined) this.stop({ kind: 'refused', why: said(stop) });
    if (altered !== undefined) onAltered(ready.row, altered);
    if (contradiction !== undefined && !canLookUp) {
      this.stop({ kind: 'refused', why: rowSentence({ row: ready.row, reason: contradiction }) });
    }
    if (serviceWorks) this.#noteResponse(verdict);
    if (verdict.state !== 'rejected' || mostRejected === undefined) return;
    const waiting = this.#decided.filter((one) => one.verdict.state === 'rejected').length;
    if (queue.counts.rejected + waiting + this.#proofs.rejected > mostRejected) {
      const why = rowSentence({ row: ready.row, reason: verdict.reason! });
      this.stop({ kind: 'errors', why: `rejected: ${why}` });
    }
  }

  #stopAtFalseId(): void {
    const { queue, canLookUp } = this.#ports;
    if (!canLookUp && queue.falseId !== undefined) {
      this.stop({ kind: 'refused', why: said(queue.falseId) });
    }
  }

  /** Stops early if the key or address is wrong, because then every row is refused. */
  #noteResponse(verdict: Verdict): void {
    if (this.#checkedResponses > FIRST_RESPONSES) return;
    this.#checkedResponses++;
    const status = verdict.status ?? 0;
    if (verdict.state === 'rejected' && (HOPELESS_STATUS.has(status) || status < 400)) {
      this.#hopelessResponses++;
    }
    if (this.#checkedResponses === FIRST_RESPONSES && this.#hopelessResponses === FIRST_RESPONSES) {
      const why = `the first ${FIRST_RESPONSES} rows were all refused: ${said(verdict.reason!)} (${status})`;
      this.stop({ kind: 'refused', why });
    }
  }
}
