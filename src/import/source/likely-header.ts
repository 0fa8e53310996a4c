import { firstRow, type HeaderPlace } from './header-place.ts';

/** How well cells fit as a header; 0: not at all. */
export type Fits = (cells: readonly string[]) => number;

export interface TopRow {
  /** Line of the file, or row of the sheet. */
  readonly row: number;
  readonly cells: readonly string[];
}

/** Only this many rows at the top of a table are searched for a header. */
export const TOP_ROWS = 50;

/** The score of a row whose cells do not fit, but which has at least as many cells as most rows. */
const SHAPED = 0.5;

export interface LikelyHeader {
  readonly row: number;
  readonly score: number;
  /** proc reads this row as the header anyway. */
  readonly isRead: boolean;
}

/**
 * The row that looks most like a header: the row that fits best, or else the first row with at least as many
 * cells as most rows. Of equally good rows, the row that proc reads as the header wins.
 *
 * @param place where proc reads the header
 */
export function likelyHeader(
  rows: readonly TopRow[],
  place: HeaderPlace,
  fits: Fits,
): LikelyHeader | undefined {
  const filled = rows.filter(({ cells }) => widthOf(cells) > 0);
  const read = filled.find(({ row }) => row >= firstRow(place));
  const sorted = read === undefined ? filled : [read, ...filled];
  let best: TopRow | undefined;
  let score = 0;
  for (const one of sorted) {
    const own = fits(one.cells);
    if (own <= score) continue;
    best = one;
    score = own;
  }
  const usual = usualWidth(filled);
  best ??= sorted.find(({ cells }) => widthOf(cells) >= usual);
  if (best === undefined) return undefined;
  return { row: best.row, score: Math.max(score, SHAPED), isRead: best === read };
}

function widthOf(cells: readonly string[]): number {
  return cells.filter((cell) => cell.trim() !== '').length;
}

/** The number of cells that most rows have, at least two. */
function usualWidth(rows: readonly TopRow[]): number {
  const counts = new Map<number, number>();
  for (const { cells } of rows) {
    const width = widthOf(cells);
    if (width > 1) counts.set(width, (counts.get(width) ?? 0) + 1);
  }
  const [usual = [Number.POSITIVE_INFINITY]] = [...counts].sort(
    ([a, as], [b, bs]) => bs - as || b - a,
  );
  return usual[0];
}
