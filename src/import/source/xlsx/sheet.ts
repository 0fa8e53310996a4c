import { MAX_COLUMNS } from '../bytes/limits.ts';
import { dateText, spanText } from './dates.ts';
import type { Layout } from './layout.ts';
import { escapedText, RichText, type SharedStrings } from './strings.ts';
import { readXml, type XmlListener } from './xml.ts';
import { WorkbookError, type Zip } from './zip.ts';

/** Dates are ISO text; null is an empty cell. */
type Cell = string | number | boolean | null;

export interface SheetRow {
  /** 1 for the first row of the sheet. */
  readonly number: number;
  /** Only the cells that are not empty, from left to right. */
  readonly cells: readonly Exclude<Cell, null>[];
  /** The column of each cell, from 0. */
  readonly columns: readonly number[];
}

/** Numbers from here on have more than the 15 digits that a spreadsheet keeps. */
const SPREADSHEET_DIGITS = 1e15;

interface SheetContext extends Pick<Layout, 'dateStyles' | 'from1904'> {
  readonly strings: SharedStrings | undefined;
  /** Collects, by column from 0, the first cell with a formula whose result is not stored. */
  readonly unsaved?: Map<number, string> | undefined;
}

const MOST_COLUMNS = 16_384;
const MOST_ROWS = 1_048_576;
/** A row with more text is longer than any record may be, so its rest is skipped. */
const MOST_ROW_CHARS = 4 << 20;

/**
 * Empty rows may be missing, so only `number` tells where a row is.
 *
 * @throws WorkbookError
 */
export async function* sheetRows(
  zip: Zip,
  part: string,
  context: SheetContext,
): AsyncGenerator<readonly SheetRow[], void> {
  const reader = new SheetReader(context);
  for await (const _ of readXml(zip.read(part), part, reader)) {
    const rows = reader.take();
    if (rows.length > 0) yield rows;
  }
}

class SheetReader implements XmlListener {
  readonly #context: SheetContext;
  #rows: SheetRow[] = [];
  #number = 0;
  #cells: Exclude<Cell, null>[] = [];
  #columns: number[] = [];
  #chars = 0;
  #column = 0;
  #type = 'n';
  #style: string | undefined;
  #isCell = false;
  #isValue = false;
  #hasFormula = false;
  #value = '';
  readonly #inline = new RichText();

  constructor(context: SheetContext) {
    this.#context = context;
  }

  take(): readonly SheetRow[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  open(name: string, attribute: (name: string) => string | undefined): void {
    if (name === 'c') this.#openCell(attribute);
    else if (name === 'row') this.#openRow(attribute);
    else if (!this.#isCell) return;
    else if (name === 'v') this.#isValue = true;
    else if (name === 'f') this.#hasFormula = true;
    else this.#inline.open(name);
  }

  text(text: string): void {
    if (this.#isValue) this.#value += text;
    else if (this.#isCell) this.#inline.add(text);
  }

  close(name: string): void {
    if (name === 'v') this.#isValue = false;
    else if (name === 'c') this.#closeCell();
    else if (name === 'row') this.#closeRow();
    else if (this.#isCell) this.#inline.close(name);
  }

  #openRow(attribute: (name: string) => string | undefined): void {
    const typed = attribute('r');
    const number = typed === undefined ? this.#number + 1 : Number(typed);
    if (!(number > this.#number))
      throw new WorkbookError(`its row ${typed} comes after row ${this.#number}`);
    if (number > MOST_ROWS)
      throw new WorkbookError(`it has more rows than a sheet can have (${MOST_ROWS})`);
    this.#number = number;
    this.#cells = [];
    this.#columns = [];
    this.#chars = 0;
    this.#column = 0;
  }

  #closeRow(): void {
    this.#rows.push({ number: this.#number, cells: this.#cells, columns: this.#columns });
  }

  #openCell(attribute: (name: string) => string | undefined): void {
    const place = attribute('r');
    const column = place === undefined ? this.#column + 1 : columnOf(place);
    if (!(column > this.#column && column <= MOST_COLUMNS)) {
      throw new WorkbookError(
        `its cell ${place ?? `after ${this.#place()}`} is out of order or outside the sheet`,
      );
    }
    this.#column = column;
    this.#type = attribute('t') ?? 'n';
    this.#style = attribute('s');
    this.#isCell = true;
    this.#hasFormula = false;
    this.#value = '';
    this.#inline.take();
  }

  #closeCell(): void {
    this.#isCell = false;
    const cell = this.#cell();
    if (cell === null || cell === '' || this.#chars > MOST_ROW_CHARS) return;
    if (this.#column > MAX_COLUMNS) {
      throw new WorkbookError(
        `its cell ${this.#place()} is beyond column ${MAX_COLUMNS}, the last one that proc reads`,
        'Delete the cells that are far to the right, or save only the part of the sheet to import.',
      );
    }
    if (typeof cell === 'string') this.#chars += cell.length;
    this.#cells.push(cell);
    this.#columns.push(this.#column - 1);
  }

  #cell(): Cell {
    const value = this.#value;
    switch (this.#type) {
      case 's':
        return value === '' ? null : this.#shared(value);
      case 'inlineStr':
        return this.#inline.take();
      case 'str':
        return escapedText(value);
      case 'b':
        return value === '' ? null : value === '1' || value === 'true';
      case 'd':
        return value.replace(/T00:00:00(?:\.0+)?Z?$/, '').replace(/(?:\.\d+)?Z$/, '');
      case 'n':
        return this.#numeric(value.trim());
      // Errors such as `#N/A` are kept as the text that a CSV file would show.
      default:
        return value;
    }
  }

  #shared(index: string): string {
    const text = this.#context.strings?.at(Number(index));
    if (text !== undefined) return text;
    throw new WorkbookError(`its cell ${this.#place()} refers to a text that does not exist`);
  }

  #numeric(value: string): Cell {
    if (value === '') {
      const { unsaved } = this.#context;
      const column = this.#column - 1;
      if (this.#hasFormula && unsaved?.has(column) === false) unsaved.set(column, this.#place());
      return null;
    }
    const number = Number(value);
    if (!Number.isFinite(number)) {
      throw new WorkbookError(
        `its cell ${this.#place()} contains the invalid number ${value.slice(0, 40)}`,
      );
    }
    const style = this.#style && this.#context.dateStyles[Number(this.#style)];
    if (style === 'span') return spanText(number);
    if (style === 'date') return dateText(number, this.#context.from1904) ?? number;
    return Math.abs(number) < SPREADSHEET_DIGITS ? number : longNumber(number, value);
  }

  #place(): string {
    let column = '';
    for (let left = this.#column; left > 0; left = Math.floor((left - 1) / 26)) {
      column = String.fromCharCode(65 + ((left - 1) % 26)) + column;
    }
    return `${column}${this.#number}`;
  }
}

/**
 * A spreadsheet replaces digits after the fifteenth by zeros. A long number that ends in zero may
 * be wrong, so it becomes `1.23E+17`.
 */
function longNumber(number: number, written: string): Cell {
  if (!/^-?\d*[1-9]$/.test(written)) return number.toExponential().replace('e', 'E');
  return Number.isSafeInteger(number) ? number : written;
}

/** The column number: 1 for `A7`, 28 for `AB7`. */
function columnOf(place: string): number {
  let column = 0;
  for (let at = 0; at < place.length; at++) {
    const letter = place.charCodeAt(at) - 64;
    if (letter < 1 || letter > 26) break;
    column = column * 26 + letter;
  }
  return column;
}
