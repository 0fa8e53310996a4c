import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { readSheet } from 'read-excel-file/node';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isDateFormat } from '../../../src/import/source/xlsx/dates.ts';
import { sheetRows } from '../../../src/import/source/xlsx/sheet.ts';
import { workbookRows } from '../../../src/import/source/xlsx/workbook.ts';
import { Zip } from '../../../src/import/source/xlsx/zip.ts';
import { workbook, zip } from '../../support/workbook.ts';

const FIXTURE = resolve(import.meta.dirname, '../../fixtures/libreoffice.xlsx');

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'proc-book-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The lines that proc writes for the rows of the first sheet. */
async function linesOf(book: string | Buffer, sheet?: string): Promise<string[]> {
  const path = typeof book === 'string' ? book : join(folder, 'book.xlsx');
  if (typeof book !== 'string') writeFileSync(path, book);
  const rows = await workbookRows({ path, name: 'book.xlsx', folder }, sheet);
  return readFileSync(rows.path, 'utf8').split('\n').slice(0, -1);
}

/** A workbook with this XML as its sheet, for cells that {@link workbook} cannot write. */
function withSheet(xml: string, others: Readonly<Record<string, string>> = {}): Buffer {
  return zip(partsWith(xml, others));
}

function partsWith(
  xml: string,
  others: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  return {
    '[Content_Types].xml': '<Types/>',
    'xl/workbook.xml':
      '<x:workbook xmlns:x="m" xmlns:q="r"><x:sheets><x:sheet name="A &amp; B" q:id="rId1"/></x:sheets></x:workbook>',
    'xl/_rels/workbook.xml.rels':
      '<Relationships><Relationship Id="rId1" Type="t/worksheet" Target="/xl/sheet.xml"/><Relationship Id="rId2" Type="t/sharedStrings" Target="SharedStrings.xml"/></Relationships>',
    'xl/sheet.xml': `<x:worksheet xmlns:x="m"><x:sheetData>${xml}</x:sheetData></x:worksheet>`,
    ...others,
  };
}

it('a wide row with few cells takes memory only for those cells', async () => {
  const path = join(folder, 'book.xlsx');
  writeFileSync(path, withSheet('<x:row r="3"><x:c r="BZT3"><x:v>7</x:v></x:c></x:row>'));
  const zipped = await Zip.open(path);
  const context = { dateStyles: [], from1904: false, strings: undefined };
  for await (const rows of sheetRows(zipped, 'xl/sheet.xml', context)) {
    expect(rows).toEqual([{ number: 3, cells: [7], columns: [2047] }]);
  }
  zipped.close();
  expect.assertions(1);
});

it('columns without a header, and cells beyond the last header, keep their positions', async () => {
  const cell = (place: string, value: number) => `<x:c r="${place}"><x:v>${value}</x:v></x:c>`;
  const lines = await linesOf(
    withSheet(
      `<x:row>${cell('B1', 20)}${cell('D1', 40)}</x:row><x:row>${cell('B2', 1)}${cell('F2', 2)}</x:row>`,
    ),
  );
  expect(lines[1]).toBe('{"column 1":null,"20":1,"column 3":null,"40":null,"column 6":2}');
});

