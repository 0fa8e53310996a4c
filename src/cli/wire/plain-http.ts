import { isLoopback } from '../../client/connection/origin.ts';
import type { Say, Target } from '../../core/ports.ts';

/** Said once per command: `allowHttp` permits it, it does not make it safe. */
export function warnOfPlainHttp(target: Target, say: Say): void {
  const url = new URL(target.baseUrl);
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    say({
      kind: 'warning',
      text: `${url.origin} is plain http: the key and all data can be read on the way`,
    });
  }
}
