import type { ApiPort, SelfPort } from '../../../core/ports.ts';
import type { Destination } from '../destination.ts';
import { withoutKey } from '../without-key.ts';

export function atDestination(destination: Destination, self: SelfPort) {
  return {
    target: async () => withoutKey(await destination.target()),
    callAt: destination.callAt as ApiPort['callAt'],
    learnNames: destination.learnNames,
    async sender(connections, dialect, at) {
      const { openSender } = await import('../open-sender.ts');
      return openSender(destination, self, connections, dialect, at);
    },
  } satisfies Partial<ApiPort>;
}
