import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { workbook } from '../../support/workbook.ts';
import { fileOf, folder, open, recordsOf, told } from './reading.ts';

const TITLED = 'Stock "as of" May\r\n"not closed\r\n\r\nSKU;Name\r\nA;x\r\nB;y\r\n';

async function placed(content: string | Buffer, place: object): Promise<unknown[]> {
  return (await recordsOf(content, { place })).map(({ row, line, fields }) => [row, line, fields]);
}

describe('the header of a table', () => {
  it.each([['at a line', { headerRow: 4 }]])(
    '%s: titles are not read, and lines stay those of the file',
    async (_, place) => {
      expect(await placed(TITLED, place)).toEqual([
        [1, 5, { SKU: 'A', Name: 'x' }],
        [2, 6, { SKU: 'B', Name: 'y' }],
      ]);
    },
  );

  it('that does not exist: columns are numbered', async () => {
    expect(await placed('A,x,\nB,y,\n', { headerRow: 0 })).toEqual([
      [1, 1, { 'column 1': 'A', 'column 2': 'x', 'column 3': '' }],
      [2, 2, { 'column 1': 'B', 'column 2': 'y', 'column 3': '' }],
    ]);
  });

  it.each([
    ['\na,b\n1,2\n', { headerRow: 1 }, '--header-row 1: row 1 of '],
    ['a,b\n1,2\n', { headerRow: 9 }, '--header-row 9: '],
    ['[{"code":"A"}]', { headerRow: 2 }, '--header-row is for CSV and workbooks; '],
  ])('is refused where there is none: %j %j', async (content, place, message) => {
    await expect(open(fileOf(content), { place })).rejects.toMatchObject({
      code: 'invalid_usage',
      message: expect.stringContaining(message),
    });
  });

  it('may be below a title that looks like JSON', async () => {
    expect(await told('[2026] Stock\nSKU,Name\nA,x\n', { place: { headerRow: 2 } })).toEqual([
      { SKU: 'A', Name: 'x' },
    ]);
  });
});

describe('the header of a sheet', () => {
  const rows = [['Stock'], [], ['SKU', 'Name', 'Name'], [null, 'EUR'], ['A', 'x', 'y']];

  it.each([[{ headerRow: 3 }, [4, 5]]])(
    'is where %j says; lines are rows of the sheet',
    async (place, lines) => {
      const records = await recordsOf(workbook({ Stock: rows }), { place });
      expect(records.map(({ line }) => line)).toEqual(lines);
      expect(records.at(-1)!.fields).toEqual({
        SKU: 'A',
        'Name (column 2)': 'x',
        'Name (column 3)': 'y',
      });
    },
  );

  it('may be missing', async () => {
    const records = await recordsOf(
      workbook({
        Stock: [
          ['A', 'x'],
          ['B', 'y', 3],
        ],
      }),
      {
        place: { headerRow: 0 },
      },
    );
    expect(records.map(({ row, line, fields }) => [row, line, fields])).toEqual([
      [1, 1, { 'column 1': 'A', 'column 2': 'x', 'column 3': null }],
      [2, 2, { 'column 1': 'B', 'column 2': 'y', 'column 3': 3 }],
    ]);
  });

  it.each([[{ headerRow: 2 }, '--header-row 2: row 2 of ']])(
    'is refused where there is none: %j',
    async (place, message) => {
      const path = join(folder, 'stock.xlsx');
      writeFileSync(path, workbook({ Stock: rows }));
      await expect(open(path, { place })).rejects.toMatchObject({
        code: 'invalid_usage',
        message: expect.stringContaining(message),
      });
    },
  );
});

describe('line ends', () => {
  const expected = [
    { code: 'A', name: 'x' },
    { code: 'B', name: 'y\ry' },
    { code: 'C', name: 'z' },
  ];

  it.each([
    ['returns', 'code,name\rA,x\rB,"y\ry"\rC,z\r', [2, 3, 5]],
    ['returns, and none at the end', 'code,name\rA,x\rB,"y\ry"\rC,z', [2, 3, 5]],
    ['all three, mixed', 'code,name\r\nA,x\rB,"y\ry"\n\nC,z\r', [2, 3, 6]],
    ['returns in a file with one line feed', 'code,name\rA,x\rB,"y\ry"\rC,z\n', [2, 3, 5]],
  ])('are %s', async (_, content, lines) => {
    const records = await recordsOf(content);
    expect(records.map(({ fields }) => fields)).toEqual(expected);
    expect(records.map(({ line }) => line)).toEqual(lines);
  });

  it.each(['\r', '\r\n', '\n'])('%j: a file of several megabytes', async (end) => {
    const count = 60_000;
    const rows = Array.from({ length: count }, (_, at) => `C-${at},"a name, ${'x'.repeat(30)}"`);
    const records = await recordsOf(['code,name', ...rows].join(end));
    expect(records).toHaveLength(count);
    expect(records.filter(({ problem }) => problem !== undefined)).toEqual([]);
    expect(records.at(-1)).toMatchObject({ row: count, line: count + 1 });
  });

  it('change within a file, far from its beginning', async () => {
    const rows = (name: string) => Array.from({ length: 50_000 }, (_, at) => `${name}-${at},name`);
    const content = `code,name\n${rows('A').join('\n')}\n${rows('B').join('\r')}\r${rows('C').join('\r\n')}`;
    const records = await recordsOf(content);
    expect(records).toHaveLength(150_000);
    expect(records.every(({ row, line }) => line === row + 1)).toBe(true);
  });

  it('of NDJSON may be returns', async () => {
    const records = await recordsOf('{"code":"A"}\r{"code":"B"}\r');
    expect(records.map(({ line, fields }) => [line, fields])).toEqual([
      [1, { code: 'A' }],
      [2, { code: 'B' }],
    ]);
  });

  it('may be returns in Windows-1252 too', async () => {
    const text = `code,name\r${Array.from({ length: 20 }, (_, at) => `C-${at},Tuber\xeda`).join('\r')}`;
    const lines: number[] = [];
    const records = await recordsOf(Buffer.from(text, 'latin1'), {
      confirmEncoding: async ({ line }) => lines.push(line) === 1,
    });
    expect(lines).toEqual([2]);
    expect(records.at(-1)!.fields).toEqual({ code: 'C-19', name: 'Tubería' });
  });
});
