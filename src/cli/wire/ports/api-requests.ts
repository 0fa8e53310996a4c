import type { AnyInput, EndpointSpec } from '../../../core/endpoint.ts';
import type { ApiPort, SelfPort, WriteIntent } from '../../../core/ports.ts';
import type { Row } from '../../../core/result.ts';
import type { Destination } from '../destination.ts';
import { lazyPages } from '../lazy-pages.ts';
import { withoutKey } from '../without-key.ts';

type CallAny = (spec: EndpointSpec, input: AnyInput, intent?: WriteIntent) => Promise<unknown>;

/** What the port and its twin for previews share: all that rests on how one request is made. */
export function apiRequests(destination: Destination, self: SelfPort, callAny: CallAny) {
  const { target, callAt } = destination;
  return {
    target: async () => withoutKey(await target()),
    callAny,
    call: callAny as ApiPort['call'],
    callAt: callAt as ApiPort['callAt'],
    pages: (spec, query) =>
      lazyPages(async () => {
        const { listPages } = await import('../../../listing/list-pages.ts');
        const read = (list: EndpointSpec, part: Row) =>
          callAny(list, { query: part }) as Promise<readonly Row[]>;
        return listPages(spec, query, async () => ({ target: await target(), read }));
      }),
    async sender(connections, dialect) {
      const { openSender } = await import('../open-sender.ts');
      return openSender(destination, self, connections, dialect);
    },
  } satisfies Partial<ApiPort>;
}
