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

export const DIRTY_FILES: readonly DirtyFile[] = [
  file('no name', { content: csv('A-1,Bolt', 'A-2,', 'A-3,   '), stored: [['A-1', 'Bolt']] }),
  file('no code', { content: csv('A-1,Bolt', ',Nut'), stored: [['A-1', 'Bolt']] }),
  file('control characters', {
    content: csv('A-1,Bolt', 'A-2,N\u0000ut', 'A-3,Ro\u001bd', 'A\u0007-4,Saw', 'A-5,\u0085Wheel'),
    stored: [['A-1', 'Bolt']],
  }),
  file('zero-width characters', {
    content: csv('A-1,Bolt', 'A\u200b-2,Nut', 'A-3,Ro\u200cd'),
    stored: [
      ['A-1', 'Bolt'],
      ['A-3', 'Ro\u200cd'],
    ],
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
  file('UTF-16 in a file named .csv', {
    content: Buffer.from(`\ufeff${csv('A-1,Perno ñ')}`, 'utf16le'),
    stored: [['A-1', 'Perno ñ']],
  }),
];
