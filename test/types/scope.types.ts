// Compiled, never run: `tsc` fails if one of these lines is no longer an error.

import { Scope } from '../../src/core/service.ts';
import type { Intent } from '../../src/history/entry.ts';
import type { History } from '../../src/history/history.ts';

declare const history: History;
declare const intent: Intent;

/** Several organizations may use a service at the same URL. So the URL is not enough to look up stored writes. */
export function scopesHold(service: string): void {
  // @ts-expect-error a service
  void history.begin(service, intent, { now: 0, refusesRepeats: true });
  // @ts-expect-error a service
  void history.creatorOf(service, 'items', 'itm-1');
  // @ts-expect-error an address alone
  new Scope({ baseUrl: service });
  // @ts-expect-error an object with the same fields
  void history.once({ service, organization: 'acme', key: 'http://a.example acme' }, 'job-1');
}
