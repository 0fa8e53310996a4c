/**
 * Ids of Excel's built-in formats for dates and times: the first and last id of each range. A workbook
 * can use these formats without a template.
 */
const BUILT_IN_IDS = [
  [14, 22],
  [27, 36],
  [45, 47],
  [50, 58],
  [71, 81],
] as const;

/**
 * Day 0 of Excel. Excel counts 29 February 1900, which did not exist: only dates from March 1900 on
 * are right.
 */
const DAY_0 = Date.UTC(1899, 11, 30);
const DAYS_UNTIL_1904 = 1462;
const SECONDS_OF_DAY = 86_400;
/** 1 January 10000, the first day that is not valid. */
const DAYS_END = 2_958_466;

/** Most programs write dates as numbers: only the number format shows that they are dates. */
export function isDateFormat(id: number, template: string | undefined): boolean {
  if (template === undefined) return BUILT_IN_IDS.some(([from, to]) => id >= from && id <= to);
  const bare = template
    .replace(/"[^"]*"|\\.|[_*]./g, ' ')
    // `[h]` counts hours beyond a day; `[Red]` and `[$-409]` are a colour and a locale.
    .replace(/\[(h+|m+|s+)\]/gi, '$1')
    .replace(/\[[^\]]*\]/g, '')
    .replace(/s[.,]0+/gi, 's');
  const [first = ''] = bare.split(';');
  return /[ymdhs]/i.test(first) && !/[0#?]/.test(first);
}

/** Whether the format is for durations, e.g. `[h]:mm`. */
export function isSpanFormat(id: number, template: string | undefined): boolean {
  if (template === undefined) return id === 46;
  return /\[(h+|m+|s+)\]/i.test(template.replace(/"[^"]*"|\\./g, ' '));
}

/** Formats a number of days as hours, minutes and seconds: `26:30:00`. */
export function spanText(days: number): string {
  const seconds = Math.round(Math.abs(days) * SECONDS_OF_DAY);
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return `${days < 0 ? '-' : ''}${parts.map((part) => String(part).padStart(2, '0')).join(':')}`;
}

/**
 * Formats a number of days as ISO text: a date, a time, or both. Undefined if it is out of range.
 */
export function dateText(days: number, from1904: boolean): string | undefined {
  const serial = from1904 ? days + DAYS_UNTIL_1904 : days;
  if (!(serial >= 0 && serial < DAYS_END)) return undefined;
  // Rounds to seconds: fractions of days are slightly inexact.
  const text = new Date(DAY_0 + Math.round(serial * SECONDS_OF_DAY) * 1000).toISOString();
  if (serial < 1) return text.slice(11, 19);
  return text.endsWith('T00:00:00.000Z') ? text.slice(0, 10) : text.slice(0, 19);
}