describe('a workbook', () => {
  it('saved by LibreOffice: texts, dates, times, formulas, errors, booleans, shortened numbers', async () => {
    const lines = await linesOf(FIXTURE);
    const common = { when: null, time: null, both: null };
    expect(lines.map((line) => (line === '' ? '' : JSON.parse(line)))).toEqual([
      '',
      {
        ...{ code: '00012', name: 'Ñandú & "co"\nsecond line', when: '2026-03-12' },
        ...{ time: '12:00:01', both: '2026-03-12T23:59:59', price: 1.1, formula: 2 },
        ...{ wrong: '#DIV/0!', flag: true, long: '1.23456789012346E+19' },
      },
      {
        ...{ ...common, code: '00013', name: ' padded ', when: '1900-03-01', time: '00:00:00' },
        ...{ price: 0.3, formula: 'ab', wrong: '#N/A', flag: false, long: 7 },
      },
      '',
      {
        ...{ ...common, code: '3-12', name: '_x0041_', price: -5, formula: null },
        ...{ wrong: null, flag: null, long: 12_000_000_000 },
      },
    ]);
    expect(readdirSync(folder)).toHaveLength(1);
  });

  it('is read like another library reads it, whatever its cells contain', async () => {
    const cell = fc.oneof(
      fc.string({ unit: 'grapheme' }).filter((text) => !/[\0-\x1f\ufffe\uffff]|_x/.test(text)),
      fc.integer({ min: -1e9, max: 1e9 }),
      fc.double({ noNaN: true, min: -1e9, max: 1e9 }),
      fc.boolean(),
      fc.constant(null),
      fc.integer({ min: 61, max: 60_000 }).map((day) => new Date(Date.UTC(1900, 0, day))),
    );
    const rows = fc.array(fc.array(cell, { maxLength: 4 }), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(rows, async (cells) => {
        const book = workbook({ S: [['a', 'b', 'c', 'd'], ...cells] });
        const theirs = (await readSheet(book, 1, { trim: false })) as unknown[][];
        const lines = await linesOf(book);
        for (const [at, row] of theirs.entries()) {
          const shown = row.map((one) =>
            one instanceof Date ? one.toISOString().slice(0, 10) : one === '' ? null : one,
          );
          const own = at === 0 ? [] : Object.values(JSON.parse(lines[at] || '{}'));
          expect(own).toEqual(at === 0 || shown.every((one) => one === null) ? [] : shown);
        }
      }),
      { numRuns: 15 },
    );
  });

  it('from other writers: prefixes, cells without references, gaps, text runs, CDATA, phonetic hints, part names', async () => {
    const book = withSheet(
      '<x:row><x:c t="s"><x:v>0</x:v></x:c><x:c t="inlineStr"><x:is><x:t>b</x:t></x:is></x:c></x:row>' +
        '<x:row r="4"><x:c r="B4" t="s"><x:v>1</x:v></x:c><x:c r="D4" t="str"><x:f>x</x:f><x:v><![CDATA[<&>]]></x:v></x:c></x:row><x:row><x:c t="s"><x:v>2</x:v></x:c></x:row>',
      {
        'XL/sharedstrings.xml':
          '<sst><si>\n<t>a</t>\n</si><si><r><t>one </t></r><r><t xml:space="preserve">two_x000A_</t></r><rPh><t>spoken</t></rPh></si><si><t>z</t></si></sst>',
      },
    );
    expect(await linesOf(book, 'A & B')).toEqual([
      '',
      '',
      '',
      '{"a":null,"b":"one two\\n","column 4":"<&>"}',
      '{"a":"z","b":null}',
    ]);
  });

  it('keeps its shared strings apart, however many there are and in any order', async () => {
    // With so many strings, not all of their pages stay in memory.
    const texts = Array.from({ length: 5_000 }, (_, n) => `Text ${n} `.repeat(1 + (n % 150)));
    const order = texts.map((_, n) => (n * 7_919) % texts.length);
    const book = withSheet(
      `<row><c t="str"><v>t</v></c></row>${order.map((n) => `<row><c t="s"><v>${n}</v></c></row>`).join('')}`,
      {
        'xl/sharedStrings.xml': `<sst>${texts.map((text) => `<si><t>${text}</t></si>`).join('')}</sst>`,
      },
    );
    const lines = await linesOf(book);
    expect(lines.slice(1).map((line) => JSON.parse(line).t)).toEqual(order.map((n) => texts[n]));
  });

  const HEAD = '<row><c t="str"><v>a</v></c></row>';
  it.each([
    [
      'a text that is not there',
      withSheet(`${HEAD}<row><c r="AB2" t="s"><v>9</v></c></row>`),
      'its cell AB2 refers to a text that does not exist',
    ],
    [
      'rows that are not in order',
      withSheet(`${HEAD}<row r="5"/><row r="3"/>`),
      'its row 3 comes after row 5',
    ],
    ['a row far below', withSheet(`${HEAD}<row r="900000000"/>`), 'it has more rows than a sheet'],
    [
      'a text without end',
      withSheet(`${HEAD}<row><c t="str"><v>${'x'.repeat(9 << 20)}`),
      'its part xl/sheet.xml contains a tag or text longer than 8 MiB',
    ],
    [
      'a DOCTYPE in its sheet',
      zip({
        ...partsWith('<row><c t="str"><v>&a;</v></c></row>'),
        'xl/sheet.xml':
          '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "AAAA">]><worksheet><sheetData/></worksheet>',
      }),
      'its part xl/sheet.xml has a document type (DOCTYPE)',
    ],
    [
      'a DOCTYPE in its list of sheets',
      zip({
        ...partsWith(''),
        'xl/workbook.xml': '<!doctype x SYSTEM "file:///etc/passwd"><workbook/>',
      }),
      'its part xl/workbook.xml has a document type (DOCTYPE)',
    ],
    ['no end', workbook({ S: [['a']] }).subarray(0, -30), 'it is incomplete'],
    ['XML that breaks off', withSheet('<row><c'), 'its part xl/sheet.xml is damaged'],
    ['no sheet', zip({ 'xl/a': '' }), 'it has no part xl/_rels/workbook.xml.rels'],
  ])('with %s is refused', async (_, book, message) => {
    await expect(linesOf(book)).rejects.toThrow(message);
    expect(readdirSync(folder)).toEqual(['book.xlsx']);
  });

  it('with a damaged byte anywhere is refused', async () => {
    const book = workbook({ S: [['code', 'name'], ...Array(200).fill(['W-1', 'Wheel'])] });
    const whole = await linesOf(book);
    const changed = [...Array(40).keys()].map((n) => Math.floor((n * book.length) / 40));
    for (const at of changed) {
      const broken = Buffer.from(book);
      broken[at]! ^= 0x5a;
      const read = await linesOf(broken).catch((thrown: Error) => thrown);
      // proc skips some bytes, e.g. of dates. It must report damage to all others.
      if (read instanceof Error)
        expect(read.message).toMatch(/^cannot read book\.xlsx as a workbook/);
      else expect(read).toEqual(whole);
    }
  });
});

describe('a number is read as a date', () => {
  it.each([
    ...[
      'yyyy-mm-dd',
      'd/m/yy',
      'hh:mm:ss',
      '[h]:mm',
      '[$-409]d-mmm-yy;@',
      'mm:ss.0',
      'yyyy"年"m"月"',
    ],
    ...['h:mm AM/PM', '[Red]dd.mm.yyyy', 'yyyy\\-mm\\-dd'],
  ])('with %s', (template) => {
    expect(isDateFormat(164, template)).toBe(true);
  });

  it.each([
    ...['General', '0.00', '#,##0 "days"', '[Red]0', '@', '0.00E+00', '[$USD] 0', '_-* #,##0 _€_-'],
    ...['0\\d', '"yes";"yes";"no"', ''],
  ])('not with %s', (template) => {
    expect(isDateFormat(164, template)).toBe(false);
  });
});
