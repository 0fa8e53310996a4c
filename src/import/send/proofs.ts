import type { Outcome } from '../../core/service/outcome.ts';
import type { Connection, Place } from '../../core/service/sender.ts';
import type { Ready, Verdict } from '../ledger/rows/send-queue.ts';
import { UNPROVED, unproved } from '../reconcile/looked-up.ts';
import type { AnswerMatcher } from './answer-matcher.ts';
import { type Consequence, judge } from './verdict.ts';
import type { Wire } from './wire.ts';

/** A connection with answers to prove is left to the next requests for so long, then asked. */
const IDLE_MS = 500;
/** After an answer that turned a row away and could not be proved, requests go one by one for so long. */
const CAREFUL_MS = 60_000;

export interface ProofsPorts {
  readonly matcher: AnswerMatcher;
  readonly wire: Wire;
  /** Swapped answers were seen before, when this run was begun. */
  readonly isCrossed: boolean;
  /** They are seen for the first time: what was refused so far may be another row's refusal. */
  onCrossed(): void;
  readonly idField: string;
  /** No second request on any connection: an answer without proof could not be looked up. */
  readonly isAlwaysAlone: boolean;
  /** A verdict that holds. */
  finish(row: number, verdict: Verdict): void;
  /** Asks for a list on a connection, as its last answer; false where it is not idle. */
  ask: ((connection: Connection, onTold: (isInStep: boolean) => void) => boolean) | undefined;
  now(): number;
}

/** A refusal that is not proved yet. */
interface Held {
  readonly row: number;
  readonly code: string | null;
  readonly verdict: Verdict;
  /** What the row becomes where it cannot be proved. */
  readonly unknown: Verdict;
  /** The last request that had left when its place was proved. */
  barrier: number;
}

interface Line {
  readonly held: Held[];
  /** When the last of them came, ms. */
  since: number;
  isAsked: boolean;
}

/**
 * Decides when an answer is believed. Services and proxies get out of step: an answer comes twice,
 * unasked, or on another connection. A success with the row's own code is its own. Nothing in a refusal
 * (429, 503, 400, 409) says whose it is, so it is held until two things are known:
 *
 * - *No answer too many came before it on its connection.* Answers come in order, so this is proved by
 *   being the first, or by a later answer that is surely its request's own: a success with its row's
 *   code, or a list that was asked for.
 * - *It was not swapped with the answer of a request that was under way.* All of those have been
 *   answered, and none with the code of another row.
 *
 * A swap of two refusals cannot be seen. So once any swap is seen, all refusals before it become
 * unconfirmed; from then on a refusal counts only for a row that was alone on the wire.
 *
 * What cannot be proved is unconfirmed, and looked up like a row without an answer. The reasons stand
 * in docs/reliability.md.
 */
export class Proofs {
  #isCrossed: boolean;
  readonly #ports: ProofsPorts;
  readonly #lines = new Map<Connection, Line>();
  /** The code of the last proved answer of each connection. */
  readonly #lastCode = new WeakMap<Connection, string | null>();
  /** Proved by their place; wait for the requests that were under way. */
  #placed: Held[] = [];
  /** The request that nothing else is under way beside. */
  #alone: number | undefined;
  #isMute = false;
  #carefulUntil = 0;

  constructor(ports: ProofsPorts) {
    this.#ports = ports;
    this.#isCrossed = ports.isCrossed;
  }

  /** Answers go to the wrong connections: no refusal says any more whose it is. */
  get isCrossed(): boolean {
    return this.#isCrossed;
  }

  get hasHeld(): boolean {
    return this.#lines.size > 0 || this.#placed.length > 0;
  }

