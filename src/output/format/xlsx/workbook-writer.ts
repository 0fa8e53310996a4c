import { ProcError } from '../../../core/errors.ts';
import type { Row } from '../../../core/result.ts';
import type { Grid, GridOptions } from '../../format-loader.ts';
import { cellValue, type SheetColumn, sheetColumn } from './cell-value.ts';
import { MOST_COLUMNS, MOST_ROWS, MOST_TEXT, sheetHead, sheetRow, sheetTail } from './sheet-xml.ts';
import { Styles } from './styles.ts';
import { sheetPart, type WrittenSheet, workbookParts } from './workbook-parts.ts';
import { type PartWriter, ZipWriter } from './zip-writer.ts';

/** The first rows stay in memory, to determine the widths of the columns. */
const SAMPLE = 1000;
const PIECE = 64 * 1024;
/**
 * In bytes before compression. A larger sheet is continued on a new sheet, because each sheet is one part of
 * the ZIP file, and not every program reads a part of more than 4 GiB.
 */
const MOST_BYTES = 3 * 2 ** 30;

export interface WorkbookOptions extends GridOptions {
  /** What the workbook is, if not a list: see {@link workbookParts}. */
  readonly origin?: string;
  readonly columnOf?: (field: string) => SheetColumn;
  readonly markedIn?: (row: Row) => ReadonlySet<string>;
}

/** Writes a workbook as its rows arrive. When a sheet is full, continues on a new sheet. */
export class WorkbookWriter implements Grid {
  #options: WorkbookOptions;
  readonly #mostRows: number;
  readonly #zip: ZipWriter;
  readonly #styles = new Styles();
  readonly #sheets: WrittenSheet[] = [];
  #columns: readonly SheetColumn[] = [];
  /** Undefined once writing has begun. */
  #sample: Row[] | undefined = [];
  #part: PartWriter | undefined;
  #head = '';
  /** Number of sheets that earlier tables have filled. */
  #others = 0;
  #rows = 0;
  #text = '';

  /** @param mostRows maximum rows of a sheet, including the header */
  constructor(options: WorkbookOptions, mostRows = MOST_ROWS) {
    this.#options = options;
    this.#mostRows = mostRows;
    this.#zip = new ZipWriter(options.write);
  }

  async header(fields: readonly string[]): Promise<void> {
    if (fields.length > MOST_COLUMNS) {
      throw tooLarge(`${fields.length} columns, and a sheet has at most ${MOST_COLUMNS}`);
    }
    const { columns, columnOf = (field) => sheetColumn(field, columns) } = this.#options;
    this.#columns = fields.map(columnOf);
  }

  async rows(rows: readonly Row[]): Promise<void> {
    if (this.#sample === undefined) return this.#write(rows);
    for (const row of rows) this.#sample.push(row);
    if (this.#sample.length >= SAMPLE) await this.#begin();
  }

  /** Ends the current table. The next call must be `header`, for the next table. */
  async next(options: Pick<WorkbookOptions, 'sheet' | 'columns' | 'columnOf'>): Promise<void> {
    await this.#endTable();
    this.#options = { ...this.#options, ...options };
    this.#others = this.#sheets.length;
    this.#sample = [];
  }

  async end(): Promise<void> {
    await this.#endTable();
    const { origin = 'list' } = this.#options;
    for (const [name, text] of workbookParts(this.#sheets, this.#styles.xml(), origin)) {
      await this.#zip.add(name, text);
    }
    await this.#zip.end();
  }

  async #endTable(): Promise<void> {
    if (this.#sample !== undefined) await this.#begin();
    await this.#closeSheet();
  }

  async #begin(): Promise<void> {
    const sample = this.#sample ?? [];
    this.#sample = undefined;
    this.#head = sheetHead(this.#columns, sample.slice(0, SAMPLE));
    this.#openSheet();
    await this.#write(sample);
  }

  async #write(rows: readonly Row[]): Promise<void> {
    for (const row of rows) {
      if (this.#rows === this.#mostRows || this.#part!.size > MOST_BYTES) {
        await this.#closeSheet();
        this.#openSheet();
      }
      this.#rows++;
      const marked = this.#options.markedIn?.(row);
      const text = sheetRow(
        row,
        this.#rows,
        { columns: this.#columns, styles: this.#styles },
        marked,
      );
      if (text.length > MOST_TEXT) refuseLongText(row, this.#rows, this.#columns);
      this.#text += text;
      if (this.#text.length > PIECE) await this.#flush();
    }
  }

  #openSheet(): void {
    this.#part = this.#zip.begin(sheetPart(this.#sheets.length));
    this.#text = this.#head;
    this.#rows = 1;
  }

  async #closeSheet(): Promise<void> {
    const columns = this.#columns.length;
    this.#text += sheetTail(columns, this.#rows);
    await this.#flush();
    this.#part!.end();
    const { sheet } = this.#options;
    const count = this.#sheets.length + 1 - this.#others;
    const name = count === 1 ? sheet : `${sheet} ${count}`;
    this.#sheets.push({ name, columns, rows: this.#rows });
  }

  async #flush(): Promise<void> {
    const text = this.#text;
    this.#text = '';
    await this.#part!.write(text);
  }
}

/** @throws ProcError `unwritable_output` */
function refuseLongText(row: Row, number: number, columns: readonly SheetColumn[]): void {
  for (const column of columns) {
    const value = cellValue(row, column);
    if (value?.type === 'text' && value.text.length > MOST_TEXT) {
      throw tooLarge(
        `${value.text.length} characters in ${column.field} of row ${number}, and a cell has at most ${MOST_TEXT}`,
      );
    }
  }
}

function tooLarge(what: string): ProcError {
  return new ProcError('unwritable_output', `this does not fit into a workbook: ${what}`, {
    hint: 'Use -o csv or -o json, or choose other fields with --fields',
  });
}
