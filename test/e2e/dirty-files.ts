import { gzipSync } from 'node:zlib';
import { workbook } from '../support/workbook.ts';

/** A file as people have them. The table in `test/e2e/dirty-files.md` has a row with the same title. */
export interface DirtyFile {
  readonly title: string;
  readonly name: string;
  readonly content: string | Buffer;
  readonly flags?: readonly string[];
  /** Codes of the items that exist before. */
  readonly existing?: readonly string[];
  /** Every item that the import creates, in the order of the file: code and name. */
  readonly stored: readonly (readonly [code: string | null, name: string | null])[];
  /** Kinds of warnings in the plan. */
  readonly warnings?: readonly string[];
}

const csv = (...lines: readonly string[]): string =>
  ['code,name', ...lines].map((line) => `${line}\n`).join('');

type File = Omit<DirtyFile, 'title' | 'name'> & { readonly name?: string };

const file = (title: string, { name = 'items.csv', ...rest }: File): DirtyFile => ({
  title,
  name,
  ...rest,
});

const book = (...args: Parameters<typeof workbook>) => ({
  name: 'items.xlsx',
  content: workbook(...args),
});

export const DIRTY_FILES: readonly DirtyFile[] = [
  file('no name', { content: csv('A-1,Bolt', 'A-2,', 'A-3,   '), stored: [['A-1', 'Bolt']] }),
  file('no name, with `--allow missing`', {
    content: csv('A-1,Bolt', 'A-2,'),
    flags: ['--allow', 'missing'],
    stored: [
      ['A-1', 'Bolt'],
      ['A-2', null],
    ],
  }),
  file('no column for the name', {
    content: 'code,brand\nA-1,Contoso\nA-2,Contoso\n',
    stored: [],
    warnings: ['unmapped_name'],
  }),
  file('no code', { content: csv('A-1,Bolt', ',Nut'), stored: [['A-1', 'Bolt']] }),
  file('spreadsheet errors in CSV', {
    content: csv('A-1,Bolt', '#N/A,Nut', 'A-3,#REF!', 'A-4,#VALUE!', 'A-5,#DIV/0!', 'A-6,#NAME?'),
    stored: [['A-1', 'Bolt']],
  }),
  file('spreadsheet errors in Spanish', {
    content: csv(
      'A-1,Perno',
      'A-2,#N/D',
      'A-3,#¡REF!',
      'A-4,#¿NOMBRE?',
      'A-5,#¡VALOR!',
      '#¡DIV/0!,x',
    ),
    stored: [['A-1', 'Perno']],
  }),
  file('spreadsheet errors of newer formulas, and numbers that do not fit', {
    content: csv(
      'A-1,Bolt',
      'A-2,#SPILL!',
      'A-3,#CALC!',
      'A-4,#NULL!',
      'A-5,#NUM!',
      'A-6,########',
    ),
    stored: [['A-1', 'Bolt']],
  }),
  file('spreadsheet errors, with `--allow error-values`', {
    content: csv('A-1,Bolt', 'A-2,#N/A'),
    flags: ['--allow', 'error-values'],
    stored: [
      ['A-1', 'Bolt'],
      ['A-2', '#N/A'],
    ],
  }),
  file('errors of formulas in a workbook', {
    ...book({
      Items: [
        ['code', 'name'],
        ['A-1', 'Bolt'],
        ['A-2', { error: '#N/A' }],
        [{ error: '#REF!' }, 'Nut'],
      ],
    }),
    stored: [['A-1', 'Bolt']],
  }),
  file('control characters', {
    content: csv('A-1,Bolt', 'A-2,N\u0000ut', 'A-3,Ro\u001bd', 'A\u0007-4,Saw', 'A-5,\u0085Wheel'),
    stored: [['A-1', 'Bolt']],
  }),
  file('tabs and line ends inside values', {
    content: csv('A-1,"M8\tBolt\nzinc"'),
    stored: [['A-1', 'M8\tBolt\nzinc']],
    warnings: ['line_breaks'],
  }),
  file('zero-width characters in codes', {
    content: csv(
      ...['A-1,Bolt', 'A\u200b-2,a', 'A\u200c-3,b', 'A\u200d-4,c', 'A\u2060-5,d', 'A\u00ad-6,e'],
      ...['\ufeffA-7,f', 'A-8\u200f,g'],
    ),
    stored: [['A-1', 'Bolt']],
  }),
  file('zero-width characters, with `--allow invisible`', {
    content: csv('A\u200b-1,Bolt'),
    flags: ['--allow', 'invisible'],
    stored: [['A\u200b-1', 'Bolt']],
  }),
  file('no-break and other odd spaces at the ends', {
    content: csv('\u00a0A-1\u00a0,\u2003Bolt\u202f', ' A-2 ,Nut\u3000'),
    stored: [
      ['A-1', 'Bolt'],
      ['A-2', 'Nut'],
    ],
  }),
  file('codes that a spreadsheet shortened', {
    content: csv('A-1,Bolt', '7.50101E+12,Nut', '"4,56E+12",Rod'),
    stored: [['A-1', 'Bolt']],
  }),
  file('rows with too few or too many cells', {
    content: csv('A-1,Bolt', 'A-2', 'A-3,Rod,x,y'),
    stored: [['A-1', 'Bolt']],
  }),
  file('empty rows', {
    content: csv('A-1,Bolt', ',', '', 'A-2,Nut'),
    stored: [
      ['A-1', 'Bolt'],
      ['A-2', 'Nut'],
    ],
  }),
  file('twins in case', {
    content: csv('A-1,Bolt', 'a-1,Bolt', 'B-2,Nut'),
    stored: [
      ['A-1', 'Bolt'],
      ['a-1', 'Bolt'],
      ['B-2', 'Nut'],
    ],
    warnings: ['twins'],
  }),
  file('twins in dashes and spaces', {
    content: csv('A-1,a', 'A–1,a', 'A−1,a', 'B 2,b', 'B\u00a02,b', 'B  2,b'),
    stored: [
      ...(['A-1', 'A–1', 'A−1'] as const).map((code) => [code, 'a'] as const),
      ...(['B 2', 'B\u00a02', 'B  2'] as const).map((code) => [code, 'b'] as const),
    ],
    warnings: ['twins'],
  }),
  file('twins in Unicode form', {
    content: csv('CAFÉ-1,a', 'CAFE\u0301-1,a', 'Ａ-2,b', 'A-2,b'),
    stored: [
      ['CAFÉ-1', 'a'],
      ['CAFE\u0301-1', 'a'],
      ['Ａ-2', 'b'],
      ['A-2', 'b'],
    ],
    warnings: ['twins'],
  }),
  file('twins of existing items', {
    content: csv('hb-12,Bar', 'HB-13,Bar', 'HB‑14,Bar'),
    flags: ['--allow', 'look-alikes'],
    existing: ['HB-12', 'HB-13', 'HB-14'],
    stored: [
      ['hb-12', 'Bar'],
      ['HB‑14', 'Bar'],
    ],
    warnings: ['twins'],
  }),
  file('a total in the last row', {
    content: 'code,name,brand\nA-1,Bolt,x\nA-2,Nut,y\nTotal,2,\n',
    stored: [
      ['A-1', 'Bolt'],
      ['A-2', 'Nut'],
    ],
  }),
  file('a total without a code', {
    content: 'code,name,brand\nA-1,Bolt,x\n,Total general:,1\n',
    stored: [['A-1', 'Bolt']],
  }),
  file('lost zeros, where other codes have some', {
    content: csv('00123,a', '00456,b', '789,c', '01011,d'),
    stored: [
      ['00123', 'a'],
      ['00456', 'b'],
      ['789', 'c'],
      ['01011', 'd'],
    ],
    warnings: ['lost_zeros'],
  }),
  file('lost zeros, where codes have a fixed length', {
    content: csv('100201,a', '200144,b', '310777,c', '420015,d', '53111,e'),
    stored: [
      ['100201', 'a'],
      ['200144', 'b'],
      ['310777', 'c'],
      ['420015', 'd'],
      ['53111', 'e'],
    ],
    warnings: ['lost_zeros'],
  }),
  file('zeros that only the format of a cell shows', {
    ...book({
      Items: [
        ['code', 'name'],
        [{ zeros: 123 }, 'Bolt'],
        [{ zeros: 45678 }, 'Nut'],
      ],
    }),
    stored: [
      ['123', 'Bolt'],
      ['45678', 'Nut'],
    ],
    warnings: ['shown_zeros'],
  }),
  file('numbers of 16 digits and more in a workbook', {
    ...book({
      Items: [
        ['code', 'name'],
        [{ digits: '1234567890123456' }, 'Sixteen'],
        [{ digits: '1234567890123450' }, 'Ends in a zero'],
        [{ digits: '123456789012345' }, 'Fifteen'],
      ],
    }),
    stored: [
      ['1234567890123456', 'Sixteen'],
      ['123456789012345', 'Fifteen'],
    ],
    warnings: ['long_numbers'],
  }),
  file('hidden rows', {
    ...book(
      {
        Items: [
          ['code', 'name'],
          ['A-1', 'Bolt'],
          ['A-2', 'Nut'],
        ],
      },
      { rows: [3] },
    ),
    stored: [
      ['A-1', 'Bolt'],
      ['A-2', 'Nut'],
    ],
    warnings: ['hidden_rows'],
  }),
  file('hidden columns', {
    ...book(
      {
        Items: [
          ['code', 'name', 'brand'],
          ['A-1', 'Bolt', 'Contoso'],
        ],
      },
      { columns: [3] },
    ),
    stored: [['A-1', 'Bolt']],
    warnings: ['hidden_columns'],
  }),
  file('codes that became dates', {
    content: csv('12-Mar,a', '03-12,b'),
    stored: [
      ['12-Mar', 'a'],
      ['03-12', 'b'],
    ],
    warnings: ['dates'],
  }),
  file('identical rows', {
    content: csv('A-1,Bolt', 'A-1,Bolt', 'A-1, Bolt '),
    stored: [['A-1', 'Bolt']],
  }),
  file('rows with the same code that differ, with `--on-duplicate last`', {
    content: csv('A-1,Bolt', 'A-1,Bolt M8'),
    flags: ['--on-duplicate', 'last'],
    stored: [['A-1', 'Bolt M8']],
  }),
  file('codes that exist', {
    content: csv('A-1,Bolt', 'A-2,Nut'),
    existing: ['A-1'],
    stored: [['A-2', 'Nut']],
  }),
  file('a formula guard before cells', {
    content: csv("A-1,'=Bolt", "A-2,'+Nut"),
    stored: [
      ['A-1', '=Bolt'],
      ['A-2', '+Nut'],
    ],
  }),
  file('semicolons, a byte order mark and CRLF', {
    content: '\ufeffcode;name\r\nA-1;Bolt, M8\r\nA-2;Nut\r\n',
    stored: [
      ['A-1', 'Bolt, M8'],
      ['A-2', 'Nut'],
    ],
  }),
  file('Windows-1252, with `--encoding windows-1252`', {
    content: Buffer.from('code,name\nA-1,Tuerca ñ\nA-2,Caf\xe9\n', 'latin1'),
    flags: ['--encoding', 'windows-1252'],
    stored: [
      ['A-1', 'Tuerca ñ'],
      ['A-2', 'Café'],
    ],
  }),
  file('UTF-16 in a gzipped file named .csv', {
    content: gzipSync(Buffer.from(`\ufeff${csv('A-1,Perno ñ')}`, 'utf16le')),
    stored: [['A-1', 'Perno ñ']],
  }),
  file('broken lines in NDJSON', {
    name: 'items.ndjson',
    content: '{"code":"A-1","name":"Bolt"}\n{"code":"A-2","name":}\n{"code":"A-3","name":"Rod"}\n',
    stored: [
      ['A-1', 'Bolt'],
      ['A-3', 'Rod'],
    ],
  }),
];
