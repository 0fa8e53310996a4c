import { readFileSync } from 'node:fs';
import { hrtime } from 'node:process';
import type { Clock } from '../ports.ts';

/** The real time and randomness. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic() {
    const [seconds, nanoseconds] = hrtime();
    return seconds * 1000 + nanoseconds / 1e6;
  },
  boot() {
    try {
      return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    } catch {
      return undefined;
    }
  },
  random: () => Math.random(),
  sleep(ms, signal) {
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      }, ms);
      if (signal?.aborted === true) onAbort();
      else signal?.addEventListener('abort', onAbort, { once: true });
    });
  },
};
