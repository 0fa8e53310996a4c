import { ProcError } from '../core/errors.ts';
import { show } from '../core/validate.ts';

const UNITS_MS: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};

/**
 * A moment as people give it: how long ago (`30d`, `12h`, `2w`, `90m`), a day (`2026-01-31`, from
 * its local midnight), or a time (`2026-01-31T08:00:00Z`).
 *
 * @returns milliseconds since the epoch
 * @throws ProcError `invalid_usage`, which names the flag
 */
export function parseMoment(text: string, flag: string, now: number): number {
  const ago = /^(\d{1,6})([mhdw])$/.exec(text);
  if (ago !== null) return now - Number(ago[1]) * UNITS_MS[ago[2]!]!;
  const day = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (day !== null) {
    const [year, month, date] = day.slice(1).map(Number) as [number, number, number];
    const midnight = new Date(year, month - 1, date);
    // The Date constructor makes 1 March of 30 February.
    if (midnight.getMonth() === month - 1 && midnight.getDate() === date) return midnight.getTime();
  } else if (/^\d{4}-\d{2}-\d{2}T/.test(text)) {
    const time = Date.parse(text);
    if (!Number.isNaN(time)) return time;
  }
  throw new ProcError('invalid_usage', `${flag} ${show(text)}: expected how long ago or a date`, {
    hint: `For instance: ${flag} 30d, ${flag} 12h, ${flag} 2026-01-31`,
  });
}
