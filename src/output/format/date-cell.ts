const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** For older times, a date says more than `40 d ago`. */
const RELATIVE_MS = 30 * DAY_MS;

const TIME = /^\d{4}-\d{2}-\d{2}T[\d:.]+(Z|[+-]\d{2}:?\d{2})$/;

/** True for text such as `2026-01-31T08:00:00Z`. */
export function isTime(value: unknown): value is string {
  return typeof value === 'string' && TIME.test(value);
}

/**
 * `just now`, `5 min ago`, `3 h ago` or `2 d ago`. Undefined for older times and for future times.
 */
function agoText(time: string, now: number): string | undefined {
  const age = now - Date.parse(time);
  // Clocks of two machines differ, so a time less than a minute ahead counts as now.
  if (!(age > -MINUTE_MS) || age > RELATIVE_MS) return undefined;
  if (age < MINUTE_MS) return 'just now';
  if (age < HOUR_MS) return `${Math.floor(age / MINUTE_MS)} min ago`;
  return age < DAY_MS ? `${Math.floor(age / HOUR_MS)} h ago` : `${Math.floor(age / DAY_MS)} d ago`;
}

export function shortTime(time: string, now: number): string {
  return agoText(time, now) ?? time.slice(0, 10);
}

/** A time in a record: `2026-01-31T08:00:00Z (3 h ago)`. Older times stand alone. */
export function longTime(time: string, now: number): string {
  const ago = agoText(time, now);
  return ago === undefined ? time : `${time} (${ago})`;
}
