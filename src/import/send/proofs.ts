import type { Outcome } from '../../core/service/outcome.ts';
import type { Connection, Place } from '../../core/service/sender.ts';
import type { Ready, Verdict } from '../ledger/rows/send-queue.ts';
import { UNPROVED, unproved } from '../reconcile/looked-up.ts';
import type { ResponseMatcher } from './response-matcher.ts';
import { type Consequence, judge } from './verdict.ts';
import type { Wire } from './wire.ts';

/**
 * A later response on the connection may prove a refusal. After waiting this long, proc requests a
 * list on the connection instead.
 */
const IDLE_MS = 500;
/** If a 429 or 503 cannot be proved, each request gets its own connection for this long. */
const CAREFUL_MS = 60_000;

export interface ProofsPorts {
  readonly matcher: ResponseMatcher;
  readonly wire: Wire;
  /** An earlier process of this run saw swapped responses. */
  readonly hasSwaps: boolean;
  /** Called at the first swap: every refusal so far may belong to another row. */
  onFirstSwap(): void;
  readonly idField: string;
  /**
   * Each request needs a new connection: a row with an unproved response could not be looked up.
   */
  readonly isAlwaysAlone: boolean;
  finish(row: number, verdict: Verdict): void;
  /**
   * Requests a list as the last request on a connection. Returns false if the connection is busy.
   * `ask` is undefined if the service has no list.
   */
  ask: ((connection: Connection, onResponse: (isInStep: boolean) => void) => boolean) | undefined;
  now(): number;
}

interface Held {
  readonly row: number;
  readonly code: string | null;
  readonly verdict: Verdict;
  /** The verdict if the refusal cannot be proved. */
  readonly unknown: Verdict;
  /**
   * Number of a request. The refusal counts only after this request and all earlier ones are
   * answered: see the second condition of {@link Proofs}.
   */
  barrier: number;
}

/** The refusals of one connection that wait for their proof. */
interface Waiting {
  readonly held: Held[];
  /** When the last refusal arrived, ms. */
  since: number;
  isAsked: boolean;
}

/**
 * Decides whether a response belongs to the row whose request it came for. See docs/reliability.md.
 *
 * A broken proxy may deliver a response twice, or on another connection. A success proves itself if
 * it contains the code of the row. A refusal (429, 503, 400, 409) contains no code. So it is held
 * until two conditions are met:
 *
 * - *No extra response came before it on its connection.* One of two things proves this: the refusal
 *   is the first response there, or a later response there is right. A right response has the code of
 *   its row, or is a list that proc requested.
 * - *It was not swapped with another response.* All requests that were in flight are answered, and
 *   no response had the code of another row.
 *
 * A swap of two refusals cannot be detected. So at the first swap of any kind, all earlier refusals
 * become unconfirmed. After that, a refusal counts only if no other request was in flight.
 *
 * A row without a proved response is unconfirmed, and proc looks it up.
 */
export class Proofs {
  #hasSwaps: boolean;
  readonly #ports: ProofsPorts;
  readonly #waiting = new Map<Connection, Waiting>();
  /** The code in the last proved success on each connection. */
  readonly #lastCode = new WeakMap<Connection, string | null>();
  /**
   * Refusals that meet the first condition. They wait until all requests that were in flight are
   * answered.
   */
  #placed: Held[] = [];
  /** The request that must be the only one in flight. */
  #alone: number | undefined;
  /** The service answers without codes, so only the first response on a connection is proved. */
  #isMute = false;
  #carefulUntil = 0;

  constructor(ports: ProofsPorts) {
    this.#ports = ports;
    this.#hasSwaps = ports.hasSwaps;
  }

  get hasSwaps(): boolean {
    return this.#hasSwaps;
  }

  get hasHeld(): boolean {
    return this.#waiting.size > 0 || this.#placed.length > 0;
  }

