/** What a column would like, and whether it may be cut. */
export interface Wish {
  readonly width: number;
  readonly priority: number;
  /** A number that is cut reads as another number: such a column is whole or not there. */
  readonly whole: boolean;
}

/** Spaces between columns. */
export const GAP = 2;

/** Columns stay at least this wide as long as others can give way, then at least this. */
const FLOORS = [10, 4];

/**
 * Widths that fit the terminal, in the order of the wishes; 0 where a column had to go. The lowest
 * priority gives way first, and among equals the widest.
 */
export function fitWidths(wishes: readonly Wish[], total: number): number[] {
  const widths = wishes.map(({ width }) => Math.min(width, total));
  const shown = wishes.map(() => true);
  for (;;) {
    const used = widths.filter((_, index) => shown[index]);
    let excess = sum(used) + GAP * (used.length - 1) - total;
    if (excess <= 0) break;
    for (const floor of FLOORS) {
      for (const priority of priorities(wishes)) {
        const group = wishes
          .map((wish, index) => ({ wish, index }))
          .filter(({ wish, index }) => wish.priority === priority && !wish.whole && shown[index]);
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
    drop(wishes, shown);
    for (const [index, wish] of wishes.entries()) widths[index] = Math.min(wish.width, total);
  }
  return widths.map((width, index) => (shown[index] ? width : 0));
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

function priorities(wishes: readonly Wish[]): number[] {
  return [...new Set(wishes.map(({ priority }) => priority))].sort((a, b) => a - b);
}

/** Takes columns of terminal from the widest of the group, down to the floor. Gives what is left. */
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

/** The last of the columns with the lowest priority goes. */
function drop(wishes: readonly Wish[], shown: boolean[]): void {
  let worst: number | undefined;
  for (const [index, wish] of wishes.entries()) {
    if (!shown[index]) continue;
    if (worst === undefined || wish.priority <= wishes[worst]!.priority) worst = index;
  }
  if (worst !== undefined) shown[worst] = false;
}
