import { setTimeout } from 'node:timers/promises';
import type { Clock } from '../io.ts';

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  random: () => Math.random(),
  async sleep(ms, signal) {
    // Its own error is an AbortError.
    await setTimeout(ms, undefined, { signal }).catch((thrown) => {
      throw signal?.aborted === true ? signal.reason : thrown;
    });
  },
};
