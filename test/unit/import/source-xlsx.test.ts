import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { atNight } from '../../support/at-night.ts';
import { workbook, zip } from '../../support/workbook.ts';
import { type Flags, opened, read } from './reading.ts';

const FIXTURES = join(import.meta.dirname, '../../fixtures');

function fixture(name: string): Buffer {
  return readFileSync(join(FIXTURES, name));
}

async function unreadable(content: Uint8Array, flags: Flags = {}): Promise<unknown> {
  return Object.fromEntries((await opened(content, flags, 'x.xlsx')).unreadable ?? []);
}

const SHEET = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
const TYPES = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

interface Parts {
  /** The XML of rows below the header `code`, `name`. */
  readonly rows: string;
  readonly more?: string;
  readonly strings?: readonly string[];
  readonly formats?: readonly string[];
  /** Names of parts in the zip file that differ from the names in the relationships. */
  readonly renamed?: Readonly<Record<string, string>>;
}

/** Styles 1, 2, … have the formats. */
function book({ rows, more = '', strings, formats = [], renamed = {} }: Parts): Buffer {
  const text = (value: string) => `<c t="inlineStr"><is><t>${value}</t></is></c>`;
  const link = (type: string, target: string) =>
    `<Relationship Id="${type}" Type="${TYPES}/${type}" Target="${target}"/>`;
  const links = (...all: string[]) =>
    `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${all.join('')}</Relationships>`;
  const own: Record<string, string> = {
    '[Content_Types].xml':
      '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
    '_rels/.rels': links(link('officeDocument', 'xl/workbook.xml')),
    'xl/workbook.xml': `<workbook ${SHEET} xmlns:r="${TYPES}"><sheets><sheet name="S" sheetId="1" r:id="worksheet"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': links(
      link('worksheet', 'worksheets/sheet1.xml'),
      link('styles', 'styles.xml'),
      ...(strings === undefined ? [] : [link('sharedStrings', 'sharedStrings.xml')]),
    ),
    'xl/styles.xml': `<styleSheet ${SHEET}><numFmts>${formats.map((code, at) => `<numFmt numFmtId="${164 + at}" formatCode="${code.replaceAll('"', '&quot;')}"/>`).join('')}</numFmts><cellXfs><xf numFmtId="0"/>${formats.map((_, at) => `<xf numFmtId="${164 + at}"/>`).join('')}</cellXfs></styleSheet>`,
    'xl/worksheets/sheet1.xml': `<worksheet ${SHEET}><sheetData><row r="1">${text('code')}${text('name')}</row>${rows}</sheetData>${more}</worksheet>`,
    ...(strings && {
      'xl/sharedStrings.xml': `<sst ${SHEET}>${strings.map((one) => `<si><t>${one}</t></si>`).join('')}</sst>`,
    }),
  };
  return zip(
    Object.fromEntries(Object.entries(own).map(([name, part]) => [renamed[name] ?? name, part])),
  );
}

describe('workbooks of many programs are right or refused', () => {
  it.each<[string, unknown[]]>([
    [
      '01-prefix-no-position',
      [
        { code: 'NP-1', name: 'Valve' },
        { code: null, name: 'no code' },
      ],
    ],
    ['02-phonetic', [{ code: 'PH-1', name: '東京 valve' }]],
    ['03-x000d', [{ name: 'Line one\r\nline two', description: 'kept _x000D_ literal' }, {}]],
    ['05-1904', [{ description: '2024-06-19' }, { description: '1904-01-01' }]],
    ['08-astral-entities', [{ name: 'Seal 🔧 kit', description: '𠮷野 🔧' }]],
    ['12-double-noise', [3.3, 1234.56, 0.3, 100, -0.01].map((amount) => ({ amount }))],
    ['14-controls', [{ code: 'FC-1', name: 'Control' }]],
  ])('%s', async (name, rows) => {
    const content = fixture(`cases/${name}.xlsx`);
    expect(await read(content)).toMatchObject(rows);
    expect(await unreadable(content)).toEqual({});
  });

  it.each([
    ['04-strict-dates', { description: expect.stringContaining('C2 may be a date or a text') }],
    [
      '06-formats-no-dates',
      {
        description: expect.stringContaining(
          'C3 may be a date or a number: its format is "Standard"',
        ),
      },
    ],
    [
      '07-shared-formula',
      {
        code: expect.stringContaining('A4'),
        description: expect.stringContaining('C4 contains a formula'),
      },
    ],
  ])('%s', async (name, columns) => {
    expect(await unreadable(fixture(`cases/${name}.xlsx`))).toEqual(columns);
  });

  it('of LibreOffice', async () => {
    const content = fixture('libreoffice.xlsx');
    expect(await read(content)).toEqual([
      {
        ...{
          code: '00012',
          name: 'Ñandú & "co"\nsecond line',
          when: '2026-03-12',
          time: '12:00:01',
        },
        ...{ both: '2026-03-12T23:59:59', price: 1.1, formula: 2, wrong: '#DIV/0!', flag: true },
        long: '1.23456789012346E+19',
      },
      {
        ...{ code: '00013', name: ' padded ', when: '1900-03-01', time: '00:00:00', both: null },
        ...{ price: 0.3, formula: 'ab', wrong: '#N/A', flag: false, long: 7 },
      },
      {
        ...{ code: '3-12', name: '_x0041_', when: null, time: null, both: null, price: -5 },
        ...{ formula: null, wrong: null, flag: null, long: 12_000_000_000 },
      },
    ]);
    expect(await unreadable(content)).toEqual({ formula: expect.stringContaining('G5') });
  });
});

describe('values of cells', () => {
  it('are text, numbers, dates and truth values', async () => {
    const rows = [
      ['code', 'text', 'number', 'day', 'time', 'truth', 'zeros'],
      [
        'A',
        ' x\ny ',
        1234.5,
        new Date(Date.UTC(2026, 1, 28)),
        new Date(Date.UTC(2026, 1, 28, 13, 45, 30)),
        true,
        { zeros: 42 },
      ],
      [null, null, null, null, null, null, null],
      [
        'B',
        '2026',
        { digits: '12345678901234567' },
        { digits: '0.5' },
        { error: '#N/A' },
        false,
        0.1 + 0.2,
      ],
    ] as const;
    expect(await read(workbook({ S: rows }))).toEqual([
      {
        code: 'A',
        text: ' x\ny ',
        number: 1234.5,
        day: '2026-02-28',
        time: '2026-02-28T13:45:30',
        truth: true,
        zeros: 42,
      },
      {
        code: 'B',
        text: '2026',
        number: '1.2345678901234568E+16',
        day: 0.5,
        time: '#N/A',
        truth: false,
        zeros: 0.3,
      },
    ]);
  });

  it.each([
    ['yyyy-mm-dd', '2026-03-05'],
    ['[$-407]d. mmmm yyyy;@', '2026-03-05'],
    ['dd/mm/yyyy hh:mm:ss.000', '2026-03-05'],
    ['0.00 "days"', 46086],
    ['#,##0.00 [$€-407];[Red]-#,##0.00 [$€-407]', 46086],
    ['General', 46086],
  ])('have the format %s', async (format, value) => {
    const content = book({
      formats: [format],
      rows: '<row r="2"><c r="B2" s="1"><v>46086</v></c></row>',
    });
    expect(await read(content)).toEqual([{ code: null, name: value }]);
    expect(await unreadable(content)).toEqual({});
  });

  it('with the time of a service stay text', async () => {
    const rows = [
      ['code', 'createdAt'],
      ['A', '2011-04-16T00:00:00Z'],
      ['B', '2011-04-16T00:00:00.250+02:00'],
    ];
    const content = workbook({ S: rows });
    expect(await read(content)).toEqual([
      { code: 'A', createdAt: '2011-04-16T00:00:00Z' },
      { code: 'B', createdAt: '2011-04-16T00:00:00.250+02:00' },
    ]);
    expect(await unreadable(content)).toEqual({});
  });

  it('keep the row of the sheet as their line', async () => {
    const content = workbook({
      S: [['Stock'], [], ['code', 'name'], [], ['A', { error: '#REF!' }]],
    });
    const source = await opened(content, { headerRow: 3 }, 'x.xlsx');
    expect(source.head).toEqual([{ row: 1, line: 5, fields: { code: 'A', name: '#REF!' } }]);
    await expect(opened(content, { headerRow: 2 })).rejects.toMatchObject({
      code: 'invalid_usage',
      hint: expect.stringContaining('--header-row 3'),
    });
  });

  it('beyond the header have columns of their own', async () => {
    const content = workbook({
      S: [
        ['code', 'code'],
        ['A', 'B', 'C'],
      ],
    });
    expect(await read(content)).toEqual([
      { 'code (column 1)': 'A', 'code (column 2)': 'B', 'column 3': 'C' },
    ]);
  });
});

describe('a column is unreadable', () => {
  it.each([
    [
      'a formula without a value',
      { rows: '<row r="2"><c r="B2"><f>1+1</f><v></v></c></row>' },
      /B2 contains a formula/,
    ],
    [
      'a formula with an empty text',
      { rows: '<row r="2"><c r="B2" t="str"><f>""</f><v></v></c></row>' },
      /B2 contains a formula/,
    ],
    [
      'merged cells',
      {
        rows: '<row r="2"><c r="B2"><v>1</v></c></row><row r="3"/>',
        more: '<mergeCells><mergeCell ref="B2:B3"/></mergeCells>',
      },
      /B2 is merged/,
    ],
    [
      'a duration',
      { formats: ['[h]:mm'], rows: '<row r="2"><c r="B2" s="1"><v>1.5</v></c></row>' },
      /B2 may be a date or a number/,
    ],
    [
      'a number in the format Standard',
      { formats: ['Standard'], rows: '<row r="2"><c r="B2" s="1"><v>42</v></c></row>' },
      /B2 may be a date or a number/,
    ],
    [
      'a day before 1900',
      { formats: ['yyyy-mm-dd'], rows: '<row r="2"><c r="B2" s="1"><v>-5</v></c></row>' },
      /B2 is no date/,
    ],
    [
      'a day after 9999',
      { formats: ['yyyy-mm-dd'], rows: '<row r="2"><c r="B2" s="1"><v>2958466</v></c></row>' },
      /B2 is no date/,
    ],
    [
      'text that is not UTF-8',
      { rows: '<row r="2"><c r="B2" t="inlineStr"><is><t>\ufffd</t></is></c></row>' },
      /B2 is not UTF-8/,
    ],
  ])('because of %s', async (_, parts, why) => {
    expect(await unreadable(book(parts as Parts))).toEqual({ name: expect.stringMatching(why) });
  });

  it('not because of cells above the header', async () => {
    const more = '<mergeCells><mergeCell ref="A1:B1"/></mergeCells>';
    const rows = '<row r="2"><c r="B2"><v>1</v></c></row>';
    expect(await unreadable(book({ rows, more }))).toEqual({});
  });
});

describe('a sheet', () => {
  const sheets = workbook({ Empty: [], Data: [['code'], ['A']] });

  it('is the first visible one, or the one of --sheet', async () => {
    await expect(opened(sheets)).rejects.toMatchObject({
      message: expect.stringContaining('the header is expected here'),
      hint: expect.stringContaining('Data'),
    });
    const source = await opened(sheets, { sheet: 'Data' });
    expect(source).toMatchObject({
      columns: ['code'],
      otherSheets: ['Empty'],
      format: { workbook: { sheet: 'Data' } },
    });
    await expect(opened(sheets, { sheet: 'data' })).rejects.toMatchObject({
      code: 'invalid_usage',
      hint: expect.stringContaining('Empty, Data'),
    });
  });

  // Takes seconds.
  if (atNight)
    it('has at most 100,000 rows', async () => {
      const rows = Array.from(
        { length: 100_001 },
        (_, at) => `<row r="${at + 2}"><c r="A${at + 2}"><v>1</v></c></row>`,
      );
      await expect(opened(book({ rows: rows.join('') }))).rejects.toMatchObject({
        message: expect.stringContaining('has 100,001 rows'),
      });
      expect(await read(book({ rows: rows.slice(1).join('') }))).toHaveLength(100_000);
    });
});

describe('a damaged workbook is refused', () => {
  const rows = '<row r="2"><c r="A2" t="s"><v>0</v></c></row>';
  const strings = ['A'];
  it.each<[string, Buffer]>([
    ['cut', book({ rows, strings }).subarray(0, 900)],
    ['a zip file of other things', zip({ 'a.txt': 'x' })],
    [
      'without a part',
      book({ rows, strings, renamed: { 'xl/sharedStrings.xml': 'xl/other.xml' } }),
    ],
    [
      'with another case of a name',
      book({ rows, strings, renamed: { 'xl/sharedStrings.xml': 'xl/SharedStrings.xml' } }),
    ],
    [
      'with styles in another case',
      book({ rows, strings, renamed: { 'xl/styles.xml': 'xl/Styles.xml' } }),
    ],
    [
      'with an unclosed text',
      zip({ '[Content_Types].xml': '<Types', '_rels/.rels': '<Relationships' }),
    ],
  ])('%s', async (_, content) => {
    await expect(opened(content, {}, 'x.xlsx')).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('cannot read'),
    });
  });

  it('but not if all parts are there', async () => {
    expect(await read(book({ rows, strings }))).toEqual([{ code: 'A', name: null }]);
  });
});
