/**
 * One open connection, as far as its answers tell. Services and proxies get out of step: they answer one
 * request twice, or say something that nobody asked for, and the next request takes that for its own
 * answer. So whoever judges an answer has to know what came before it on the same connection.
 */
export interface Connection {
  /** Whole answers before the one under way. 0: nothing can be left over from an earlier request. */
  readonly answers: number;
  /** Told once when it has ended; where this is set, it is kept for a question when it is idle for long. */
  onEnd: (() => void) | undefined;
  /** The next request may use it. Where neither this nor `end` is called, it is so after the answer. */
  release(): void;
  /** No further request uses it. */
  end(): void;
}

/** A connection that carries one request only. */
export function singleUse(): Connection {
  return { answers: 0, onEnd: undefined, release() {}, end() {} };
}
