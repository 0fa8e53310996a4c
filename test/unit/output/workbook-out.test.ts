import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import readXlsxFile, { readSheet } from 'read-excel-file/node';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Column, Row } from '../../../src/core/result.ts';
import { rawNumber } from '../../../src/core/text/raw-number.ts';
import { sheetRows } from '../../../src/import/source/xlsx/sheet.ts';
import { Zip } from '../../../src/import/source/xlsx/zip.ts';
import { WorkbookWriter } from '../../../src/output/format/xlsx/workbook-writer.ts';
import { list, ORDERS, pages, rendered } from './rendering.ts';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'proc-workbook-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const at = (name: string) => join(cwd, name);

async function writtenTo(
  name: string,
  rows: readonly Row[],
  { columns = [], mostRows }: { columns?: readonly Column[]; mostRows?: number } = {},
): Promise<string> {
  const bytes: Uint8Array[] = [];
  const write = async (piece: Uint8Array) => void bytes.push(Uint8Array.from(piece));
  const book = new WorkbookWriter({ write, sheet: 'orders', columns }, mostRows);
  await book.header([...new Set(rows.flatMap((row) => Object.keys(row)))]);
  await book.rows(rows);
  await book.end();
  await writeFile(at(name), Buffer.concat(bytes));
  return at(name);
}

async function all<T>(pieces: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const piece of pieces) found.push(piece);
  return found;
}

async function part(file: string, name: string): Promise<string> {
  const zip = await Zip.open(file);
  try {
    return Buffer.concat(await all(zip.read(name))).toString();
  } finally {
    zip.close();
  }
}

/** The cells below the header, as proc's own reader returns them. */
async function ownCells(file: string): Promise<(readonly unknown[])[]> {
  const zip = await Zip.open(file);
  const context = { dateStyles: [], from1904: false, strings: undefined };
  const rows = await all(sheetRows(zip, 'xl/worksheets/sheet1.xml', context));
  zip.close();
  return rows
    .flat()
    .slice(1)
    .map(({ cells }) => cells);
}

/** The number format of a cell; undefined: the general one. */
async function formatOf(file: string, cell: string): Promise<string | undefined> {
  const sheet = await part(file, 'xl/worksheets/sheet1.xml');
  const style = new RegExp(`<c r="${cell}" s="(\\d+)"`).exec(sheet)?.[1];
  const styles = await part(file, 'xl/styles.xml');
  const [, all = ''] = /<cellXfs[^>]*>(.*)<\/cellXfs>/.exec(styles)!;
  const id = [...all.matchAll(/<xf numFmtId="(\d+)"/g)][Number(style ?? 0)]![1];
  if (id === '49') return '@';
  return new RegExp(`numFmtId="${id}" formatCode="([^"]*)"`).exec(styles)?.[1];
}

