import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf, ProcError } from '../../../core/errors.ts';
import { listed } from '../../../core/text/listed.ts';
import { MAX_COLUMNS } from '../bytes/limits.ts';
import {
  type Columns,
  checkFound,
  firstRow,
  type HeaderPlace,
  namedColumns,
  noRowLeft,
  unnamed,
} from '../header-place.ts';
import type { Sheet } from './layout.ts';
import { type BookFile, bookRows, cellTexts, withBook } from './open-book.ts';
import type { SheetRow } from './sheet.ts';
import { WorkbookError } from './zip.ts';

const PIECE = 64 << 10;

/**
 * The most bytes that the rows may take as JSON. A small workbook can repeat a long text in every
 * cell.
 */
const MOST_BYTES = 4 * 2 ** 30;

export function isWorkbook(head: Buffer): boolean {
  return /^PK\x03\x04[\s\S]*(?:\[Content_Types\]|xl\/)/.test(head.toString('latin1'));
}

export interface WorkbookRows {
  /** One JSON object per row, with the names of the header as keys. The caller removes the file. */
  readonly path: string;
  readonly bytes: number;
  readonly rows: number;
  readonly columns: Columns;
  readonly sheet: string;
  /** By column: the first cell with a formula whose result is not stored. */
  readonly unsaved: ReadonlyMap<string, string>;
  readonly others: readonly string[];
}

/**
 * Writes one JSON object per row. The line number of each object is its row number in the sheet.
 *
 * @param sheet undefined: the first visible sheet
 * @throws ProcError `invalid_input`; `invalid_usage` if the sheet does not exist
 */
export async function workbookRows(
  file: BookFile,
  sheet: string | undefined,
  place: HeaderPlace = {},
): Promise<WorkbookRows> {
  const { name, folder } = file;
  const kept = join(folder, `input-${randomUUID()}`);
  return withBook(file, async (book) => {
    const { sheets } = book.layout;
    const chosen = sheetOf(sheets, name, sheet);
    const others = sheets.filter((one) => one !== chosen && !one.isHidden).map((one) => one.name);
    try {
      const writer = new RowsWriter(await open(kept, 'wx', 0o600), name, place);
      try {
        const cells = new Map<number, string>();
        for await (const rows of bookRows(book, chosen.part, cells)) await writer.write(rows);
        const written = await writer.end(others);
        const { names } = written.columns;
        const unsaved = new Map(
          [...cells].flatMap(([at, cell]) => (names[at] === undefined ? [] : [[names[at], cell]])),
        );
        return { path: kept, sheet: chosen.name, others, ...written, unsaved };
      } finally {
        await writer.close();
      }
    } catch (thrown) {
      await rm(kept, { force: true });
      throw thrown;
    }
  });
}

function sheetOf(sheets: readonly Sheet[], name: string, typed: string | undefined): Sheet {
  const found =
    typed === undefined
      ? (sheets.find(({ isHidden }) => !isHidden) ?? sheets[0])
      : sheets.find((sheet) => sheet.name === typed);
  if (found !== undefined) return found;
  throw new ProcError('invalid_usage', `${name} has no sheet ${JSON.stringify(typed)}`, {
    hint: `Use --sheet with one of: ${sheets.map((sheet) => sheet.name).join(', ')}`,
  });
}

class RowsWriter {
  readonly #file: FileHandle;
  readonly #name: string;
  readonly #place: HeaderPlace;
  #keys: string[] | undefined;
  #columns: Columns = unnamed(0);
  #waiting = '';
  #bytes = 0;
  #rows = 0;
  #line = 0;
  #last = 0;

  constructor(file: FileHandle, name: string, place: HeaderPlace) {
    this.#file = file;
    this.#name = name;
    this.#place = place;
  }

  async write(rows: readonly SheetRow[]): Promise<void> {
    for (const row of rows) {
      this.#last = row.number;
      if (row.cells.length === 0 || row.number < firstRow(this.#place)) continue;
      while (this.#line < row.number - 1) await this.#put('\n');
      const isHeader = this.#keys === undefined && this.#place.headerRow !== 0;
      if (this.#keys === undefined) {
        this.#columns = isHeader ? header(row, this.#name, this.#place) : widest(rows);
        this.#keys = this.#columns.names.map((column) => JSON.stringify(column));
      }
      if (!isHeader) this.#rows++;
      await this.#put(isHeader ? '\n' : this.#record(row, this.#keys));
    }
  }

  /** @param others the other sheets, for a hint if this sheet has no cells */
  async end(others: readonly string[]): Promise<{ bytes: number; rows: number; columns: Columns }> {
    if (this.#keys === undefined && this.#last > 0 && this.#place.headerRow !== undefined) {
      throw noRowLeft(this.#place, this.#last, this.#name);
    }
    if (this.#keys === undefined) {
      throw new ProcError('invalid_input', `${this.#name} is empty: its sheet has no cells`, {
        hint:
          others.length === 0
            ? undefined
            : `Choose another sheet with --sheet: ${listed(others, 20)}`,
      });
    }
    await this.#flush();
    return { bytes: this.#bytes, rows: this.#rows, columns: this.#columns };
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  #record({ cells, columns }: SheetRow, keys: readonly string[]): string {
    let text = '{';
    let next = 0;
    for (let at = 0; at < keys.length; at++) {
      const cell = columns[next] === at ? cells[next++]! : null;
      text += `${at === 0 ? '' : ','}${keys[at]}:${JSON.stringify(cell)}`;
    }
    // Cells beyond the header are kept only if they have a value.
    for (; next < cells.length; next++) {
      const key = unnamedColumn(columns[next]!, this.#columns.names);
      text += `,${JSON.stringify(key)}:${JSON.stringify(cells[next])}`;
    }
    return `${text}}\n`;
  }

  async #put(line: string): Promise<void> {
    this.#waiting += line;
    this.#line++;
    if (this.#waiting.length >= PIECE) await this.#flush();
  }

  async #flush(): Promise<void> {
    const piece = Buffer.from(this.#waiting);
    this.#waiting = '';
    this.#bytes += piece.length;
    if (this.#bytes > MOST_BYTES) throw new WorkbookError('it unpacks to more than 4 GiB');
    await this.#file.writeFile(piece).catch((thrown) => {
      throw new ProcError('state_unwritable', `cannot unpack ${this.#name}: ${messageOf(thrown)}`, {
        hint: 'Free some disk space, or set PROC_STATE_DIR to another folder',
        cause: thrown,
      });
    });
  }
}

function header(row: SheetRow, name: string, place: HeaderPlace): Columns {
  checkFound(place, row.number, name);
  const titles = cellTexts(row);
  if (titles.length > MAX_COLUMNS) {
    throw new ProcError(
      'invalid_input',
      `${name} has ${titles.length} columns; the maximum is ${MAX_COLUMNS}`,
    );
  }
  return namedColumns(titles);
}

/** Without a header, the widest of the first rows tells how many columns there are. */
function widest(rows: readonly SheetRow[]): Columns {
  return unnamed(Math.max(...rows.map(({ columns }) => (columns.at(-1) ?? -1) + 1)));
}

/** The name of a column beyond the header. */
function unnamedColumn(index: number, columns: readonly string[]): string {
  const name = `column ${index + 1}`;
  return columns.includes(name) ? `${name} (no header)` : name;
}
