/** The preferred width of a column, and whether it may be shortened. */
export interface WantedWidth {
  readonly width: number;
  readonly priority: number;
  /** A shortened number looks like another number, so such a column is complete or hidden. */
  readonly whole: boolean;
}

/** Spaces between columns. */
export const GAP = 2;

/** Minimum widths of a column: first while other columns can shrink, then in the last resort. */
const FLOORS = [10, 4];

/**
 * Column widths that fit the terminal, in input order; 0 for a hidden column. The lowest priority
 * shrinks first, and among equals the widest.
 */
export function fitWidths(wanted: readonly WantedWidth[], total: number): number[] {
  const widths = wanted.map(({ width }) => Math.min(width, total));
  const shown = wanted.map(() => true);
  for (;;) {
    const used = widths.filter((_, index) => shown[index]);
    let excess = sum(used) + GAP * (used.length - 1) - total;
    if (excess <= 0) break;
    for (const floor of FLOORS) {
      for (const priority of priorities(wanted)) {
        const group = wanted
          .map((column, index) => ({ column, index }))
          .filter(
            ({ column, index }) => column.priority === priority && !column.whole && shown[index],
          );
        excess = shrink(
          widths,
          group.map(({ index }) => index),
          floor,
          excess,
        );
      }
    }
    if (excess <= 0) break;
    if (used.length === 1) break;
    drop(wanted, shown);
    for (const [index, column] of wanted.entries()) widths[index] = Math.min(column.width, total);
  }
  return widths.map((width, index) => (shown[index] ? width : 0));
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

function priorities(wanted: readonly WantedWidth[]): number[] {
  return [...new Set(wanted.map(({ priority }) => priority))].sort((a, b) => a - b);
}

/** Shrinks the widest columns of the group down to `floor`; returns the excess that is left. */
function shrink(widths: number[], group: readonly number[], floor: number, excess: number): number {
  let left = excess;
  while (left > 0) {
    const widest = group.reduce<number | undefined>(
      (best, index) => (best === undefined || widths[index]! > widths[best]! ? index : best),
      undefined,
    );
    if (widest === undefined || widths[widest]! <= floor) break;
    widths[widest] = widths[widest]! - 1;
    left--;
  }
  return left;
}

/** Hides the last of the columns with the lowest priority. */
function drop(wanted: readonly WantedWidth[], shown: boolean[]): void {
  let worst: number | undefined;
  for (const [index, column] of wanted.entries()) {
    if (!shown[index]) continue;
    if (worst === undefined || column.priority <= wanted[worst]!.priority) worst = index;
  }
  if (worst !== undefined) shown[worst] = false;
}
