import { workbook } from '../support/workbook.ts';

/** A file as people have them. */
export interface DirtyFile {
  readonly title: string;
  readonly name: string;
  readonly content: string | Buffer;
  readonly flags?: readonly string[];
  /** Codes of the items that exist before. */
  readonly existing?: readonly string[];
  /** Every item that the import creates, in the order of the file: code and name. */
  readonly stored: readonly (readonly [code: string | null, name: string | null])[];
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
  file('no code', { content: csv('A-1,Bolt', ',Nut'), stored: [['A-1', 'Bolt']] }),
  file('spreadsheet errors in CSV', {
    content: csv('A-1,Bolt', '#N/A,Nut', 'A-3,#REF!', 'A-4,#VALUE!', 'A-5,#DIV/0!', 'A-6,#NAME?'),
    stored: [['A-1', 'Bolt']],
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
  file('identical rows', {
    content: csv('A-1,Bolt', 'A-1,Bolt', 'A-1, Bolt '),
    stored: [['A-1', 'Bolt']],
  }),
  file('rows with the same code that differ', {
    content: csv('A-1,Bolt', 'A-1,Bolt M8', 'A-2,Nut'),
    stored: [['A-2', 'Nut']],
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
  file('UTF-16 in a file named .csv', {
    content: Buffer.from(`\ufeff${csv('A-1,Perno ñ')}`, 'utf16le'),
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
