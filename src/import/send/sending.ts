import { messageOf } from '../../core/errors.ts';
import type { Clock } from '../../core/ports.ts';
import type { Post } from '../../core/service/sender.ts';
import type { Ready, SendQueue, Settled, Verdict } from '../ledger/rows/send-queue.ts';
import { UNPROVED_TAIL, unproved } from '../reconcile/looked-up.ts';
import type { Gate } from './gate.ts';
import { Meter } from './meter.ts';
import type { Leave, Pace } from './pace.ts';
import { Proofs, type ProofsPorts } from './proofs.ts';
import type { Consequence } from './verdict.ts';

/** Rows of one transaction at most. */
const MOST_PER_COMMIT = 256;
/** An intent older than this is written anew before its request leaves: settling counts from it. */
export const INTENT_MS = 1_000;
/** Outcomes wait no longer than this for a transaction. */
const FLUSH_MS = 100;
/** Intents are written while there is still work for so long: a disk may take that time to keep them. */
const AHEAD_MS = 40;
/** Transactions that are on their way to the disk at once. */
const MOST_WRITING = 3;
/** Where this many answers in the beginning are all refusals of one kind, no row can succeed. */
const FIRST_ANSWERS = 20;
const HOPELESS_STATUS = new Set([403, 404, 405]);

/** Why a run ended before its end. */
export interface Stop {
  readonly kind: 'interrupted' | 'refused' | 'impatient' | 'errors' | 'journal';
  readonly why: string;
  readonly error?: unknown;
}

export interface SendingPorts {
  readonly queue: SendQueue;
  readonly gate: Gate;
  readonly pace: Pace;
  readonly leave: Leave;
  readonly clock: Clock;
  /** Rejected rows, invalid ones included, at which the run stops. */
  readonly mostErrors: number | undefined;
  readonly send: Post;
  /** What it takes to believe an answer. */
  readonly proofs: Omit<ProofsPorts, 'finish' | 'now' | 'onCrossed'>;
}

/**
 * The pump: writes intents and outcomes together, and lets requests leave once their intents are on
 * the disk, as many at once as the pace allows. While one transaction is on its way to the disk, the
 * requests of the one before it leave, so that the service never waits for the disk too.
 */
export class Sending {
  readonly #ports: SendingPorts;
  readonly #proofs: Proofs;
  readonly #ready: Ready[] = [];
  #settled: Settled[] = [];
  #inFlight = 0;
  /** Transactions on their way to the disk, and the rows whose intents are in them. */
  #writing = 0;
  #coming = 0;
  /** The journal took not even the last outcomes. */
  #isLost = false;
  #isDry = false;
  #stop: Stop | undefined;
  #resolve: ((stop: Stop | undefined) => void) | undefined;
  #scheduled = false;
  #flushAt = 0;
  #wakeTimer: NodeJS.Timeout | undefined;
  #answers = 0;
  #hopeless = 0;
  readonly #meter = new Meter();

