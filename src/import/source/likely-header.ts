import { firstRow, type HeaderPlace } from './header-place.ts';

/** How well cells fit as a header; 0: not at all. */
export type Fits = (cells: readonly string[]) => number;

export interface TopRow {
  readonly row: number;
  readonly cells: readonly string[];
}

export const TOP_ROWS = 50;

/** The score of a row that is as wide as most rows, but whose cells do not fit. */
const SHAPED = 0.5;

export interface LikelyHeader {
  readonly row: number;
  readonly score: number;
  /** This is the row that proc reads as the header. */
  readonly isRead: boolean;
}

/**
 * Chooses the row that fits best; if none fits, the first row that is as wide as most rows. Between
 * equal rows, the row that proc reads as the header wins.
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

/** The most frequent number of filled cells. Rows with fewer than two filled cells do not count. */
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