describe('a workbook', () => {
  it('keeps every text unchanged, whatever it looks like, for two readers', async () => {
    const unit = fc.oneof(
      fc.constantFrom(...'_x0041AF\b\r\n\t =+-@\'"&<>\0é工\ufffe\uffff', '\ud83d', '\ude00', '_x'),
      fc.constantFrom('_x0041_', '_x005F_', '_x000', '1E5', 'TRUE'),
    );
    const cell = fc.string({ unit, minLength: 1 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ code: cell, name: cell }), { minLength: 1 }),
        async (rows) => {
          const file = await writtenTo('texts.xlsx', rows);
          const wanted = rows.map(({ code, name }) => [code, name]);
          expect(await ownCells(file)).toEqual(wanted);
          expect((await readSheet(file, { trim: false })).slice(1)).toEqual(wanted);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('has codes and ids as text, even if they were numbers, and no formula', async () => {
    const rows = [
      { id: 42, code: '00042', orderId: 7, key: '1E5', name: '=1+1' },
      { id: 43, code: '2/3', orderId: 8, key: '=A1', name: '@SUM(A1)' },
    ];
    const file = await writtenTo('codes.xlsx', rows);
    expect((await readSheet(file)).slice(1)).toEqual([
      ['42', '00042', '7', '1E5', '=1+1'],
      ['43', '2/3', '8', '=A1', '@SUM(A1)'],
    ]);
    for (const column of 'ABCDE') expect(await formatOf(file, `${column}2`)).toBe('@');
    expect(await part(file, 'xl/worksheets/sheet1.xml')).not.toContain('<f');
  });

  it.each([
    [{ amount: 23153.2, currency: 'USD' }, 23153.2, '[$USD] #,##0.00'],
    [{ amount: 900, currency: 'CLP' }, 900, '[$CLP] #,##0'],
    // The format shows all decimals: no amount looks rounded.
    [{ amount: 900.125, currency: 'CLP' }, 900.125, '[$CLP] #,##0.000'],
    [{ amount: 1.5, currency: 'KWD' }, 1.5, '[$KWD] #,##0.000'],
    [{ amount: -12, currency: null }, -12, '#,##0.00'],
    [{ amount: '12.50', currency: 'EUR' }, 12.5, '[$EUR] #,##0.00'],
    [{ amount: 1, currency: '"];@' }, 1, '#,##0.00'],
    // More digits than a spreadsheet keeps.
    [{ amount: rawNumber('12345678901234567.89'), currency: 'USD' }, '12345678901234567.89', '@'],
    [{ amount: 'on request', currency: 'USD' }, 'on request', '@'],
  ])('shows the amount of %o in the format of its currency', async (row, value, format) => {
    const columns = [{ key: 'amount', header: 'AMOUNT', kind: 'amount' }] as const;
    const file = await writtenTo('amounts.xlsx', [row], { columns });
    expect((await readSheet(file))[1]?.[0]).toBe(value);
    expect(await formatOf(file, 'A2')).toBe(format);
  });

  it.each([
    ['createdAt', '2026-11-22T08:09:10.000Z', new Date('2026-11-22T08:09:10Z')],
    ['at', '2026-11-22T08:09:10Z', new Date('2026-11-22T08:09:10Z')],
    ['dueDate', '2026-02-28', new Date('2026-02-28T00:00:00Z')],
    // These stay text: fields that are not dates, other offsets, and days that no spreadsheet has.
    ['title', '2026-02-28', '2026-02-28'],
    ['code', '2026-02-28', '2026-02-28'],
    ['createdAt', '2026-11-22T08:09:10-03:00', '2026-11-22T08:09:10-03:00'],
    ['createdAt', '2026-02-31', '2026-02-31'],
    ['createdAt', '2026-02-28T25:00:00Z', '2026-02-28T25:00:00Z'],
    ['createdAt', '1899-12-31', '1899-12-31'],
    ['createdAt', '2026-11-22T08:09:10.1234567Z', '2026-11-22T08:09:10.1234567Z'],
    ['createdAt', 'yesterday', 'yesterday'],
  ])('has %s %s as %o', async (field, text, wanted) => {
    const file = await writtenTo('dates.xlsx', [{ [field]: text }]);
    expect((await readSheet(file))[1]).toEqual([wanted]);
  });

  it('keeps milliseconds', async () => {
    const file = await writtenTo('ms.xlsx', [{ at: '2026-11-22T08:09:10.250Z' }]);
    expect(await formatOf(file, 'A2')).toBe('yyyy-mm-dd hh:mm:ss.000');
    const [, days] = /<v>([\d.]+)<\/v>/.exec(await part(file, 'xl/worksheets/sheet1.xml'))!;
    const ms = Math.round(Number(days) * 86_400_000) + Date.UTC(1899, 11, 30);
    expect(new Date(ms).toISOString()).toBe('2026-11-22T08:09:10.250Z');
  });

  it('has numbers and booleans, no cell for an empty value, and JSON for nested values', async () => {
    const file = await writtenTo('values.xlsx', [
      { n: 1.5, b: true, nothing: null, empty: '', list: ['a', 'b'], object: { a: 1 }, last: 'x' },
      { n: rawNumber('1234567890123456'), b: false, last: '' },
    ]);
    expect((await readSheet(file)).slice(1)).toEqual([
      [1.5, true, null, null, '["a","b"]', '{"a":1}', 'x'],
      ['1234567890123456', false, null, null, null, null, null],
    ]);
  });

  it('has a frozen header with a filter, and columns as wide as their content', async () => {
    const { stderr } = await rendered(list(pages(ORDERS, 1)), { out: 'orders.xlsx' }, { cwd });
    expect(stderr).toContain('Wrote 3 rows to orders.xlsx');
    const sheet = await part(at('orders.xlsx'), 'xl/worksheets/sheet1.xml');
    expect(sheet).toContain('<pane ySplit="1" topLeftCell="A2"');
    expect(sheet).toContain('state="frozen"');
    expect(sheet).toContain('<autoFilter ref="A1:G4"/>');
    const widths = [...sheet.matchAll(/<col [^>]*width="(\d+)"/g)].map(([, width]) =>
      Number(width),
    );
    const title = (await readSheet(at('orders.xlsx')))[0]!.indexOf('title');
    // The widest title has 14 characters. The margin is 2.
    expect(widths[title]).toBe(14 + 2);
  });

  it('prints all columns on one page across, with the header on each page and its number', async () => {
    await rendered(list(pages(ORDERS, 1)), { out: 'paper.xlsx' }, { cwd });
    const sheet = await part(at('paper.xlsx'), 'xl/worksheets/sheet1.xml');
    expect(sheet).toContain('<sheetPr><pageSetUpPr fitToPage="1"/></sheetPr><sheetViews>');
    // The schema has an order: filter, margins, set-up, footer, ignored errors.
    expect(sheet).toMatch(
      /<autoFilter [^>]*\/><pageMargins [^>]*\/><pageSetup orientation="landscape" fitToWidth="1" fitToHeight="0"\/><headerFooter>.*<\/headerFooter><ignoredErrors>/,
    );
    const book = await part(at('paper.xlsx'), 'xl/workbook.xml');
    expect(book).toMatch(/name="_xlnm.Print_Titles" localSheetId="0">'[^']+'!\$1:\$1</);
  });

  it('continues on a new sheet when one is full', async () => {
    const rows = Array.from({ length: 7 }, (_, n) => ({ code: `0${n}` }));
    const file = await writtenTo('long.xlsx', rows, { mostRows: 4 });
    expect(await readXlsxFile(file)).toEqual([
      { sheet: 'orders', data: [['code'], ['00'], ['01'], ['02']] },
      { sheet: 'orders 2', data: [['code'], ['03'], ['04'], ['05']] },
      { sheet: 'orders 3', data: [['code'], ['06']] },
    ]);
    expect(await part(file, 'xl/workbook.xml')).toContain("'orders 2'!$A$1:$A$4<");
  });

  it('refuses text that is too long for a cell, and keeps the existing file', async () => {
    await writeFile(at('notes.xlsx'), 'before');
    const longest = { code: 'a', notes: 'n'.repeat(32_767) };
    const rows = [longest, { code: 'b', notes: 'n'.repeat(32_768) }];
    await expect(rendered(list(rows), { out: 'notes.xlsx' }, { cwd })).rejects.toMatchObject({
      code: 'unwritable_output',
      message:
        'this does not fit into a workbook: 32768 characters in notes of row 3, and a cell has at most 32767',
    });
    expect(existsSync(at('notes.xlsx'))).toBe(true);
    await rendered(list([longest]), { out: 'notes.xlsx', fields: ['notes'] }, { cwd });
    expect(await readSheet(at('notes.xlsx'))).toEqual([['notes'], [longest.notes]]);
  });
});

describe('a workbook contains the selected rows and fields', () => {
  const written = async (flags: object, rows: readonly Row[] = ORDERS) => {
    await rendered(
      list(rows, { fields: ['id', 'code', 'amount'] }),
      { out: 'a.xlsx', ...flags },
      { cwd },
    );
    return readSheet(at('a.xlsx'));
  };

  it('of --fields, --where and --query, or only a header if there are no rows', async () => {
    const [header, ...cells] = await written({});
    const all = new Set(['id', 'code', 'amount', ...ORDERS.flatMap((row) => Object.keys(row))]);
    expect(header).toEqual([...all]);
    expect(cells.map((row) => row.slice(0, 3))).toEqual([
      ['ord_1', 'PO-00042', 23153.23],
      ['ord_2', 'PO-00043', 900],
      ['ord_3', 'PO-00044', 50000],
    ]);
    expect(await written({ fields: ['code', 'title'], where: ['amount<1000'] })).toEqual([
      ['code', 'title'],
      ['PO-00043', 'Señal, "50 km"'],
    ]);
    expect(await written({ query: '[].{c: code, n: amount} | [:1]' })).toEqual([
      ['c', 'n'],
      ['PO-00042', 23153.23],
    ]);
    expect(await written({ query: 'length(@)' })).toEqual([['value'], [3]]);
    expect(await written({}, [])).toEqual([['id', 'code', 'amount']]);
  });

  it('with dates in nested fields as dates', async () => {
    const row = { delivery: { at: '2026-11-22T08:09:10Z', note: '2026-11-22' } };
    const fields = ['delivery.at', 'delivery.note'];
    const cells = [new Date('2026-11-22T08:09:10Z'), '2026-11-22'];
    expect(await written({ fields }, [row])).toEqual([fields, cells]);
  });

  it('with the format of a currency that is not among the fields', async () => {
    await written({ fields: ['amount'] });
    expect(await formatOf(at('a.xlsx'), 'A3')).toBe('[$CLP] #,##0');
  });

  it('of a single record', async () => {
    const value = { id: 7, name: '=Brakes', active: true };
    await rendered({ kind: 'record', value }, { out: 'a.xlsx' }, { cwd });
    expect(await readSheet(at('a.xlsx'))).toEqual([
      ['id', 'name', 'active'],
      ['7', '=Brakes', true],
    ]);
  });
});

describe('on a terminal', () => {
  it('-o xlsx needs a file', async () => {
    const output = 'xlsx';
    await expect(rendered(list(ORDERS), { output }, { terminal: true })).rejects.toMatchObject({
      exitCode: 2,
      message: 'a workbook cannot be shown on a terminal',
      hint: 'Write it to a file: --out FILE.xlsx',
    });
    await rendered(list(ORDERS), { output, out: 'orders.data' }, { cwd, terminal: true });
    expect(await readSheet(at('orders.data'))).toHaveLength(ORDERS.length + 1);
  });

  it('a preference for workbooks gives a table', async () => {
    const env = { PROC_OUTPUT: 'xlsx' };
    expect((await rendered(list(ORDERS), {}, { env, terminal: true })).stdout).toContain(
      '23,153.23',
    );
    expect((await rendered(list(ORDERS), {}, { env })).stdout.slice(0, 2)).toBe('PK');
  });
});