  constructor(ports: SendingPorts) {
    this.#ports = ports;
    this.#proofs = new Proofs({
      ...ports.proofs,
      now: () => ports.clock.now(),
      finish: (row, verdict) => {
        this.#finish(row, verdict);
        this.#schedule();
      },
      onCrossed: () => this.#doubtRefusals(),
    });
    // A run that created something before can succeed: the first answers are long past.
    if (ports.queue.counts.created > 0) this.#answers = FIRST_ANSWERS + 1;
  }

  /** Answers per second, lately. */
  get perSecond(): number {
    return this.#meter.perSecond;
  }

  /** Sends until no row is pending any more, and all that was sent has been answered. */
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

  /** Lets nothing more leave. What is under way is still awaited and written. */
  stop(stop: Stop): void {
    this.#stop ??= stop;
    this.#schedule();
  }

  /** An answer went to a connection that was not its own. */
  get isCrossed(): boolean {
    return this.#proofs.isCrossed;
  }

  /** A look-up got the answer to a create. */
  cross(): void {
    this.#proofs.cross();
  }

  get stopped(): Stop | undefined {
    return this.#stop;
  }

  /** Writes what a look-up told. Rows that are pending again are taken up. */
  settle(rows: readonly Settled[]): void {
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
    const { gate, clock } = this.#ports;
    const now = clock.now();
    if (gate.isHopeless()) this.stop({ kind: 'impatient', why: gate.why });
    this.#meter.read(now);
    this.#proofs.release();
    if (gate.closed() === undefined) this.#proofs.ask(false);
    this.#turn();
  }

  #turn(): void {
    if (this.#resolve === undefined) return;
    if (this.#stop !== undefined) {
      this.#putBack(() => true);
      if (this.#inFlight > 0 || this.#writing > 0) return;
      if (this.#proofs.hasHeld) this.#prove(this.#stop);
      if (this.#proofs.hasHeld) return;
      if (this.#settled.length > 0 && !this.#isLost) this.#commit(0);
      else this.#resolve(this.#stop);
      return;
    }
    this.#dispatch();
    while (this.#stop === undefined && this.#wantsCommit()) this.#commit(this.#wanted());
    const isIdle = this.#inFlight === 0 && this.#ready.length === 0 && this.#settled.length === 0;
    if (!isIdle || !this.#isDry || this.#writing > 0) return;
    if (!this.#proofs.hasHeld) this.#resolve(undefined);
    // A service that turns requests away would turn the question away too.
    else if (this.#ports.gate.closed() === undefined) this.#proofs.ask(true);
  }

  /** What is held at a stop is asked for where the service may still answer, else it stays unconfirmed. */
  #prove(stop: Stop): void {
    const isOver = stop.kind === 'interrupted' || stop.kind === 'journal';
    if (isOver || this.#ports.gate.closed() !== undefined) this.#proofs.giveUp();
    else this.#proofs.ask(true);
  }

  #wantsCommit(): boolean {
    if (this.#writing >= MOST_WRITING) return false;
    const waiting = this.#settled.length;
    if (this.#wanted() > 0 || waiting >= MOST_PER_COMMIT) return true;
    return waiting > 0 && (this.#inFlight === 0 || this.#ports.clock.now() >= this.#flushAt);
  }

  /** How many intents to write now: enough to keep the requests going, few enough to stay fresh. */
  #wanted(): number {
    const { gate, pace, leave, clock } = this.#ports;
    if (this.#isDry || gate.closed() !== undefined) return 0;
    // The last of them leave while the disk is waited for: the service has work meanwhile.
    const ahead = Math.floor((this.#meter.perSecond * AHEAD_MS) / 1000);
    if (this.#ready.length + this.#coming > Math.min(ahead, 2 * MOST_PER_COMMIT)) return 0;
    const now = clock.now();
    if (leave.wait(now) > INTENT_MS / 2) return 0;
    const quarterSecond = Math.ceil(this.#meter.perSecond / 4);
    const paced = Math.max(pace.limit, Math.min(MOST_PER_COMMIT, quarterSecond));
    return Math.min(paced, Math.max(1, Math.ceil(leave.perSecond(now) / 4)));
  }

  #commit(most: number): void {
    const { queue, clock } = this.#ports;
    const settled = this.#settled.slice(0, MOST_PER_COMMIT);
    try {
      const { next, onDisk } = queue.commit(settled, most, clock.now());
      this.#settled = this.#settled.slice(settled.length);
      if (most > 0 && next.length === 0) this.#isDry = true;
      // Rows that were put back are there again for the next look.
      if (settled.some(({ verdict }) => verdict.state === 'pending')) this.#isDry = false;
      const arrived = () => {
        this.#writing--;
        this.#coming -= next.length;
      };
      this.#writing++;
      this.#coming += next.length;
      onDisk.then(
        () => {
          arrived();
          for (const ready of next) this.#ready.push(ready);
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

  /** Outcomes are tried once more, without intents; what is not in the journal then, a resume looks up. */
  #fail(error: unknown): void {
    if (this.#stop?.kind === 'journal') this.#isLost = true;
    else this.#stop = { kind: 'journal', why: messageOf(error), error };
    this.#schedule();
  }

  #dispatch(): void {
    const { gate, pace, leave, clock } = this.#ports;
    const closed = gate.closed();
    const now = clock.now();
    if (closed !== undefined) {
      this.#putBack(() => true);
      this.#wakeIn(closed.until - now);
      return;
    }
    while (this.#inFlight < pace.limit && this.#ready.length > 0) {
      if (now - this.#ready[0]!.at > INTENT_MS) {
        this.#putBack(({ at }) => now - at > INTENT_MS);
        continue;
      }
      // The answer before it, or the tick, looks again.
      if (!this.#proofs.mayLeave(this.#ready[0]!)) return;
      const wait = leave.take(now);
      if (wait > 0) {
        this.#wakeIn(wait);
        return;
      }
      this.#send(this.#ready.shift()!, now);
    }
  }

  #wakeIn(ms: number): void {
    // Longer waits are looked at by the tick.
    if (ms > 2 * FLUSH_MS) return;
    this.#wakeTimer ??= setTimeout(() => {
      this.#wakeTimer = undefined;
      this.#turn();
    }, ms);
  }

  /** Rows whose requests did not leave are pending again. */
  #putBack(which: (ready: Ready) => boolean): void {
    const kept = this.#ready.filter((ready) => !which(ready));
    for (const ready of this.#ready) {
      if (which(ready)) this.#finish(ready.row, { state: 'pending' });
    }
    this.#ready.length = 0;
    this.#ready.push(...kept);
  }

  #finish(row: number, verdict: Verdict): void {
    if (this.#settled.length === 0) this.#flushAt = this.#ports.clock.now() + FLUSH_MS;
    this.#settled.push({ row, was: 'sending', verdict });
  }

  /** Rows that were refused before the first swap was seen are unconfirmed too. */
  #doubtRefusals(): void {
    this.#settled = this.#settled.map((one) => {
      const { state, status, reason = '' } = one.verdict;
      if (state !== 'rejected' || status === undefined) return one;
      return { ...one, verdict: { state: 'unconfirmed', status, reason: unproved(reason) } };
    });
    try {
      this.#ports.queue.doubtRefusals(UNPROVED_TAIL);
    } catch (error) {
      this.#fail(error);
    }
  }

  #send(ready: Ready, sentAt: number): void {
    this.#inFlight++;
    const number = this.#proofs.begin(ready);
    this.#ports.send(ready.body, this.#proofs.needsItsOwn(ready), (outcome, place) => {
      this.#inFlight--;
      this.#meter.answered();
      this.#heed(ready, this.#proofs.judge(ready, number, outcome, place), sentAt);
      // The next one leaves at once: to gather answers first would have service and client take turns.
      if (this.#stop === undefined) this.#dispatch();
      this.#schedule();
    });
  }

  /** What an answer means for all other requests. */
  #heed(ready: Ready, consequence: Consequence, sentAt: number): void {
    const { gate, pace, clock, queue, mostErrors } = this.#ports;
    const { verdict, wait, congested, stop, answered } = consequence;
    const now = clock.now();
    if (wait !== undefined) gate.close(wait.ms, wait.why);
    if (congested === true) pace.congested(sentAt, now, wait?.ms);
    else pace.answered(now - sentAt, now);
    if (answered) gate.answered();
    if (stop !== undefined) this.stop({ kind: 'refused', why: stop });
    if (answered) this.#noteAnswer(verdict);
    if (verdict.state !== 'rejected' || mostErrors === undefined) return;
    const waiting = this.#settled.filter((one) => one.verdict.state === 'rejected').length;
    if (queue.counts.rejected + waiting + this.#proofs.rejected > mostErrors) {
      this.stop({ kind: 'errors', why: `row ${ready.row} was rejected: ${verdict.reason}` });
    }
  }

  /** A key or an address that is wrong refuses every row: that is seen early. */
  #noteAnswer(verdict: Verdict): void {
    if (this.#answers > FIRST_ANSWERS) return;
    this.#answers++;
    const status = verdict.status ?? 0;
    if (verdict.state === 'rejected' && (HOPELESS_STATUS.has(status) || status < 400)) {
      this.#hopeless++;
    }
    if (this.#answers === FIRST_ANSWERS && this.#hopeless === FIRST_ANSWERS) {
      const why = `the first ${FIRST_ANSWERS} rows were all refused: ${verdict.reason} (${status})`;
      this.stop({ kind: 'refused', why });
    }
  }
}
