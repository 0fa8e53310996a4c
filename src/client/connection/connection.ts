import type { Connection } from '../../core/service/sender.ts';

/** A connection that carries one request only. */
export function singleUse(): Connection {
  return { answers: 0, onEnd: undefined, release() {}, end() {} };
}
