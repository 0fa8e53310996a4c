import { MAX_COLUMNS } from '../bytes/limits.ts';

const NAMED = 3;
const MOST_ROWS = 1_048_576;

export interface Counted {
  readonly count: number;
  readonly samples: readonly string[];
}

/** What may mislead a person who looks at the workbook, e.g. hidden rows. */
export interface WorkbookSigns {
  isHidden(row: number): boolean;
  readonly hiddenColumns: readonly string[];
  /** By column: numbers that the workbook shows with leading zeros, e.g. `00042`. */
  readonly shownZeros: ReadonlyMap<string, Counted>;
  /** By column: whole numbers of 16 digits and more. */
  readonly longNumbers: ReadonlyMap<string, Counted>;
  /** By column: cells with a formula whose result is not stored. */
  readonly unsaved: ReadonlyMap<string, Counted>;
}

interface Counting {
  count: number;
  readonly samples: string[];
}

/** The signs of one sheet. */
export class SheetSigns {
  #hiddenRows: Uint8Array | undefined;
  #shift = 0;
  readonly #hiddenColumns = new Set<number>();
  readonly #shownZeros = new Map<number, Counting>();
  readonly #longNumbers = new Map<number, Counting>();
  readonly #unsaved = new Map<number, Counting>();

  /** With `--sheet '*'`: the rows of the next sheet follow these lines. */
  shiftRows(lines: number): void {
    this.#shift = lines;
  }

  /** @param row from 1 */
  hideRow(row: number): void {
    const line = row + this.#shift;
    const needed = (line >> 3) + 1;
    if (this.#hiddenRows === undefined || this.#hiddenRows.length < needed) {
      const grown = new Uint8Array(
        Math.max(needed, MOST_ROWS / 8 + 1, (this.#hiddenRows?.length ?? 0) * 2),
      );
      if (this.#hiddenRows !== undefined) grown.set(this.#hiddenRows);
      this.#hiddenRows = grown;
    }
    this.#hiddenRows[line >> 3]! |= 1 << (line & 7);
  }

  /** Columns count from 1. `to` is included. */
  hideColumns(from: number, to: number): void {
    for (let column = from; column <= Math.min(to, MAX_COLUMNS); column++) {
      this.#hiddenColumns.add(column - 1);
    }
  }

  /** @param column from 0 */
  showZeros(column: number, shown: string): void {
    count(this.#shownZeros, column, shown);
  }

  /** @param column from 0 */
  longNumber(column: number, digits: string): void {
    count(this.#longNumbers, column, digits);
  }

  /** @param column from 0 */
  unsaved(column: number, cell: string): void {
    count(this.#unsaved, column, cell);
  }

  named(columns: readonly string[]): WorkbookSigns {
    const byName = (counted: ReadonlyMap<number, Counting>) =>
      new Map(
        [...counted].flatMap(([at, found]) => (at in columns ? [[columns[at]!, found]] : [])),
      );
    const hidden = this.#hiddenRows;
    return {
      isHidden: (row) => hidden !== undefined && ((hidden[row >> 3] ?? 0) & (1 << (row & 7))) !== 0,
      hiddenColumns: columns.filter((_, at) => this.#hiddenColumns.has(at)),
      shownZeros: byName(this.#shownZeros),
      longNumbers: byName(this.#longNumbers),
      unsaved: byName(this.#unsaved),
    };
  }
}

function count(counted: Map<number, Counting>, column: number, sample: string): void {
  let found = counted.get(column);
  if (found === undefined) {
    found = { count: 0, samples: [] };
    counted.set(column, found);
  }
  found.count++;
  if (found.samples.length < NAMED) found.samples.push(sample);
}