  /** Refusals for good among what is held. */
  get rejected(): number {
    const lines = [...this.#lines.values()].flatMap(({ held }) => held);
    return [...lines, ...this.#placed].filter(({ verdict }) => verdict.state === 'rejected').length;
  }

  /** Whether the row's request needs a connection of its own: its answer could not be proved by its code. */
  needsItsOwn({ code, tries }: Ready): boolean {
    return (
      this.#ports.isAlwaysAlone ||
      this.#isMute ||
      code === null ||
      tries > 0 ||
      this.#ports.now() < this.#carefulUntil
    );
  }

  /** Whether the row's request may leave only while nothing else is under way. */
  needsTheWire({ tries }: Ready): boolean {
    return this.#isCrossed && tries > 0;
  }

  /** Whether it may leave now, as far as other requests go. */
  mayLeave(ready: Ready): boolean {
    if (this.#alone !== undefined) return false;
    return !this.needsTheWire(ready) || this.#ports.wire.isFree(this.#ports.now());
  }

  /** A request leaves; its number is given back with its answer. */
  begin(ready: Ready): number {
    const number = this.#ports.wire.begin();
    if (this.needsTheWire(ready)) this.#alone = number;
    return number;
  }

  /** What an answer means for the run; its row is finished as soon as that is proved. */
  judge(ready: Ready, sent: number, outcome: Outcome, place: Place): Consequence {
    const { wire, now } = this.#ports;
    const wasAlone = this.#alone === sent;
    if (wasAlone) this.#alone = undefined;
    wire.end(sent, now(), outcome);
    const consequence =
      outcome.kind === 'done'
        ? this.#success(ready, outcome, place)
        : this.#noSuccess(ready, outcome, place, wasAlone);
    this.release();
    return consequence;
  }

  #success(ready: Ready, outcome: Outcome & { kind: 'done' }, place: Place): Consequence {
    const { matcher, idField } = this.#ports;
    const { connection, isFirst } = place;
    const origin = matcher.originOf(ready.code, outcome.value);
    if (origin.kind === 'own') {
      const done = judge(outcome, idField);
      this.#ports.finish(ready.row, done.verdict);
      if (connection !== undefined) {
        this.#prove(connection);
        this.#lastCode.set(connection, ready.code);
        connection.release();
      }
      return done;
    }
    // What carries no code is believed only where nothing came before it, and nothing comes after.
    if (origin.kind === 'unsaid' && !this.#ports.isAlwaysAlone && ready.code !== null) {
      this.#isMute = true;
    }
    const why = origin.kind === 'unsaid' ? (isFirst ? undefined : UNPROVED) : origin.why;
    const mayBeOwn = origin.kind !== 'other' || origin.isOwnPerhaps;
    const told = judge(outcome, idField, why, mayBeOwn);
    this.#ports.finish(ready.row, told.verdict);
    if (origin.kind === 'other' && !this.#isOf(connection, origin.code)) this.cross();
    this.#end(connection);
    return told;
  }

  /** Whether this connection owes nobody else the answer: it was said twice, or comes too late. */
  #isOf(connection: Connection | undefined, code: string | undefined): boolean {
    // Known by its id alone: an answer that was given before, hence said twice.
    if (code === undefined) return true;
    if (connection === undefined) return false;
    const held = this.#lines.get(connection)?.held ?? [];
    return this.#lastCode.get(connection) === code || held.some((one) => one.code === code);
  }

  #noSuccess(ready: Ready, outcome: Outcome, place: Place, wasAlone: boolean): Consequence {
    const told = judge(outcome, this.#ports.idField);
    const { verdict } = told;
    const { connection, isFirst } = place;
    // Unconfirmed whatever came before; or it never left.
    if (outcome.kind === 'unknown' || outcome.kind === 'not-sent') {
      this.#ports.finish(ready.row, verdict);
      this.#end(connection);
      return told;
    }
    const unknown = unknownOf(outcome, verdict);
    const barrier = this.#ports.wire.last;
    const held: Held = { row: ready.row, code: ready.code, verdict, unknown, barrier };
    if (wasAlone && isFirst) {
      this.#ports.finish(ready.row, verdict);
    } else if (this.#isCrossed || (connection === undefined && !isFirst)) {
      this.#ports.finish(ready.row, unknown);
    } else if (isFirst) {
      this.#placed.push(held);
    } else {
      this.#hold(connection!, held);
    }
    connection?.release();
    return told;
  }

  #hold(connection: Connection, held: Held): void {
    let line = this.#lines.get(connection);
    if (line === undefined) {
      line = { held: [], since: 0, isAsked: false };
      this.#lines.set(connection, line);
      connection.onEnd = () => this.#doubt(connection);
    }
    line.held.push(held);
    line.since = this.#ports.now();
  }

  /** All answers of a connection so far were those of their requests. */
  #prove(connection: Connection): void {
    const line = this.#lines.get(connection);
    if (line === undefined) return;
    this.#forget(connection);
    for (const held of line.held) {
      held.barrier = this.#ports.wire.last;
      this.#placed.push(held);
    }
  }

  /** Nobody can say whose the answers were that this connection gave since the last proved one. */
  #doubt(connection: Connection): void {
    const line = this.#lines.get(connection);
    if (line === undefined) return;
    this.#forget(connection);
    // Where services close connections as they turn requests away, each goes on its own: that is proof.
    if (line.held.some(({ verdict }) => verdict.state === 'pending')) {
      this.#carefulUntil = this.#ports.now() + CAREFUL_MS;
    }
    this.#giveUp(line.held);
  }

  #forget(connection: Connection): void {
    connection.onEnd = undefined;
    this.#lines.delete(connection);
  }

  #end(connection: Connection | undefined): void {
    if (connection === undefined) return;
    this.#doubt(connection);
    connection.end();
  }

  /** An answer was seen on a connection that it does not belong to. */
  cross(): void {
    if (this.#isCrossed) return;
    this.#isCrossed = true;
    this.giveUp();
    this.#ports.onCrossed();
  }

  /** Believes nothing of what is held. */
  giveUp(): void {
    for (const connection of [...this.#lines.keys()]) this.#doubt(connection);
    const placed = this.#placed;
    this.#placed = [];
    this.#giveUp(placed);
  }

  #giveUp(held: readonly Held[]): void {
    for (const { row, unknown } of held) this.#ports.finish(row, unknown);
  }

  /** Finishes what no request that is under way can put in doubt any more. */
  release(): void {
    if (this.#placed.length === 0) return;
    const { oldest } = this.#ports.wire;
    let count = 0;
    while (count < this.#placed.length && this.#placed[count]!.barrier < oldest) count++;
    for (const { row, verdict } of this.#placed.splice(0, count)) this.#ports.finish(row, verdict);
  }

  /**
   * Asks for proof on connections that no request uses any more.
   *
   * @param isOver no further request will use any of them
   */
  ask(isOver: boolean): void {
    const now = this.#ports.now();
    for (const [connection, line] of this.#lines) {
      if (line.isAsked || (!isOver && now - line.since < IDLE_MS)) continue;
      const { ask } = this.#ports;
      if (ask === undefined) {
        this.#doubt(connection);
        continue;
      }
      line.isAsked = ask(connection, (isInStep) => {
        if (isInStep) this.#prove(connection);
        else this.#doubt(connection);
        this.release();
      });
    }
  }
}

function unknownOf(outcome: Outcome, verdict: Verdict): Verdict {
  const status = 'status' in outcome ? outcome.status : undefined;
  const what = verdict.reason ?? `the service answered ${status}`;
  return { state: 'unconfirmed', status, reason: unproved(what) };
}
