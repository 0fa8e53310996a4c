import type { Block, ReportDocument, Table, TableColumn } from '../../core/document/document.ts';
import type { Row } from '../../core/result.ts';
import { hasControls, visible } from '../../terminal/sanitise.ts';
import { batched } from '../batched.ts';
import { type SheetColumn, sheetColumn } from '../format/xlsx/cell-value.ts';
import { MOST_TEXT } from '../format/xlsx/sheet-xml.ts';
import { WorkbookWriter } from '../format/xlsx/workbook-writer.ts';
import type { Sink } from '../sink.ts';
import { firstRows, isRight, listColumn, restOf } from './table-text.ts';

const PER_BATCH = 500;

/** The longest name of a sheet in Excel, in characters. */
const MOST_NAME = 31;

const WORDS = { summary: 'Summary', what: 'what', value: 'value' } as const;

export async function writeWorkbook(document: ReportDocument, sink: Sink): Promise<void> {
  const names = new SheetNames();
  let book: WorkbookWriter | undefined;
  const sheet = async (title: string, columns: readonly TableColumn[], isKeyed = false) => {
    const options = {
      sheet: names.next(title),
      columns: columns.map(listColumn),
      columnOf: (field: string) => columnOf(field, columns, isKeyed),
    };
    if (book === undefined) {
      book = new WorkbookWriter({
        ...options,
        write: (bytes) => sink.write(bytes),
        origin: 'report',
      });
    } else await book.next(options);
    await book.header(columns.map(({ key }) => key));
    return book;
  };
  const { data } = document;
  // The data sheet is an export: only a text that is too long for a cell changes.
  if (data !== undefined) await fill(await sheet(data.title, data.columns, true), data, clipped);
  await writeSummary(document, sheet);
  for (const { blocks } of document.sections) {
    for (const tables of sheetsOf(blocks)) {
      const { sheet: name, title, columns, sheetColumns = columns } = tables[0]!;
      const written = await sheet(name ?? title, sheetColumns);
      for (const table of tables) await fill(written, table);
    }
  }
  await book?.end();
}

type OpenSheet = (title: string, columns: readonly TableColumn[]) => Promise<WorkbookWriter>;

async function writeSummary(document: ReportDocument, sheet: OpenSheet): Promise<void> {
  const { title, lead, sections, footer } = document;
  const { summary, what, value } = WORDS;
  const columns: readonly TableColumn[] = [
    { key: 'what', header: what },
    { key: 'value', header: value },
  ];
  const rows = [
    { what: title, value: lead },
    ...sections.flatMap((section) =>
      section.blocks.flatMap((block) => lines(block, section.title)),
    ),
    { what: '', value: footer },
  ];
  await (await sheet(summary, columns)).rows(rows.map(shown));
}

function lines(block: Block, title: string): readonly Row[] {
  switch (block.kind) {
    case 'text':
    case 'command':
      return [{ what: title, value: block.text }];
    case 'list':
      return block.items.map((item) => ({ what: title, value: item }));
    case 'facts':
      return block.facts.map(({ label, value }) => ({ what: label, value }));
    case 'table': {
      const rest = restOf(block, block.most);
      if (rest === undefined) return [];
      return [{ what: block.title, value: `${rest.text} ${rest.command ?? ''}`.trim() }];
    }
    default:
      return [];
  }
}

/** Tables with the same `sheet` go onto one sheet, one below the other. */
function sheetsOf(blocks: readonly Block[]): readonly (readonly Table[])[] {
  const tables = blocks.filter((block) => block.kind === 'table');
  const sheets = Map.groupBy(tables, (table) => table.sheet ?? table.title);
  return [...sheets.values()];
}

async function fill(
  book: WorkbookWriter,
  table: Table,
  asCell: (row: Row) => Row = shown,
): Promise<void> {
  const { currency } = table;
  for (const rows of batched(firstRows(table, table.most), PER_BATCH)) {
    await book.rows(rows.map((row) => asCell(currency === undefined ? row : { ...row, currency })));
  }
}

/** Control characters become visible, and a text that is too long for a cell is cut. */
function shown(row: Row): Row {
  const isHiding = (value: unknown) => typeof value === 'string' && hasControls(value);
  if (!Object.values(row).some(isHiding)) return clipped(row);
  return clipped(
    Object.fromEntries(
      Object.entries(row).map(([key, value]) => [
        key,
        typeof value === 'string' ? visible(value) : value,
      ]),
    ),
  );
}

function clipped(row: Row): Row {
  const isLong = (value: unknown) => typeof value === 'string' && value.length > MOST_TEXT;
  if (!Object.values(row).some(isLong)) return row;
  return Object.fromEntries(
    Object.entries(row).map(([key, value]) => [
      key,
      isLong(value) ? `${String(value).slice(0, MOST_TEXT - 1)}…` : value,
    ]),
  );
}

function columnOf(field: string, columns: readonly TableColumn[], isKeyed: boolean): SheetColumn {
  const column = columns.find(({ key }) => key === field)!;
  if (isKeyed) return sheetColumn(field, columns.map(listColumn));
  return {
    field,
    header: visible(column.header),
    kind: listColumn(column).kind,
    isIdentifier: column.kind === 'code',
    own: isRight(column) ? undefined : 'text',
  };
}

class SheetNames {
  readonly #taken = new Set<string>();

  next(title: string): string {
    const clean = visible(title.replace(/[\0-\x1f]/g, ' '))
      .replace(/[\\/?*[\]:']/g, ' ')
      .replace(/\s+/g, ' ')
      .trim();
    const base = clean.slice(0, MOST_NAME).trim() || 'Sheet';
    let name = base;
    for (let nth = 2; this.#taken.has(name.toLowerCase()); nth++) {
      const number = ` (${nth})`;
      name = `${base.slice(0, MOST_NAME - number.length)}${number}`;
    }
    this.#taken.add(name.toLowerCase());
    return name;
  }
}
