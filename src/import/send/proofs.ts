import type { Problem } from '../../core/problem/row-problem.ts';
import type { Outcome } from '../../core/service/outcome.ts';
import type { Connection, Place } from '../../core/service/sender.ts';
import type { Ready, Verdict } from '../store/send-queue.ts';
import type { ResponseMatcher } from './response-matcher.ts';
import { type Answered, answerIn, type Consequence, judge } from './verdict.ts';
import type { Wire } from './wire.ts';

/**
 * A later response on the connection may prove a refusal. After waiting this long, proc requests a
 * list on the connection instead.
 */
const IDLE_MS = 500;
/**
 * For this long after a response that is not surely the row's own, each request gets its own
 * connection. After the response of another row, no refusal counts meanwhile.
 */
const CAREFUL_MS = 60_000;

export interface ProofsPorts {
  readonly matcher: ResponseMatcher;
  readonly wire: Wire;
  readonly idField: string;
  readonly keyField: string;
  /**
   * Each request needs a new connection: a row with an unproved response could not be looked up.
   */
  readonly isAlwaysAlone: boolean;
  finish(row: number, verdict: Verdict): void;
  /** Adds the place in the source. */
  locate(row: number, problem: Problem): Problem;
  /** Called if the first code that comes back is unlike the code that was sent. The run stops. */
  onUnlike(why: Problem): void;
  /**
   * Requests a list as the last request on a connection. Returns false if the connection is busy.
   * `ask` is undefined if the service has no list.
   */
  ask: ((connection: Connection, onResponse: (isInStep: boolean) => void) => boolean) | undefined;
  now(): number;
}

interface Held {
  readonly row: number;
  readonly verdict: Verdict;
  /** The verdict if the refusal cannot be proved. */
  readonly unknown: Verdict;
  /** Number of a request. The refusal counts once this request and all earlier ones have ended. */
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
 * Decides whether a response belongs to the row whose request it came for. See docs/internals/protocol.md.
 *
 * A broken service or proxy may deliver a response twice, or on another connection. A success proves
 * itself if it has the code of the row. A refusal has no code. So it is held until two conditions are
 * met:
 *
 * - *No extra response came before it on its connection*: it is the first response there, or a later
 *   response there is surely right.
 * - *It was not swapped with a success*: all requests that were in flight have ended, and none got the
 *   response of another row.
 *
 * Any other response ends its connection, and its row is unconfirmed, as are all rows whose refusals
 * are still held. proc looks these rows up.
 */
export class Proofs {
  readonly #ports: ProofsPorts;
  readonly #waiting = new Map<Connection, Waiting>();
  /** Refusals that meet the first condition, in the order of their barriers. */
  #placed: Held[] = [];
  #aloneUntil = 0;
  #doubtUntil = 0;

  constructor(ports: ProofsPorts) {
    this.#ports = ports;
  }

  /** The response of another row has arrived at least once. */
  get hasForeign(): boolean {
    return this.#doubtUntil > 0;
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
    const { isAlwaysAlone, now } = this.#ports;
    return isAlwaysAlone || code === null || tries > 0 || now() < this.#aloneUntil;
  }

  /** @returns the number of the request, for {@link judge} */
  begin({ code }: Ready): number {
    this.#ports.matcher.sent(code);
    return this.#ports.wire.begin();
  }

