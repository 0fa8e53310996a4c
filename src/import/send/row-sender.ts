import { messageOf } from '../../core/errors.ts';
import type { Clock } from '../../core/io.ts';
import type { Outcome } from '../../core/outcome.ts';
import { type Problem, rowSentence, sentence, storedProblem } from '../../core/row-problem.ts';
import { INTENT_MS, type Post } from '../../core/service.ts';
import type { Held } from '../../ledger/rows.ts';
import {
  type Claim,
  LedgerChanged,
  type RowOutcome,
  type RunLedger,
  type Taken,
} from '../../ledger/run-ledger.ts';
import type { SeenKeys } from '../../listing/list-pages.ts';
import type { Stop } from '../ended-run.ts';
import type { Gate } from '../gate.ts';
import type { Pace } from './pace.ts';
import type { Consequence } from './verdict.ts';

const MAX_PER_BATCH = 256;
/** Outcomes wait at most this long for a transaction. */
const FLUSH_MS = 100;
/** A transaction takes this long at least, so further rows are taken before the last ones have left. */
const AHEAD_MS = 40;
/** After this many responses that are no success, further rows need not wait for one. */
const ALONE = 3;
/** With a list, so many answers in a row that do not fit their rows stop the run. */
const MISFITS = 2;
/** A row of which so many requests broke, and no look-up found it, is given up. */
const MAX_TRIES = 5;
/** If the first responses are all refusals such as 403 or 404, no row can succeed. */
const FIRST_RESPONSES = 20;
const HOPELESS_STATUS = new Set([403, 404, 405]);

export interface RowSenderPorts {
  readonly ledger: RunLedger;
  readonly claim: Claim;
  readonly gate: Gate;
  readonly pace: Pace;
  readonly clock: Clock;
  readonly post: Post;
  /** What the outcome of a request means for its row. */
  judge(row: Taken, outcome: Outcome): Consequence;
  /** If no look-up can decide some rows, no more are marked as sent than may leave at once. */
  readonly isListed: boolean;
  /** How many rows of the run are in each state. */
  readonly counts: Readonly<Record<string, number>>;
  /** The ids of the rows that the run has created. */
  readonly ids: SeenKeys;
  /** `--send-equal`: the run stops if others have sent one of its rows. */
  readonly sendsEqual: boolean;
  /** At most so many rows may be rejected. */
  readonly mostRejected: number | undefined;
  /** A row became unconfirmed: its own request broke, or others have sent the same. */
  onUnconfirmed(row: { readonly row: number; readonly key: string | null }, isOwn: boolean): void;
}

export const SENT_BY_OTHERS =
  'another command has sent rows that equal rows of this file; import the file again to count them';

/** `at`: by both clocks, before the transaction of its intent. */
interface Ready extends Taken {
  readonly intent: number;
  readonly at: Moment;
}

interface Answered extends RowOutcome {
  readonly key: string | null;
}

interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

/**
 * Sends the pending rows of a run. One transaction writes outcomes and takes the next rows; while it is under way, the
 * requests of the last one leave.
 */
export class RowSender {
  readonly #ports: RowSenderPorts;
  /** What the process needs to write the run; another one after each batch. */
  claim: Claim;
  /** How many rows are in each state, as far as this process knows. */
  readonly counts: Record<string, number>;
  /** Up to this row, none is pending. */
  after = 0;
  /** Whether no row is pending, as far as this process knows. */
  isDrained = false;
  stopped: Stop | undefined;
  /** A row that the service has stored with another code. */
  storedAs: Consequence['storedAs'];
  #ready: Ready[] = [];
  #answers: Answered[] = [];
  /** Keys of the rows that are under way, for those whose requests break. */
  readonly #inFlight = new Map<number, Taken>();
  /** Why the last requests of these rows broke. */
  readonly #said = new Map<number, Problem>();
  /** How often rows became pending again. */
  #rewinds = 0;
  #isWriting = false;
  /** How long the last transaction took. */
  #tookMs = 0;
  /** The ledger has failed once: the run stops, and outcomes are written once more. */
  #hasFailed = false;
  /** The ledger has failed again, or the run is another process's: only late answers are still written. */
  #isLost = false;
  /** Answers that arrived after the run was lost are being written. */
  #late: Promise<unknown> | undefined;
  #resolve: ((stop: Stop | undefined) => void) | undefined;
  #isScheduled = false;
  #flushAt = 0;
  #wakeTimer: NodeJS.Timeout | undefined;
  #hasAnswers: boolean;
  /** Answers that are no success, before the first success. */
  #failures = 0;
  /** Responses so far, up to one more than are checked. */
  #responses: number;
  #misfits = 0;
  #hopeless = 0;

