import { readFile } from 'node:fs/promises';
import { posix } from 'node:path';
import { text } from 'node:stream/consumers';
import { type CellValue, colToLetter, readXlsx, type Sheet } from 'hucre/xlsx';
import { fromBufferPromise } from 'yauzl';
import { messageOf } from '../../core/errors.ts';
import { grouped } from '../../core/numbers.ts';
import {
  badFile,
  badFlag,
  namedColumns,
  type Source,
  type SourceLayout,
  type SourceRecord,
} from './record.ts';

const MOST_ROWS = 100_000;
const MOST_PART_BYTES = 256 << 20;
const HEAD_RECORDS = 20;
const LOT = 512;

type Book = Omit<Source, 'path' | 'name' | 'bytes'>;

/**
 * Reads one sheet of a workbook, whole; by default the first visible one. What the library cannot tell for sure makes a
 * column unreadable.
 *
 * @throws ProcError `invalid_input`; `invalid_usage` if the sheet or its header does not exist
 */
export async function openWorkbook(
  { path, name }: Pick<Source, 'path' | 'name'>,
  { sheet, headerRow = 1 }: SourceLayout,
): Promise<Book> {
  const sheets: string[] = [];
  const visible: string[] = [];
  const bytes = await readFile(path);
  const read = async (): Promise<Sheet | undefined> => {
    await checkParts(bytes);
    const book = await readXlsx(bytes, {
      readStyles: true,
      sheets: (one) => {
        sheets.push(one.name);
        if (one.hidden !== true && one.veryHidden !== true) visible.push(one.name);
        return one.name === (sheet ?? visible[0]);
      },
    });
    return book.sheets[0];
  };
  const found = await read().catch((cause: unknown) => {
    throw badFile(
      `cannot read ${name} as a workbook: ${messageOf(cause)}`,
      'Save it again as .xlsx, or save the sheet as "CSV UTF-8" (File, Save As)',
      { cause },
    );
  });
  if (found === undefined) {
    throw badFlag(
      `${name} has no ${sheet === undefined ? 'visible sheet' : `sheet ${JSON.stringify(sheet)}`}`,
      `Use --sheet with one of: ${sheets.join(', ')}`,
    );
  }
  const others = visible.filter((one) => one !== found.name);
  const [titles = [], ...rows] = found.rows.slice(headerRow - 1);
  if (titles.every(isEmpty)) {
    const next = rows.findIndex((row) => !row.every(isEmpty));
    throw badFlag(
      `${name}, row ${headerRow} of the sheet ${found.name}: the header is expected here, but the row is empty`,
      next < 0
        ? `Use --sheet with one of: ${others.join(', ')}`
        : `Use --header-row ${headerRow + 1 + next}`,
    );
  }
  const length = rows.reduce((most, row) => Math.max(most, row.length), titles.length);
  const columns = namedColumns(Array.from({ length }, (_, at) => String(titles[at] ?? '')));
  const records = recordsOf(rows, headerRow, columns);
  if (records.length > MOST_ROWS) {
    throw badFile(
      `${name} has ${grouped(records.length)} rows; the maximum of a workbook is ${grouped(MOST_ROWS)}`,
      'Save the sheet as "CSV UTF-8" (File, Save As) and import that file',
    );
  }
  return {
    format: {
      ...{ kind: 'csv', bom: true, delimiter: ',', newline: '\r\n' },
      workbook: { sheet: found.name },
    },
    columns,
    head: records.slice(0, HEAD_RECORDS),
    unreadable: unreadableIn(found, headerRow, columns),
    otherSheets: others,
    async *records() {
      for (let from = 0; from < records.length; from += LOT) yield records.slice(from, from + LOT);
    },
  };
}

/**
 * The library takes texts and dates for empty cells and numbers if it does not find their part: the part
 * may be missing, or its name may differ in case.
 */
