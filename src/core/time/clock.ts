import { readFileSync } from 'node:fs';
import { hrtime, versions } from 'node:process';
import { setTimeout } from 'node:timers/promises';
import type { Clock } from '../io.ts';

/**
 * Added to `hrtime`, so that times of two processes can be compared. 0 in Node, where `hrtime` is the same
 * for all processes. In the single executable (Bun), `hrtime` starts with the process.
 */
let origin: number | undefined;

function elapsed(): number {
  const [seconds, nanoseconds] = hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}

/** Milliseconds since the machine started; if that is unknown, since the process started. */
function uptime(): number {
  try {
    return Number.parseFloat(readFileSync('/proc/uptime', 'utf8')) * 1000;
  } catch {
    return elapsed();
  }
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic() {
    origin ??= 'bun' in versions ? uptime() - elapsed() : 0;
    return origin + elapsed();
  },
  boot() {
    try {
      return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    } catch {
      return undefined;
    }
  },
  random: () => Math.random(),
  async sleep(ms, signal) {
    // Its own error is an AbortError.
    await setTimeout(ms, undefined, { signal }).catch((thrown) => {
      throw signal?.aborted === true ? signal.reason : thrown;
    });
  },
};