  /** Number of rows that will be rejected if their refusals are proved. */
  get rejected(): number {
    const all = [...this.#waiting.values()].flatMap(({ held }) => held);
    return [...all, ...this.#placed].filter(({ verdict }) => verdict.state === 'rejected').length;
  }

  /** The first response on a new connection needs no later response as proof. */
  needsOwnConnection({ code, tries }: Ready): boolean {
    return (
      this.#ports.isAlwaysAlone ||
      this.#isMute ||
      code === null ||
      tries > 0 ||
      this.#ports.now() < this.#carefulUntil
    );
  }

  mustBeAlone({ tries }: Ready): boolean {
    return this.#hasSwaps && tries > 0;
  }

  mayLeave(ready: Ready): boolean {
    if (this.#alone !== undefined) return false;
    return !this.mustBeAlone(ready) || this.#ports.wire.isFree(this.#ports.now());
  }

  /** @returns the number of the request, for {@link judge} */
  begin(ready: Ready): number {
    const number = this.#ports.wire.begin();
    if (this.mustBeAlone(ready)) this.#alone = number;
    return number;
  }

  /** Calls `finish` for the row now, or later if the response needs a proof. */
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
    if (origin.kind === 'unsaid' && !this.#ports.isAlwaysAlone && ready.code !== null) {
      this.#isMute = true;
    }
    const why = origin.kind === 'unsaid' ? (isFirst ? undefined : UNPROVED) : origin.why;
    const mayBeOwn = origin.kind !== 'other' || origin.isOwnPerhaps;
    const consequence = judge(outcome, idField, why, mayBeOwn);
    this.#ports.finish(ready.row, consequence.verdict);
    if (origin.kind === 'other' && !this.#isOf(connection, origin.code)) this.noteSwap();
    this.#end(connection);
    return consequence;
  }

  /**
   * Whether the response belongs to another request on the same connection. Then the response was
   * repeated or late, but not swapped.
   */
  #isOf(connection: Connection | undefined, code: string | undefined): boolean {
    // `code` is undefined: the response has the id of an earlier response, so it repeats that one.
    if (code === undefined) return true;
    if (connection === undefined) return false;
    const held = this.#waiting.get(connection)?.held ?? [];
    return this.#lastCode.get(connection) === code || held.some((one) => one.code === code);
  }

  #noSuccess(ready: Ready, outcome: Outcome, place: Place, wasAlone: boolean): Consequence {
    const consequence = judge(outcome, this.#ports.idField);
    const { verdict } = consequence;
    const { connection, isFirst } = place;
    // Needs no proof. A request that was not sent has no response, and an unknown outcome leaves
    // the row unconfirmed.
    if (outcome.kind === 'unknown' || outcome.kind === 'not-sent') {
      this.#ports.finish(ready.row, verdict);
      this.#end(connection);
      return consequence;
    }
    const unknown = unknownOf(outcome, verdict);
    const barrier = this.#ports.wire.last;
    const held: Held = { row: ready.row, code: ready.code, verdict, unknown, barrier };
    if (wasAlone && isFirst) {
      this.#ports.finish(ready.row, verdict);
    } else if (this.#hasSwaps || (connection === undefined && !isFirst)) {
      this.#ports.finish(ready.row, unknown);
    } else if (isFirst) {
      this.#placed.push(held);
    } else {
      this.#hold(connection!, held);
    }
    connection?.release();
    return consequence;
  }

  #hold(connection: Connection, held: Held): void {
    let waiting = this.#waiting.get(connection);
    if (waiting === undefined) {
      waiting = { held: [], since: 0, isAsked: false };
      this.#waiting.set(connection, waiting);
      connection.onEnd = () => this.#disprove(connection);
    }
    waiting.held.push(held);
    waiting.since = this.#ports.now();
  }

  /** All responses of the connection so far belong to their requests. */
  #prove(connection: Connection): void {
    const waiting = this.#waiting.get(connection);
    if (waiting === undefined) return;
    this.#forget(connection);
    for (const held of waiting.held) {
      held.barrier = this.#ports.wire.last;
      this.#placed.push(held);
    }
  }

  /** The refusals on this connection can no longer be proved: their rows become unconfirmed. */
  #disprove(connection: Connection): void {
    const waiting = this.#waiting.get(connection);
    if (waiting === undefined) return;
    this.#forget(connection);
    // The service seems to close connections after refusals. On a connection of its own, a request
    // needs no later response as proof.
    if (waiting.held.some(({ verdict }) => verdict.state === 'pending')) {
      this.#carefulUntil = this.#ports.now() + CAREFUL_MS;
    }
    this.#unconfirm(waiting.held);
  }

  #forget(connection: Connection): void {
    connection.onEnd = undefined;
    this.#waiting.delete(connection);
  }

  #end(connection: Connection | undefined): void {
    if (connection === undefined) return;
    this.#disprove(connection);
    connection.end();
  }

  /** Records that a response arrived on the wrong connection. */
  noteSwap(): void {
    if (this.#hasSwaps) return;
    this.#hasSwaps = true;
    this.giveUp();
    this.#ports.onFirstSwap();
  }

  giveUp(): void {
    for (const connection of [...this.#waiting.keys()]) this.#disprove(connection);
    const placed = this.#placed;
    this.#placed = [];
    this.#unconfirm(placed);
  }

  #unconfirm(held: readonly Held[]): void {
    for (const { row, unknown } of held) this.#ports.finish(row, unknown);
  }

  /** Finishes the refusals that now meet both conditions. */
  release(): void {
    if (this.#placed.length === 0) return;
    const { oldest } = this.#ports.wire;
    let count = 0;
    while (count < this.#placed.length && this.#placed[count]!.barrier < oldest) count++;
    for (const { row, verdict } of this.#placed.splice(0, count)) this.#ports.finish(row, verdict);
  }

  /**
   * Requests a list on idle connections, to prove the refusals that arrived on them.
   *
   * @param isOver no further request will use these connections
   */
  ask(isOver: boolean): void {
    const now = this.#ports.now();
    for (const [connection, waiting] of this.#waiting) {
      if (waiting.isAsked || (!isOver && now - waiting.since < IDLE_MS)) continue;
      const { ask } = this.#ports;
      if (ask === undefined) {
        this.#disprove(connection);
        continue;
      }
      waiting.isAsked = ask(connection, (isInStep) => {
        if (isInStep) this.#prove(connection);
        else this.#disprove(connection);
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
