/**
 * Parses Retry-After (seconds or an HTTP date) to milliseconds from now.
 *
 * @returns undefined if the header is absent or not usable (negative, garbage)
 */
export function parseRetryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  if (/^\d+(?:\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000);
  // Only dates have letters; Date.parse would read "-5" as a year.
  if (!/[a-z]/i.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
