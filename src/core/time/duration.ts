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
