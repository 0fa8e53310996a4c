import type { ApiPort, SelfPort } from '../../../core/ports.ts';
import type { Destination } from '../destination.ts';
import { withoutKey } from '../without-key.ts';

export function atDestination(destination: Destination, self: SelfPort) {
  return {
    target: async () => withoutKey(await destination.target()),
    callAt: destination.callAt as ApiPort['callAt'],
    async sender(connections, dialect) {
      const { openSender } = await import('../open-sender.ts');
      return openSender(destination, self, connections, dialect);
    },
  } satisfies Partial<ApiPort>;
}
