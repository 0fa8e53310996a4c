const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** A bar for a value between 0 and `max`, at most `width` columns long. A value above 0 is never empty. */
export function bar(value: number, max: number, width: number): string {
  if (!(value > 0) || !(max > 0) || width <= 0) return '';
  const eighths = Math.max(1, Math.round(Math.min(value / max, 1) * width * 8));
  return '█'.repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8]!;
}