async function checkParts(bytes: Buffer): Promise<void> {
  const zip = await fromBufferPromise(bytes, { lazyEntries: true });
  const parts = new Set<string>();
  const links: string[] = [];
  for await (const entry of zip.eachEntry()) {
    const { fileName, uncompressedSize } = entry;
    parts.add(fileName);
    if (uncompressedSize > MOST_PART_BYTES) throw new Error(`its part ${fileName} is too large`);
    if (!fileName.endsWith('.rels')) continue;
    const folder = posix.dirname(posix.dirname(fileName));
    const xml = await text(await zip.openReadStreamPromise(entry));
    for (const [link] of xml.matchAll(/<(?:\w+:)?Relationship\s[^>]*>/g)) {
      const [, target = ''] = /\sTarget=["']([^"']*)/.exec(link) ?? [];
      const isRead = /\/(?:sharedStrings|styles|worksheet|officeDocument)["']/.test(link);
      if (isRead) links.push(target.startsWith('/') ? target.slice(1) : posix.join(folder, target));
    }
  }
  const missing = links.find((part) => !parts.has(part));
  if (missing !== undefined) throw new Error(`it has no part ${missing}`);
}

function recordsOf(
  rows: Sheet['rows'],
  headerRow: number,
  columns: readonly string[],
): SourceRecord[] {
  let row = 0;
  return rows.flatMap((cells, at): SourceRecord[] => {
    if (cells.every(isEmpty)) return [];
    const values = columns.map((column, nth) => [column, cellValue(cells[nth])]);
    return [{ row: ++row, line: headerRow + 1 + at, fields: Object.fromEntries(values) }];
  });
}

function isEmpty(cell: CellValue | undefined): boolean {
  return cell === undefined || cell === null || cell === '';
}

/** Numbers from here on have more than the 15 digits that a spreadsheet keeps. */
const SPREADSHEET_DIGITS = 1e15;
const FIRST_DAY = Date.UTC(1900, 0, 1);

function cellValue(cell: CellValue | undefined): string | number | boolean | null {
  if (isEmpty(cell)) return null;
  if (cell instanceof Date) return dateText(cell);
  if (typeof cell !== 'number') return cell as string | boolean;
  // A spreadsheet shows 15 digits of a double: 3.3, not 3.3000000000000003.
  if (Math.abs(cell) < SPREADSHEET_DIGITS) return Number(cell.toPrecision(15));
  // It replaces further digits by zeros, so a long number that ends in zero may be wrong: `1.23E+17`.
  const isExact = Number.isSafeInteger(cell) && cell % 10 !== 0;
  return isExact ? cell : cell.toExponential().replace('e', 'E');
}

/** ISO text, rounded to seconds: a date, a time, or both. */
function dateText(date: Date): string {
  if (Number.isNaN(date.getTime())) return '';
  const iso = new Date(Math.round(date.getTime() / 1000) * 1000).toISOString();
  if (date.getTime() < FIRST_DAY) return iso.slice(11, 19);
  return iso.endsWith('T00:00:00.000Z') ? iso.slice(0, 10) : iso.slice(0, 19);
}

/** A cell with a date may have this as its value, never with a time zone; so may a cell with text. */
const TIMESTAMP = /^\d{4}-\d\d-\d\dT[\d:.]+$/;

/** By column, why it must not be mapped: the first cell of it that the library may have misread. */
function unreadableIn(
  { cells = new Map(), rows, merges = [] }: Sheet,
  headerRow: number,
  names: readonly string[],
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const add = (row: number, column: number, why: string) => {
    const name = names[column];
    if (row < headerRow || name === undefined || found.has(name)) return;
    found.set(name, `its cell ${colToLetter(column)}${row + 1} ${why}`);
  };
  for (const { startRow, endRow, startCol, endCol } of merges) {
    for (let column = startCol; column <= endCol; column++) {
      if (endRow >= headerRow) add(Math.max(startRow, headerRow), column, 'is merged with others');
    }
  }
  for (const [place, { value, formula, style }] of cells) {
    const [row = 0, column = 0] = place.split(',').map(Number);
    if (formula !== undefined && isEmpty(value)) {
      add(row, column, 'contains a formula whose result is empty or not saved');
    }
    const template = style?.numFmt;
    const isDate = value instanceof Date;
    if (template === undefined || !(isDate || typeof value === 'number')) continue;
    if (isDate !== isDateFormat(template)) {
      add(row, column, `may be a date or a number: its format is ${JSON.stringify(template)}`);
    }
  }
  for (const [row, own] of rows.entries())
    for (const [column, cell] of own.entries()) {
      if (cell instanceof Date && !isInCalendar(cell)) add(row, column, 'is no date');
      if (typeof cell !== 'string') continue;
      if (cell.includes('\ufffd')) add(row, column, 'is not UTF-8 text');
      if (TIMESTAMP.test(cell)) add(row, column, `may be a date or a text: ${cell}`);
    }
  return found;
}

function isInCalendar(date: Date): boolean {
  return date.getTime() >= Date.UTC(1899, 11, 31) && date.getTime() < Date.UTC(10_000, 0, 1);
}

/** Not `Standard` and `General`, which have letters of dates, and not `[h]:mm`, which is a duration. */
function isDateFormat(template: string): boolean {
  if (/\[(?:h+|m+|s+)\]/i.test(template)) return false;
  const [first = ''] = template
    .replace(/"[^"]*"|\\.|[_*]./g, ' ')
    .replace(/\[[^\]]*\]/g, '')
    .replace(/s[.,]0+/gi, 's')
    .split(';');
  const words = first.match(/\p{L}+/gu) ?? [];
  return !/[0#?]/.test(first) && words.some((word) => /^[ymdhs]+$/i.test(word));
}
