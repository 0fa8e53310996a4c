import type { Say } from '../../core/ports.ts';
import type { Target } from '../../core/service-target.ts';
import { isLoopback } from '../../core/text/loopback.ts';

/** Warns even if the setting `allowHttp` permits plain HTTP. */
export function warnOfPlainHttp(target: Target, say: Say): void {
  const url = new URL(target.baseUrl);
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    say({
      kind: 'warning',
      text: `${url.origin} uses plain http: others on the network can read the key and all data`,
    });
  }
}
