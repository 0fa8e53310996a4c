import { ProcError } from './errors.ts';
import { readDuration } from './time.ts';
import { show } from './validate.ts';

/** The largest distance of a Date from 1970. */
const FURTHEST_MS = 8.64e15;

/** A moment with its zone: `2026-01-31 00:00 -03:00`. */
export function momentText(ms: number): string {
  const offset = -new Date(ms).getTimezoneOffset();
  const local = new Date(ms + offset * 60_000).toISOString();
  const two = (n: number) => String(n).padStart(2, '0');
  const zone = `${offset < 0 ? '-' : '+'}${two(Math.floor(Math.abs(offset) / 60))}:${two(Math.abs(offset) % 60)}`;
  return `${local.slice(0, 10)} ${local.slice(11, 16)} ${zone}`;
}

/**
 * A moment as people type it: an age (`30d`, `12h`), a local day (`2026-01-31`) or a time
 * (`2026-01-31T08:00:00Z`; local without a zone).
 *
 * @returns milliseconds since the epoch
 * @throws ProcError `invalid_usage`, which names the flag
 */
export function parseMoment(text: string, flag: string, now: number): number {
  const agoMs = readDuration(text);
  if (agoMs !== undefined && now - agoMs >= -FURTHEST_MS) return now - agoMs;
  const day = dayIn(text);
  if (day !== undefined) {
    const [year, month, date] = day;
    const midnight = new Date(year, month - 1, date);
    // The Date constructor turns 30 February into 1 or 2 March.
    const isReal = midnight.getMonth() === month - 1 && midnight.getDate() === date;
    if (isReal) return midnight.getTime();
  } else if (/^\d{4}-\d{2}-\d{2}T/.test(text)) {
    const time = Date.parse(text);
    if (!Number.isNaN(time)) return time;
  }
  throw new ProcError('invalid_usage', `${flag} ${show(text)}: expected an age or a date`, {
    hint: `Use e.g. ${flag} 30d, ${flag} 12h, ${flag} 2026-01-31`,
  });
}

/** As {@link parseMoment}, but a day (`2026-01-31`) means its last millisecond. */
export function parseLastMoment(text: string, flag: string, now: number): number {
  const moment = parseMoment(text, flag, now);
  const day = dayIn(text);
  return day === undefined ? moment : new Date(day[0], day[1] - 1, day[2] + 1).getTime() - 1;
}

function dayIn(text: string): readonly [number, number, number] | undefined {
  const day = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  return day === null ? undefined : (day.slice(1).map(Number) as [number, number, number]);
}
