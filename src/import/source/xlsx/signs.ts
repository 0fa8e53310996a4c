import { MAX_COLUMNS } from '../bytes/limits.ts';

const NAMED = 3;
const MOST_ROWS = 1_048_576;

export interface Counted {
  readonly count: number;
  readonly samples: readonly string[];
  /** Whether the column has such a cell in the row. */
  isIn(row: number): boolean;
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

class Counting implements Counted {
  count = 0;
  readonly samples: string[] = [];
  readonly #rows = new RowSet();

  add(sample: string, line: number): void {
    this.count++;
    if (this.samples.length < NAMED) this.samples.push(sample);
    this.#rows.add(line);
  }

  isIn(row: number): boolean {
    return this.#rows.has(row);
  }
}

/** A bit for each row of a sheet: there may be a million. */
class RowSet {
  #bits: Uint8Array | undefined;

  add(line: number): void {
    const needed = (line >> 3) + 1;
    if (this.#bits === undefined || this.#bits.length < needed) {
      const grown = new Uint8Array(
        Math.max(needed, MOST_ROWS / 8 + 1, (this.#bits?.length ?? 0) * 2),
      );
      if (this.#bits !== undefined) grown.set(this.#bits);
      this.#bits = grown;
    }
    this.#bits[line >> 3]! |= 1 << (line & 7);
  }

  has(line: number): boolean {
    return ((this.#bits?.[line >> 3] ?? 0) & (1 << (line & 7))) !== 0;
  }
}

/** The signs of one sheet. */
export class SheetSigns {
  readonly #hiddenRows = new RowSet();
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
    this.#hiddenRows.add(row + this.#shift);
  }

  /** Columns count from 1. `to` is included. */
  hideColumns(from: number, to: number): void {
    for (let column = from; column <= Math.min(to, MAX_COLUMNS); column++) {
      this.#hiddenColumns.add(column - 1);
    }
  }

  /** @param column from 0 */
  showZeros(column: number, shown: string, row: number): void {
    counting(this.#shownZeros, column).add(shown, row + this.#shift);
  }

  /** @param column from 0 */
  longNumber(column: number, digits: string, row: number): void {
    counting(this.#longNumbers, column).add(digits, row + this.#shift);
  }

  /** @param column from 0 */
  unsaved(column: number, cell: string, row: number): void {
    counting(this.#unsaved, column).add(cell, row + this.#shift);
  }

  named(columns: readonly string[]): WorkbookSigns {
    const byName = (counted: ReadonlyMap<number, Counting>) =>
      new Map(
        [...counted].flatMap(([at, found]) => (at in columns ? [[columns[at]!, found]] : [])),
      );
    return {
      isHidden: (row) => this.#hiddenRows.has(row),
      hiddenColumns: columns.filter((_, at) => this.#hiddenColumns.has(at)),
      shownZeros: byName(this.#shownZeros),
      longNumbers: byName(this.#longNumbers),
      unsaved: byName(this.#unsaved),
    };
  }
}

function counting(counted: Map<number, Counting>, column: number): Counting {
  const found = counted.get(column) ?? new Counting();
  counted.set(column, found);
  return found;
}
