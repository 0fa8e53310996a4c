export interface WantedWidth {
  readonly width: number;
  readonly priority: number;
  /** If true, the column is never shortened, only hidden: a shortened number would look like another number. */
  readonly whole: boolean;
}

export const GAP = 2;

const READABLE = 24;
const FLOOR = 8;
/**
 * The minimum width of a column if the minimum of `floorFor` is still too wide. Used only if one column
 * is left, or if all shown columns have priority 3 or more.
 */
const LAST_FLOOR = 4;

/**
 * The minimum width of a column: `FLOOR` for the lowest priority that is shown, `READABLE` for
 * others. While a column of priority 0 is shown, all columns have the minimum `READABLE`. If all
 * shown columns have priority 3 or more, all have the minimum `FLOOR`.
 *
 * @param lowest the lowest priority of the columns that are still shown
 */
function floorFor(priority: number, lowest: number): number {
  return lowest < 1 || (priority > lowest && lowest < 3) ? READABLE : FLOOR;
}

/**
 * Widths that fit the terminal; 0 hides a column. Columns of the lowest priority shrink first, and
 * of these the widest.
 */
export function fitWidths(wanted: readonly WantedWidth[], total: number): number[] {
  const widths = wanted.map(({ width }) => Math.min(width, total));
  const shown = wanted.map(() => true);
  for (;;) {
    const used = widths.filter((_, index) => shown[index]);
    let excess = sum(used) + GAP * (used.length - 1) - total;
    if (excess <= 0) break;
    const lowest = Math.min(...wanted.flatMap(({ priority }, at) => (shown[at] ? [priority] : [])));
    const shrinkTo = (floor: (priority: number) => number): void => {
      for (const priority of priorities(wanted)) {
        const group = [...wanted.keys()].filter((index) => {
          const column = wanted[index]!;
          return column.priority === priority && !column.whole && shown[index];
        });
        excess = shrink(widths, group, floor(priority), excess);
      }
    };
    shrinkTo((priority) => floorFor(priority, lowest));
    if (lowest >= 3 || used.length === 1) shrinkTo(() => LAST_FLOOR);
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

function drop(wanted: readonly WantedWidth[], shown: boolean[]): void {
  let worst: number | undefined;
  for (const [index, column] of wanted.entries()) {
    if (!shown[index]) continue;
    if (worst === undefined || column.priority <= wanted[worst]!.priority) worst = index;
  }
  if (worst !== undefined) shown[worst] = false;
}
