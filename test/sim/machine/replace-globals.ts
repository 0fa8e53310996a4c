import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import type { Machine } from './machine.ts';

function handle(number: number) {
  const timer = {
    number,
    ref: () => timer,
    unref: () => timer,
    hasRef: () => true,
    refresh: () => timer,
  };
  return timer;
}

/**
 * Replaces timers, clocks and randomness of the whole process. So a plain `setTimeout` in proc is simulated
 * too.
 */
export function replaceGlobals(machine: () => Machine): void {
  const after = (work: (...given: unknown[]) => void, ms = 0, ...given: unknown[]) =>
    handle(machine().after(Math.max(1, Number(ms)), () => work(...given)));
  const every = (work: (...given: unknown[]) => void, ms = 1, ...given: unknown[]) =>
    handle(machine().after(ms, () => work(...given), machine().owner, Math.max(1, ms)));
  const soon = (work: (...given: unknown[]) => void, ...given: unknown[]) =>
    handle(machine().immediate(() => work(...given)));
  const cancel = (timer: { readonly number?: number } | undefined) => {
    if (timer?.number !== undefined) machine().cancel(timer.number);
  };
  Object.assign(globalThis, {
    setTimeout: after,
    setInterval: every,
    setImmediate: soon,
    clearTimeout: cancel,
    clearInterval: cancel,
    clearImmediate: cancel,
  });
  Object.assign(timers, {
    setTimeout: (ms: number) =>
      new Promise<void>((resolve) => void machine().after(ms, () => resolve())),
  });
  Date.now = () => machine().wall;
  performance.now = () => machine().monotonic;
  Math.random = () => machine().random();
  Object.assign(crypto, {
    randomBytes: (size: number) =>
      Buffer.from(Array.from({ length: size }, () => Math.floor(machine().random() * 256))),
    randomUUID: () =>
      `00000000-0000-4000-8000-${String(Math.floor(machine().random() * 1e12)).padStart(12, '0')}`,
  });
  syncBuiltinESMExports();
}
