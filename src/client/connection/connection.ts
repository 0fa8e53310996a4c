import type { Connection } from '../../core/service/sender.ts';

export function singleUse(): Connection {
  return { responses: 0, onEnd: undefined, release() {}, end() {} };
}
