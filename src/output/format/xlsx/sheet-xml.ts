import type { Row } from '../../../core/result.ts';
import { widthOf } from '../width.ts';
import { type CellValue, cellValue, type SheetColumn } from './cell-value.ts';
import { STYLE, type Styles } from './styles.ts';
import { xmlText } from './xml-text.ts';

/** The limits of Excel. */
export const MOST_ROWS = 1_048_576;
export const MOST_COLUMNS = 16_384;
/** UTF-16 units in one cell. */
export const MOST_TEXT = 32_767;

/** In characters. */
const NARROWEST = 8;
const WIDEST = 60;
const MARGIN = 2;
/** Added to the width of a header, for margins and the filter button. */
const BUTTON = 4;

export function sheetHead(columns: readonly SheetColumn[], sample: readonly Row[]): string {
  const cols = columns.map((column, index) => {
    const width = columnWidth(column, sample);
    // Codes that a person adds below the last row stay text too.
    const style = column.isIdentifier || column.own === 'text' ? ` style="${STYLE.text}"` : '';
    return `<col min="${index + 1}" max="${index + 1}" width="${width}"${style} customWidth="1"/>`;
  });
  const names = columns.map(({ field, header = field }, index) =>
    textCell(`${letters(index)}1`, header, STYLE.header),
  );
  return [
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n',
    '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">',
    '<sheetPr><pageSetUpPr fitToPage="1"/></sheetPr>',
    '<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>',
    '<selection pane="bottomLeft" activeCell="A2" sqref="A2"/></sheetView></sheetViews>',
    '<sheetFormatPr defaultRowHeight="15"/>',
    cols.length === 0 ? '' : `<cols>${cols.join('')}</cols>`,
    `<sheetData><row r="1">${names.join('')}</row>`,
  ].join('');
}

/**
 * The header is row number 1.
 *
 * @param marked the fields whose cells are marked, even if they are empty
 */
export function sheetRow(
  row: Row,
  number: number,
  { columns, styles }: { readonly columns: readonly SheetColumn[]; readonly styles: Styles },
  marked?: ReadonlySet<string>,
): string {
  let cells = '';
  for (let index = 0; index < columns.length; index++) {
    const column = columns[index]!;
    const value = cellValue(row, column);
    const place = `${letters(index)}${number}`;
    if (marked?.has(column.field)) cells += markedCell(place, value, column);
    else if (value?.type === 'text') cells += textCell(place, value.text, textStyle(column));
    else if (value !== undefined) cells += cell(place, value, styles);
  }
  return `<row r="${number}">${cells}</row>`;
}

/** The filter, and an instruction not to warn about numbers stored as text. */
export function sheetTail(columns: number, rows: number): string {
  const filter = filterRange(columns, rows);
  const ignored = `<ignoredErrors><ignoredError sqref="${filter}" numberStoredAsText="1"/></ignoredErrors>`;
  const content = columns === 0 ? ['', ''] : [`<autoFilter ref="${filter}"/>`, ignored];
  return `</sheetData>${content.join(PRINTED)}</worksheet>`;
}

/** On paper, all columns are as wide as one page, and pages are numbered. The workbook repeats the header. */
const PRINTED =
  '<pageMargins left="0.4" right="0.4" top="0.5" bottom="0.6" header="0.3" footer="0.3"/>' +
  '<pageSetup orientation="landscape" fitToWidth="1" fitToHeight="0"/>' +
  '<headerFooter><oddFooter>&amp;L&amp;A&amp;R&amp;P / &amp;N</oddFooter></headerFooter>';

/** `A1:C20` for 3 columns and 20 rows. */
export function filterRange(columns: number, rows: number): string {
  return `A1:${letters(columns - 1)}${rows}`;
}

/**
 * If `own` is `number`, what a person types becomes a number. Otherwise the cell has the format of
 * text.
 */
function textStyle({ own }: SheetColumn): number {
  return own === 'number' ? STYLE.general : STYLE.text;
}

function markedCell(place: string, value: CellValue | undefined, column: SheetColumn): string {
  const style = textStyle(column) === STYLE.text ? STYLE.markedText : STYLE.marked;
  if (value === undefined) return `<c r="${place}" s="${style}"/>`;
  if (value.type === 'text') return textCell(place, value.text, style);
  if (value.type === 'boolean') {
    return `<c r="${place}" s="${STYLE.marked}" t="b"><v>${value.value ? 1 : 0}</v></c>`;
  }
  return `<c r="${place}" s="${STYLE.marked}"><v>${value.number}</v></c>`;
}

function cell(place: string, value: Exclude<CellValue, { type: 'text' }>, styles: Styles): string {
  if (value.type === 'boolean') return `<c r="${place}" t="b"><v>${value.value ? 1 : 0}</v></c>`;
  const style = value.format === undefined ? '' : ` s="${styles.of(value.format)}"`;
  return `<c r="${place}"${style}><v>${value.number}</v></c>`;
}

/** Text is written inside its cell: a table of shared strings would have to stay in memory. */
function textCell(place: string, text: string, style: number): string {
  return `<c r="${place}" s="${style}" t="inlineStr"><is><t xml:space="preserve">${xmlText(text)}</t></is></c>`;
}

function columnWidth(column: SheetColumn, sample: readonly Row[]): number {
  let widest = Math.max(NARROWEST, widthOf(column.header ?? column.field) + BUTTON);
  for (const row of sample) {
    if (widest >= WIDEST) break;
    const value = cellValue(row, column);
    if (value === undefined) continue;
    const shown = value.type === 'text' ? value.text : value.shown;
    for (const line of shown.slice(0, WIDEST * 16).split('\n')) {
      widest = Math.max(widest, widthOf(line) + MARGIN);
    }
  }
  return Math.min(widest, WIDEST);
}

const LETTERS: string[] = [];

/** `A` for 0, `AB` for 27. */
function letters(index: number): string {
  const known = LETTERS[index];
  if (known !== undefined) return known;
  let name = '';
  for (let left = index + 1; left > 0; left = Math.floor((left - 1) / 26)) {
    name = String.fromCharCode(65 + ((left - 1) % 26)) + name;
  }
  LETTERS[index] = name;
  return name;
}