  constructor(ports: RowSenderPorts) {
    this.#ports = ports;
    this.claim = ports.claim;
    this.counts = { ...ports.counts };
    const hasCreated = this.#count('created') > 0;
    this.#hasAnswers = hasCreated;
    // A run that has created rows can succeed, so its first responses need no check.
    this.#responses = hasCreated ? FIRST_RESPONSES + 1 : 0;
  }

  #count(state: string): number {
    return this.counts[state] ?? 0;
  }

  /**
   * Sends until no row is pending.
   *
   * @returns why the run stopped, if it did
   */
  async drain(): Promise<Stop | undefined> {
    const tick = setInterval(() => this.#tick(), FLUSH_MS);
    try {
      const stop = await new Promise<Stop | undefined>((resolve) => {
        this.#resolve = resolve;
        this.#schedule();
      });
      await this.#late;
      return stop;
    } finally {
      clearInterval(tick);
      clearTimeout(this.#wakeTimer);
      this.#wakeTimer = undefined;
      this.#resolve = undefined;
    }
  }

  /** Sends nothing more. Requests in flight are still awaited, and their outcomes written. */
  stop(stop: Stop): void {
    this.stopped ??= stop;
    this.#schedule();
  }

  /** A look-up has decided a row. @param id null: no record has it, so it is pending */
  noteFound(row: number, id: string | null): void {
    this.#move('unconfirmed', id === null ? 'pending' : 'created');
    if (id === null) this.#resumeAt(row);
    else this.#said.delete(row);
  }

  /** Rows from this one on are pending again. */
  #resumeAt(row: number): void {
    this.after = Math.min(this.after, row - 1);
    this.isDrained = false;
    this.#rewinds++;
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled || this.#resolve === undefined) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#turn();
    });
  }

  #tick(): void {
    const { gate, pace, clock } = this.#ports;
    if (gate.isHopeless()) this.stop({ kind: 'impatient', why: gate.why });
    pace.measure(clock.monotonic());
    this.#turn();
  }

  #turn(): void {
    if (this.#resolve === undefined) return;
    if (this.stopped !== undefined) this.#putBack(() => true);
    else this.#dispatch();
    if (this.#isLost) this.#confirm();
    if (!this.#isWriting && this.#wantsBatch()) void this.#write();
    if (this.#isWriting || this.#inFlight.size > 0 || this.#answers.length > 0) return;
    if (this.stopped !== undefined || (this.isDrained && this.#ready.length === 0))
      this.#resolve(this.stopped);
  }

  #wantsBatch(): boolean {
    if (this.#isLost) return false;
    if (this.#wanted() > 0 || this.#answers.length >= MAX_PER_BATCH) return true;
    if (this.#answers.length === 0) return false;
    return this.#inFlight.size === 0 || this.#ports.clock.monotonic() >= this.#flushAt;
  }

  /** How many rows to take now: enough to keep requests flowing, few enough that they leave in time. */
  #wanted(): number {
    const { gate, pace, clock, isListed } = this.#ports;
    if (this.stopped !== undefined || this.isDrained || gate.closed() !== undefined) return 0;
    if (!isListed) return Math.max(0, this.#limit() - this.#ready.length - this.#inFlight.size);
    const ahead = Math.floor((pace.perSecond * Math.max(AHEAD_MS, this.#tookMs)) / 1000);
    if (this.#ready.length > Math.min(ahead, 2 * MAX_PER_BATCH)) return 0;
    const now = clock.monotonic();
    if (pace.rate.wait(now) > INTENT_MS / 2) return 0;
    const quarterSecond = Math.ceil(pace.perSecond / 4);
    const paced = Math.max(pace.limit, Math.min(MAX_PER_BATCH, quarterSecond));
    return Math.min(paced, Math.max(1, Math.ceil(pace.rate.perSecond(now) / 4)));
  }

  /** The first row leaves alone: its response shows whether rows are stored as they are sent. */
  #limit(): number {
    return this.#hasAnswers ? this.#ports.pace.limit : 1;
  }

  async #write(): Promise<void> {
    const { ledger, clock } = this.#ports;
    this.#isWriting = true;
    const outcomes = this.#answers.slice(0, MAX_PER_BATCH);
    const most = this.#wanted();
    const at = this.#now();
    const rewinds = this.#rewinds;
    try {
      const { sendsEqual: stopsAtHit } = this.#ports;
      const wanted = { outcomes, most, after: this.after, now: clock.now(), stopsAtHit };
      const batch = await ledger.batch(this.claim, wanted);
      this.#tookMs = clock.monotonic() - at.monotonic;
      if (batch === undefined) this.#lose();
      else {
        this.#answers = this.#answers.slice(outcomes.length);
        this.claim = batch.claim;
        this.#take(batch.taken, at);
        // Else a row may be pending again that this transaction has not seen.
        if (rewinds === this.#rewinds) {
          this.after = Math.max(this.after, batch.taken.at(-1)?.row ?? 0);
          this.isDrained ||= most > 0 && batch.taken.length + batch.held.length === 0;
        }
        this.#noteHeld(batch.held);
        // Only now: a look-up must not find the row while it is still being sent in the ledger.
        for (const one of outcomes)
          if (one.state === 'unconfirmed') this.#ports.onUnconfirmed(one, true);
      }
    } catch (thrown) {
      await this.#fail(thrown, outcomes.length);
    }
    this.#isWriting = false;
    this.#turn();
  }

  #move(from: string, to: string): void {
    this.counts[from] = this.#count(from) - 1;
    this.counts[to] = this.#count(to) + 1;
  }

  #take(taken: readonly Taken[], at: Moment): void {
    const { lastIntent: intent } = this.claim;
    for (const one of taken) {
      this.#move('pending', 'sending');
      if (one.tries < MAX_TRIES) this.#ready.push({ ...one, intent, at });
      else this.#giveUp({ ...one, intent });
    }
  }

  #noteHeld(held: readonly Held[]): void {
    if (held.length === 0) return;
    if (this.#ports.sendsEqual) {
      this.stop({ kind: 'refused', why: SENT_BY_OTHERS });
      return;
    }
    for (const one of held) {
      this.#move('pending', one.state);
      if (one.state === 'unconfirmed') this.#ports.onUnconfirmed(one, false);
    }
  }

  /** Another process has opened the run: it looks up what this one has sent. */
  #lose(): void {
    this.#isLost = true;
    this.stop({ kind: 'ledger', why: 'another command continues this run' });
    this.#confirm();
  }

  #confirm(): void {
    const outcomes = this.#answers;
    this.#answers = [];
    if (outcomes.length === 0) return;
    const written = this.#ports.ledger.confirm(this.claim.number, outcomes).catch(() => undefined);
    this.#late = Promise.all([this.#late, written]);
  }

  /**
   * A full disk may take the outcomes alone, without further rows. If not, they are lost, and the rows are looked up when
   * the run is resumed.
   *
   * @param written outcomes of the failed transaction
   */
  async #fail(thrown: unknown, written: number): Promise<void> {
    const changed = 'the ledger was changed by something else, so this import stopped';
    const isChanged = thrown instanceof LedgerChanged;
    this.stop({ kind: 'ledger', why: isChanged ? changed : messageOf(thrown), error: thrown });
    if (!isChanged && !this.#hasFailed) {
      this.#hasFailed = true;
      try {
        const claim = await this.#ports.ledger.takeBack(this.claim);
        if (claim === undefined) {
          this.#lose();
          return;
        }
        // It was written after all.
        if (claim.lastIntent !== this.claim.lastIntent) this.#answers.splice(0, written);
        this.claim = claim;
        return;
      } catch {
        // The outcomes are lost.
      }
    }
    this.#isLost = true;
    this.#answers = [];
  }

  #dispatch(): void {
    const { gate, pace, clock } = this.#ports;
    const now = clock.monotonic();
    const closed = gate.closed();
    if (closed !== undefined) {
      this.#putBack(() => true);
      this.#wakeIn(closed.until - now);
      return;
    }
    // The first row is the oldest. Asking the clocks for each row takes a tenth of the time of an import.
    const [oldest] = this.#ready;
    if (oldest !== undefined && !this.#isFresh(oldest))
      this.#putBack((ready) => !this.#isFresh(ready));
    while (
      this.stopped === undefined &&
      this.#ready.length > 0 &&
      this.#inFlight.size < this.#limit()
    ) {
      const wait = pace.rate.take(now);
      if (wait > 0) {
        this.#wakeIn(wait);
        return;
      }
      this.#send(this.#ready.shift()!);
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

  #now(): Moment {
    const { clock } = this.#ports;
    return { monotonic: clock.monotonic(), wall: clock.now() };
  }

  /** The monotonic clock may stand still while the machine sleeps, and somebody may set the other one back. */
  #isFresh({ at }: Ready): boolean {
    const { monotonic, wall } = this.#now();
    return Math.max(monotonic - at.monotonic, wall - at.wall) <= INTENT_MS;
  }

  /** Rows whose requests have not left are pending again. */
  #putBack(which: (ready: Ready) => boolean): void {
    if (!this.#ready.some(which)) return;
    for (const { row, key, intent } of this.#ready.filter(which))
      this.#answer({ row, key, intent, state: 'pending' });
    this.#ready = this.#ready.filter((ready) => !which(ready));
  }

  #send(ready: Ready): void {
    const { clock, post } = this.#ports;
    const sentAt = clock.monotonic();
    this.#inFlight.set(ready.row, ready);
    const mayLeave = () => !this.#isLost && this.#isFresh(ready);
    const onOutcome = (outcome: Outcome) => {
      this.#inFlight.delete(ready.row);
      this.#hasAnswers ||= outcome.kind === 'done' || ++this.#failures === ALONE;
      this.#apply(ready, this.#ports.judge(ready, outcome), sentAt);
      if (this.#isLost) this.#confirm();
      // The next request leaves at once: gathering responses first would leave the service idle.
      else if (this.stopped === undefined) this.#dispatch();
      this.#schedule();
    };
    post(ready.body, onOutcome, mayLeave);
  }

  #answer(outcome: Answered): void {
    this.#move('sending', outcome.state);
    if (this.#answers.length === 0) this.#flushAt = this.#ports.clock.monotonic() + FLUSH_MS;
    this.#answers.push(outcome);
    if (outcome.state === 'pending') this.#resumeAt(outcome.row);
  }

  #giveUp({ row, key, intent, tries }: Taken & { readonly intent: number }): void {
    const said = this.#said.get(row) ?? { text: 'no response' };
    const reason: Problem = { text: `sent ${tries} times and never created: ${sentence(said)}` };
    const stored = storedProblem(reason);
    this.#answer({ row, key, intent, state: 'rejected', status: null, reason: stored });
    this.#noteRejection(row, 500, reason);
  }

  #apply(ready: Ready, consequence: Consequence, sentAt: number): void {
    const { gate, pace, clock } = this.#ports;
    const { wait, congested, stop, serviceWorks, storedAs } = consequence;
    const { verdict, contradiction } = this.#withOwnId(consequence);
    const { state, id, status, reason } = verdict;
    if (state === 'unconfirmed' && reason !== undefined) this.#said.set(ready.row, reason);
    this.#answer({
      ...{ row: ready.row, key: ready.key, intent: ready.intent, state, id, status },
      reason: reason === undefined ? null : storedProblem(reason),
    });
    const now = clock.monotonic();
    if (wait !== undefined) gate.close(wait.ms, wait.why);
    if (congested === true) pace.congested(sentAt, now, wait?.ms);
    else pace.noteResponse(now - sentAt, now);
    if (serviceWorks) gate.noteResponse();
    this.storedAs ??= storedAs;
    if (stop !== undefined) this.stop({ kind: 'refused', why: sentence(stop) });
    if (serviceWorks) this.#noteMisfit(ready.row, contradiction);
    if (serviceWorks && this.#responses <= FIRST_RESPONSES) this.#responses++;
    if (state === 'rejected') this.#noteRejection(ready.row, status ?? 0, reason!);
  }

  /** An id belongs to one row. */
  #withOwnId(consequence: Consequence): Pick<Consequence, 'verdict' | 'contradiction'> {
    const { state, id, status } = consequence.verdict;
    if (state !== 'created' || this.#ports.ids.add(id!)) return consequence;
    const reason = { text: `the service returned the id ${id}, which an earlier record has` };
    return { verdict: { state: 'unconfirmed', status, reason }, contradiction: reason };
  }

  #noteMisfit(row: number, contradiction: Problem | undefined): void {
    this.#misfits = contradiction === undefined ? 0 : this.#misfits + 1;
    if (contradiction === undefined || this.#misfits < (this.#ports.isListed ? MISFITS : 1)) return;
    this.stop({ kind: 'refused', why: rowSentence({ row, reason: contradiction }) });
  }

  /** Stops if too many rows are rejected, and early if the key or address is wrong: then every row is refused. */
  #noteRejection(row: number, status: number, reason: Problem): void {
    const { mostRejected } = this.#ports;
    if (mostRejected !== undefined && this.#count('rejected') > mostRejected)
      this.stop({
        kind: 'errors',
        why: `too many rows were rejected; the last: ${rowSentence({ row, reason })}`,
      });
    if (this.#responses > FIRST_RESPONSES) return;
    if (HOPELESS_STATUS.has(status) || status < 400) this.#hopeless++;
    if (this.#hopeless === FIRST_RESPONSES)
      this.stop({
        kind: 'refused',
        why: `the service refused each of the first ${FIRST_RESPONSES} rows: ${sentence(reason)}`,
      });
  }
}
