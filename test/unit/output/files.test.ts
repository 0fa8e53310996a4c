import { mkdtempSync, rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { readSheet } from 'read-excel-file/node';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rawNumber } from '../../../src/core/numbers.ts';
import type { Row } from '../../../src/core/result.ts';
import { unguarded } from '../../../src/output/formula-guard.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { workbookParts } from '../../support/edit-workbook.ts';
import { list, ORDERS, pages, rendered } from './rendering.ts';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'proc-files-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const at = (name: string) => join(cwd, name);

/** Text that spreadsheets like to take for something else. */
const ODD = [
  ...['00042', '1E7', '3/2', '=1+1', '+A1', '-1', '@SUM(A1)', '12345678901234567890', '2026-02-28'],
  ...[
    '\u{1f527} key',
    'TRUE',
    '  sp  ',
    'a\nb',
    'a\rb',
    'a\tb',
    "'q",
    "'=1",
    '_x0041_',
    '_x000D\u0001',
  ],
  ...[
    '<&>"',
    '50%',
    '$1',
    '1,5',
    '\u0001x',
    '0.10',
    '\ud83dx',
    '\ufffe',
    '#N/A',
    '1:30',
    'e\u0301',
  ],
];

describe('csv', () => {
  it('is RFC 4180: declared columns, then all others; a header even without rows', async () => {
    const { stdout } = await rendered(
      list(pages(ORDERS, 1)),
      { output: 'csv', out: 'a.csv' },
      { cwd },
    );
    expect(stdout).toBe('');
    expect(await readFile(at('a.csv'), 'utf8')).toBe(
      [
        'code,status,amount,title,id,currency,extra',
        'PO-00042,pending,23153.23,Bolts,ord_1,USD,',
        'PO-00043,approved,900,"Señal, ""50 km""",ord_2,CLP,',
        'PO-00044,,50000,工具一式,ord_3,USD,[1]',
        '',
      ].join('\r\n'),
    );
    expect((await rendered(list([]), { output: 'csv' })).stdout).toBe(
      'code,status,amount,title\r\n',
    );
  });

  it('shows controls as escapes on a terminal only', async () => {
    const rows = [{ code: 'a\u001b[2Jb' }];
    const flags = { output: 'csv', fields: ['code'] } as const;
    expect((await rendered(list(rows), flags, { terminal: true })).stdout).toBe(
      'code\na\\u001b[2Jb\n',
    );
    expect((await rendered(list(rows), flags)).stdout).toBe('code\r\na\u001b[2Jb\r\n');
  });

  it('can be read back, whatever the text', async () => {
    const cell = fc.oneof(fc.string({ unit: anyCharacter }), fc.constantFrom(...ODD, '', ';', ','));
    const table = fc.array(fc.record({ a: cell, b: cell }), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(table, async (rows) => {
        await rendered(list(rows), { out: 'a.csv', fields: ['a', 'b'] }, { cwd });
        const read = parse(await readFile(at('a.csv'), 'utf8'), { record_delimiter: '\r\n' });
        const wellFormed = rows.map(({ a, b }) => [a.toWellFormed(), b.toWellFormed()]);
        expect(read.slice(1).map((cells) => cells.map(unguarded))).toEqual(wellFormed);
      }),
      { numRuns: 40 },
    );
  });

  it('guards text that a spreadsheet would execute, and no number', async () => {
    const flags = { output: 'csv', fields: ['code', 'n'] } as const;
    const { stdout } = await rendered(list([{ code: '=1+1', n: -12.5 }]), flags);
    expect(stdout).toBe("code,n\r\n'=1+1,-12.5\r\n");
  });
});

describe('a workbook', () => {
  const written = async (rows: readonly Row[], flags: object = {}) => {
    await rendered(list(rows, { columns: [] }), { out: 'a.xlsx', ...flags }, { cwd });
    return (await readSheet(at('a.xlsx'), { trim: false })).slice(1);
  };

  it('keeps every text unchanged, whatever it looks like, and has no formula', async () => {
    const rows = ODD.map((text) => ({ code: text, name: text, note: text }));
    expect(await written(rows)).toEqual(ODD.map((text) => [text, text, text]));
    const sheet = (await workbookParts(at('a.xlsx')))['xl/worksheets/sheet1.xml']!;
    expect(sheet).not.toContain('<f');
    expect(sheet).not.toContain('<v>');
    expect(sheet).toContain('<pane ySplit="1"');
    const unit = fc.constantFrom(
      ...'_x0041AF\b\r\n\t =+-@\'"&<>\0é工\ufffe\uffff',
      '\ud83d',
      '\ude00',
      '_x',
    );
    const cell = fc.string({ unit, minLength: 1 });
    await fc.assert(
      fc.asyncProperty(fc.array(cell, { minLength: 1 }), async (texts) => {
        expect(await written(texts.map((name) => ({ name })))).toEqual(texts.map((one) => [one]));
      }),
      { numRuns: 15 },
    );
  });

  it('has numbers that a spreadsheet keeps, and everything else as text', async () => {
    const row = {
      ...{ id: 42, orderId: 7, amount: 23153.2, quantity: '12.50', b: true, no: null, empty: '' },
      ...{ long: rawNumber('12345678901234567.89'), list: ['a'], at: '2026-11-22T08:09:10Z' },
    };
    expect(await written([row])).toEqual([
      ['42', '7', 23153.2, '12.50', true, null, null, '12345678901234567.89', '["a"]', row.at],
    ]);
    // What a person types below an identifier stays text.
    const parts = await workbookParts(at('a.xlsx'));
    expect(parts['xl/styles.xml']).toContain('formatCode="@"');
  });

  it('has the selected rows and fields, or only a header', async () => {
    expect(await written(ORDERS, { fields: ['code', 'title'], where: ['amount<1000'] })).toEqual([
      ['PO-00043', 'Señal, "50 km"'],
    ]);
    expect(await written(ORDERS, { query: '[].{c: code, n: amount} | [:1]' })).toEqual([
      ['PO-00042', 23153.23],
    ]);
    await rendered(list([], { fields: ['id', 'code'] }), { out: 'a.xlsx' }, { cwd });
    expect(await readSheet(at('a.xlsx'))).toEqual([['id', 'code']]);
  });

  it('refuses text that is too long for a cell, and keeps the existing file', async () => {
    await writeFile(at('a.xlsx'), 'before');
    const longest = { code: 'a', notes: 'n'.repeat(32_767) };
    await expect(
      written([longest, { code: 'b', notes: 'n'.repeat(32_768) }]),
    ).rejects.toMatchObject({
      code: 'unwritable_output',
      message: expect.stringContaining('32768 characters in notes of row 3'),
    });
    expect(await readFile(at('a.xlsx'), 'utf8')).toBe('before');
    expect(await written([longest])).toEqual([['a', longest.notes]]);
  });
});
