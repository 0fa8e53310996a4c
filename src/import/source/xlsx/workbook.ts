import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DialogueError, messageOf } from '../../../core/errors.ts';
import { listed } from '../../../core/text/listed.ts';
import { inShell } from '../../../core/text/typed.ts';
import { MAX_COLUMNS } from '../bytes/limits.ts';
import {
  type Columns,
  checkFound,
  firstRow,
  type HeaderPlace,
  isPlaced,
  namedColumns,
  noRowLeft,
  unnamed,
} from '../header-place.ts';
import type { Sheet } from './layout.ts';
import { type BookFile, bookRows, cellTexts, type OpenBook, withBook } from './open-book.ts';
import type { SheetRow } from './sheet.ts';
import { SheetSigns, type WorkbookSigns } from './signs.ts';
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
  readonly signs: WorkbookSigns;
  /** See `Layout.origin`. */
  readonly origin: string | undefined;
  readonly sheets: SheetChoice;
}

/** Which sheets of a workbook were read. */
export interface SheetChoice {
  readonly read: readonly { readonly name: string; readonly from: number; readonly to: number }[];
  /** Other sheets with cells. */
  readonly others: readonly { readonly name: string; readonly isHidden: boolean }[];
}

/** `--sheet '*'`: all visible sheets with the columns of the first one. */
export const ALL_SHEETS = '*';

/**
 * Writes one JSON object per row. The line number of each object is its row number in the sheet.
 *
 * @param sheet undefined: the first visible sheet
 * @throws ProcError `invalid_input`; `invalid_usage` if the sheet does not exist, or if `sheet` is
 * undefined and several visible sheets have the same columns
 */
export async function workbookRows(
  file: BookFile,
  sheet: string | undefined,
  place: HeaderPlace = {},
): Promise<WorkbookRows> {
  const { name, folder } = file;
  const kept = join(folder, `input-${randomUUID()}`);
  return withBook(file, async (book) => {
    const chosen = await sheetsOf(book, name, sheet, place);
    const [{ name: first }] = chosen.read;
    try {
      const writer = new RowsWriter(await open(kept, 'wx', 0o600), name, place);
      try {
        const signs = new SheetSigns();
        const read: SheetChoice['read'][number][] = [];
        for (const one of chosen.read) {
          const from = writer.nextSheet();
          signs.shiftRows(from);
          for await (const rows of bookRows(book, one.part, signs)) await writer.write(rows);
          read.push({ name: one.name, from: from + 1, to: writer.line });
        }
        const written = await writer.end(otherSheets(book, first));
        return {
          path: kept,
          sheet: first,
          origin: book.layout.origin,
          sheets: { read, others: chosen.others },
          ...written,
          signs: signs.named(written.columns.names),
        };
      } finally {
        await writer.close();
      }
    } catch (thrown) {
      await rm(kept, { force: true });
      throw thrown;
    }
  });
}

interface ChosenSheets {
  readonly read: readonly [Sheet, ...Sheet[]];
  readonly others: SheetChoice['others'];
}

/** Chooses the sheets to read, and names the others that have cells. */
async function sheetsOf(
  book: OpenBook,
  name: string,
  typed: string | undefined,
  place: HeaderPlace,
): Promise<ChosenSheets> {
  const { sheets } = book.layout;
  if (typed !== undefined && typed !== ALL_SHEETS) {
    const found = sheets.find((sheet) => sheet.name === typed);
    if (found !== undefined) return { read: [found], others: [] };
    throw new DialogueError(
      'invalid_usage',
      {
        en: `${name} has no sheet ${JSON.stringify(typed)}`,
        es: `${name} no tiene la hoja ${JSON.stringify(typed)}`,
      },
      {
        hint: {
          en: `Use --sheet with one of: ${sheets.map((sheet) => sheet.name).join(', ')}`,
          es: `Use --sheet con una de estas: ${sheets.map((sheet) => sheet.name).join(', ')}`,
        },
      },
    );
  }
  const first = sheets.find(({ isHidden }) => !isHidden) ?? sheets[0]!;
  const headers = await columnsIn(book, first, place);
  const same: Sheet[] = [];
  const others: Sheet[] = [];
  for (const sheet of sheets) {
    if (sheet === first) continue;
    const own = await columnsIn(book, sheet, place);
    if (own === undefined) continue;
    const isSame = own.hasRows && headers !== undefined && own.columns === headers.columns;
    (isSame && !sheet.isHidden ? same : others).push(sheet);
  }
  if (typed === ALL_SHEETS) return { read: [first, ...same], others };
  // proc's own workbooks say themselves what their other sheets are, e.g. an example.
  if (book.layout.origin !== undefined) return { read: [first], others: [] };
  if (same.length === 0) return { read: [first], others };
  const names = [first, ...same].map((sheet) => sheet.name);
  throw new DialogueError(
    'invalid_usage',
    {
      en: `${names.length} sheets of ${name} have the same columns: ${listed(names, 10)}`,
      es: `${names.length} hojas de ${name} tienen las mismas columnas: ${listed(names, 10)}`,
    },
    {
      hint: {
        en: `Choose one, e.g. --sheet ${inShell(first.name)}, or read them all one after the other: --sheet '*'`,
        es: `Elija una, por ejemplo --sheet ${inShell(first.name)}, o léalas todas, una tras otra: --sheet '*'`,
      },
      details: { sheets: names },
    },
  );
}

