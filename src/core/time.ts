import { setTimeout } from 'node:timers/promises';
import type { Clock } from './io.ts';

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

const UNITS_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};

/**
 * A duration as people type it: `500ms`, `30s`, `5m`, `1.5h`, `30d`, `2w`.
 *
 * @returns milliseconds; undefined if the text is no duration
 */
export function readDuration(text: string): number | undefined {
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d|w)$/.exec(text) ?? [];
  return amount === undefined ? undefined : Number(amount) * UNITS_MS[unit]!;
}

/** The longest time of Node's timers: 24.8 days. */
const LONGEST_MS = 2 ** 31 - 1;

/**
 * A time limit as people type it: a duration, or a bare number of seconds.
 *
 * @returns whole milliseconds; undefined if it is no time, zero, or longer than a timer can wait
 */
export function readTimeLimit(text: string): number | undefined {
  const ms = readDuration(/^[\d.]+$/.test(text) ? `${text}s` : text) ?? 0;
  return ms <= 0 || ms > LONGEST_MS ? undefined : Math.ceil(ms);
}

/** A time for people: `1.6 s`, `10 min 0 s`, `2 h 3 min`. */
export function elapsedText(seconds: number): string {
  if (seconds < 59.95) return `${Math.round(seconds * 10) / 10} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes} min ${Math.floor(seconds % 60)} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Turns an age in ms into text such as `3 hours ago`. */
export function ageText(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / 60_000));
  if (minutes < 1) return 'just now';
  if (minutes < 60) return minutes === 1 ? 'a minute ago' : `${minutes} minutes ago`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return hours === 1 ? 'an hour ago' : `${hours} hours ago`;
  return `${Math.floor(hours / 24)} days ago`;
}
