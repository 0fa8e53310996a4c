/** Formats that have numbers instead of templates and show dates or times, in one language or another. */
const BUILT_IN = [
  [14, 22],
  [27, 36],
  [45, 47],
  [50, 58],
  [71, 81],
] as const;

/** The day 0, so that days after February 1900 are right (Excel counts a 29th that was none). */
const DAY_0 = Date.UTC(1899, 11, 30);
const DAYS_UNTIL_1904 = 1462;
const SECONDS_OF_DAY = 86_400;
/** The first of January of the year 10000. */
const DAYS_END = 2_958_466;

/** Whether numbers in this format are dates: workbooks have no type for them that writers use. */
export function isDateFormat(id: number, template: string | undefined): boolean {
  if (template === undefined) return BUILT_IN.some(([from, to]) => id >= from && id <= to);
  const bare = template
    .replace(/"[^"]*"|\\.|[_*]./g, ' ')
    // `[h]` counts hours over a day; `[Red]` and `[$-409]` are something else.
    .replace(/\[(h+|m+|s+)\]/gi, '$1')
    .replace(/\[[^\]]*\]/g, '')
    .replace(/s[.,]0+/gi, 's');
  const [first = ''] = bare.split(';');
  return /[ymdhs]/i.test(first) && !/[0#?]/.test(first);
}

/** Whether numbers in this format are spans of time, which may be longer than a day: `[h]:mm`. */
export function isSpanFormat(id: number, template: string | undefined): boolean {
  if (template === undefined) return id === 46;
  return /\[(h+|m+|s+)\]/i.test(template.replace(/"[^"]*"|\\./g, ' '));
}

/** A number of days as hours, minutes and seconds: `26:30:00`. */
export function spanText(days: number): string {
  const seconds = Math.round(Math.abs(days) * SECONDS_OF_DAY);
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return `${days < 0 ? '-' : ''}${parts.map((part) => String(part).padStart(2, '0')).join(':')}`;
}

/** A number of days as ISO text: a date, a time, or both; undefined where it is none of a calendar. */
export function dateText(days: number, from1904: boolean): string | undefined {
  const serial = from1904 ? days + DAYS_UNTIL_1904 : days;
  if (!(serial >= 0 && serial < DAYS_END)) return undefined;
  // To the second: days are fractions that miss it by a little.
  const text = new Date(DAY_0 + Math.round(serial * SECONDS_OF_DAY) * 1000).toISOString();
  if (serial < 1) return text.slice(11, 19);
  return text.endsWith('T00:00:00.000Z') ? text.slice(0, 10) : text.slice(0, 19);
}