/** The columns of a sheet in a form to compare; undefined if it has no cells. */
async function columnsIn(
  book: OpenBook,
  { part }: Sheet,
  place: HeaderPlace,
): Promise<{ readonly columns: string; readonly hasRows: boolean } | undefined> {
  let columns: string | undefined;
  for await (const rows of bookRows(book, part)) {
    for (const row of rows) {
      if (row.cells.length === 0 || row.number < firstRow(place)) continue;
      if (columns !== undefined) return { columns, hasRows: true };
      const titles = cellTexts(row).map((title) => title.trim().toLowerCase());
      const filled = titles.filter((title) => title !== '');
      // One cell may be the title of a report, which says nothing about the columns.
      columns = JSON.stringify(filled.length > 1 ? filled.sort() : [part]);
    }
  }
  return columns === undefined ? undefined : { columns, hasRows: false };
}

function otherSheets({ layout }: OpenBook, sheet: string): readonly string[] {
  return layout.sheets.map(({ name }) => name).filter((name) => name !== sheet);
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
  /** The lines of the sheets before this one. */
  #before = 0;
  #isOpen = false;

  constructor(file: FileHandle, name: string, place: HeaderPlace) {
    this.#file = file;
    this.#name = name;
    this.#place = place;
  }

  get line(): number {
    return this.#line;
  }

  /**
   * The rows of the next sheet follow, with a header of their own.
   *
   * @returns the lines before them
   */
  nextSheet(): number {
    this.#before = this.#line;
    this.#isOpen = false;
    return this.#before;
  }

  async write(rows: readonly SheetRow[]): Promise<void> {
    const { skipRows = 0, headerRow } = this.#place;
    for (const row of rows) {
      this.#last = row.number;
      const first = this.#isOpen ? skipRows + 1 : firstRow(this.#place);
      if (row.cells.length === 0 || row.number < first) continue;
      while (this.#line < this.#before + row.number - 1) await this.#put('\n');
      const isHeader = !this.#isOpen && headerRow !== 0;
      if (!this.#isOpen) {
        this.#isOpen = true;
        const columns = isHeader ? header(row, this.#name, this.#place) : widest(rows);
        if (this.#keys === undefined) this.#columns = columns;
        this.#keys = columns.names.map((column) => JSON.stringify(column));
      }
      if (!isHeader) this.#rows++;
      await this.#put(isHeader ? '\n' : this.#record(row, this.#keys ?? []));
    }
  }

  /** @param others the other sheets, for a hint if this sheet has no cells */
  async end(others: readonly string[]): Promise<{ bytes: number; rows: number; columns: Columns }> {
    if (this.#keys === undefined && this.#last > 0 && isPlaced(this.#place)) {
      throw noRowLeft(this.#place, this.#last, this.#name);
    }
    if (this.#keys === undefined) {
      throw new DialogueError(
        'invalid_input',
        {
          en: `${this.#name} is empty: its sheet has no cells`,
          es: `${this.#name} está vacío: su hoja no tiene celdas`,
        },
        {
          hint:
            others.length === 0
              ? undefined
              : {
                  en: `Choose another sheet with --sheet: ${listed(others, 20)}`,
                  es: `Elija otra hoja con --sheet: ${listed(others, 20)}`,
                },
        },
      );
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
      throw new DialogueError(
        'state_unwritable',
        {
          en: `cannot unpack ${this.#name}: ${messageOf(thrown)}`,
          es: `no se puede descomprimir ${this.#name}: ${messageOf(thrown)}`,
        },
        {
          hint: {
            en: 'Free some disk space, or set PROC_STATE_DIR to another folder',
            es: 'Libere espacio en disco, o ponga otra carpeta en PROC_STATE_DIR',
          },
          cause: thrown,
        },
      );
    });
  }
}

function header(row: SheetRow, name: string, place: HeaderPlace): Columns {
  checkFound(place, row.number, name);
  const titles = cellTexts(row);
  if (titles.length > MAX_COLUMNS) {
    throw new DialogueError('invalid_input', {
      en: `${name} has ${titles.length} columns; the maximum is ${MAX_COLUMNS}`,
      es: `${name} tiene ${titles.length} columnas; el máximo es ${MAX_COLUMNS}`,
    });
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
