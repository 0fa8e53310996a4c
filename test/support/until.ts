import { setTimeout as pause } from 'node:timers/promises';

const LONGEST_MS = 100_000;

/** Waits until something is so. Ends before its test does, which would otherwise leave it running. */
export async function until(isSo: () => unknown, everyMs = 5): Promise<void> {
  const giveUpAt = performance.now() + LONGEST_MS;
  while (!(await isSo())) {
    if (performance.now() > giveUpAt) throw new Error(`waited in vain: ${isSo}`);
    await pause(everyMs);
  }
}
