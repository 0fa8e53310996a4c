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

type CellSign = 'shownZeros' | 'longNumbers' | 'unsaved';

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
  /** By sign and column, from 0. */
  readonly #counted = new Map<CellSign, Map<number, Counting>>();

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
  note(sign: CellSign, column: number, sample: string, row: number): void {
    const columns = this.#counted.get(sign) ?? new Map<number, Counting>();
    this.#counted.set(sign, columns);
    const counting = columns.get(column) ?? new Counting();
    columns.set(column, counting);
    counting.add(sample, row + this.#shift);
  }

  named(columns: readonly string[]): WorkbookSigns {
    const byName = (sign: CellSign) =>
      new Map(
        [...(this.#counted.get(sign) ?? [])].flatMap(([at, found]) =>
          at in columns ? [[columns[at]!, found]] : [],
        ),
      );
    return {
      isHidden: (row) => this.#hiddenRows.has(row),
      hiddenColumns: columns.filter((_, at) => this.#hiddenColumns.has(at)),
      shownZeros: byName('shownZeros'),
      longNumbers: byName('longNumbers'),
      unsaved: byName('unsaved'),
    };
  }
}