  /** Calls `finish` for the row now, or later if the response needs a proof. */
  judge(ready: Ready, sent: number, outcome: Outcome, place: Place): Consequence {
    this.#ports.wire.end(sent);
    const answer = answerIn(outcome, this.#ports.keyField);
    const consequence =
      answer === undefined
        ? this.#noSuccess(ready, outcome, place)
        : this.#success(ready, answer, place);
    this.release();
    return consequence;
  }

  #success(ready: Ready, { done, misfit }: Answered, place: Place): Consequence {
    const { matcher, idField, finish } = this.#ports;
    const { connection, isFirst } = place;
    const origin = matcher.originOf(ready, done.value);
    if (origin.kind === 'own' && misfit === undefined) {
      const own = judge(done, idField);
      finish(ready.row, own.verdict);
      if (connection !== undefined) {
        this.#prove(connection);
        connection.release();
      }
      return own;
    }
    this.#aloneUntil = this.#ports.now() + CAREFUL_MS;
    const isForeign = origin.kind === 'foreign';
    const own = misfit && this.#ports.locate(ready.row, misfit);
    const why = isForeign ? origin.why : (own ?? (isFirst ? undefined : unprovedOf()));
    const consequence = {
      ...judge(done, idField, why, !isForeign || origin.mayBeOwn),
      contradiction: isForeign ? why : own,
    };
    finish(ready.row, consequence.verdict);
    if (isForeign) this.noteForeign();
    this.#end(connection);
    if (!(isFirst && isForeign && origin.mayBeOwn && origin.why.code === 'other_code'))
      return consequence;
    // No earlier request used the connection: the service stores another code than was sent.
    this.#ports.onUnlike(origin.why);
    const args = { sent: ready.code!, stored: origin.why.args.code };
    return { ...consequence, stop: { code: 'other_code_stored', args } };
  }

  #noSuccess(ready: Ready, outcome: Outcome, place: Place): Consequence {
    const { idField, finish, wire, now } = this.#ports;
    const consequence = this.#located(ready.row, judge(outcome, idField));
    const { verdict } = consequence;
    const { connection, isFirst } = place;
    // Needs no proof. A request that was not sent has no response, and an unknown outcome leaves
    // the row unconfirmed.
    if (outcome.kind === 'unknown' || outcome.kind === 'not-sent') {
      finish(ready.row, verdict);
      this.#end(connection);
      return consequence;
    }
    const unknown = unknownOf(outcome, verdict);
    const held: Held = { row: ready.row, verdict, unknown, barrier: wire.last };
    if (now() < this.#doubtUntil || (connection === undefined && !isFirst)) {
      finish(ready.row, unknown);
    } else if (isFirst) {
      this.#placed.push(held);
    } else {
      this.#hold(connection!, held);
    }
    connection?.release();
    return consequence;
  }

  #located(row: number, consequence: Consequence): Consequence {
    const { verdict, contradiction } = consequence;
    if (verdict.reason === undefined) return consequence;
    const reason = this.#ports.locate(row, verdict.reason);
    return {
      ...consequence,
      verdict: { ...verdict, reason },
      contradiction: contradiction && reason,
    };
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
    for (const held of this.#take(connection)) {
      held.barrier = this.#ports.wire.last;
      this.#placed.push(held);
    }
  }

  /** The refusals on this connection can no longer be proved: their rows become unconfirmed. */
  #disprove(connection: Connection): void {
    const held = this.#take(connection);
    // The service seems to close connections after refusals. On a connection of its own, a request
    // needs no later response as proof.
    if (held.some(({ verdict }) => verdict.state === 'pending')) {
      this.#aloneUntil = this.#ports.now() + CAREFUL_MS;
    }
    this.#unconfirm(held);
  }

  #take(connection: Connection): readonly Held[] {
    const waiting = this.#waiting.get(connection);
    if (waiting === undefined) return [];
    connection.onEnd = undefined;
    this.#waiting.delete(connection);
    return waiting.held;
  }

  #end(connection: Connection | undefined): void {
    if (connection === undefined) return;
    this.#disprove(connection);
    connection.end();
  }

  /** A response has arrived that belongs to another request, so any refusal may do so too. */
  noteForeign(): void {
    this.#doubtUntil = this.#ports.now() + CAREFUL_MS;
    this.giveUp();
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
  const said: Problem | undefined =
    verdict.reason ?? (status === undefined ? undefined : { code: 'answered', args: { status } });
  return { state: 'unconfirmed', status, reason: unprovedOf(said) };
}

function unprovedOf(problem?: Problem): Problem {
  return { code: 'unproved', args: { problem } };
}
