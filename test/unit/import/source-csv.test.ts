import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../support/any-character.ts';
import { atNight } from '../../support/at-night.ts';
import { opened, read } from './reading.ts';

const FILES = atNight ? 3_000 : 40;
const A = { code: 'A', name: 'x' };

describe('stray quotes', () => {
  it('cost only the row of the quote', async () => {
    const lines = ['code,name,unit', 'A,"Valve, brass, 12"",EA', 'B,Pipe 5",EA', 'C,Nut,EA'];
    expect(await read(`${lines.join('\n')}\n`)).toEqual([
      expect.stringContaining('row 1, line 2: the quotes of cell 2 join 2 lines'),
      { code: 'B', name: 'Pipe 5"', unit: 'EA' },
      { code: 'C', name: 'Nut', unit: 'EA' },
    ]);
  });

  it('leave line breaks in values alone', async () => {
    expect(await read('code,name\nA,"two\nlines, ""quoted"""\nA,x\n')).toEqual([
      { code: 'A', name: 'two\nlines, "quoted"' },
      A,
    ]);
  });

  it(`${FILES} files with random quotes: every line is a row, rejected, blank or inside a value`, async () => {
    const cell = fc.string({
      unit: fc.constantFrom('"', '"', 'a', ' ', ',', '1', '""'),
      maxLength: 6,
    });
    const line = fc.oneof(
      {
        weight: 6,
        arbitrary: fc
          .array(cell, { minLength: 3, maxLength: 3 })
          .map((cells) => `${cells.join(',')}x`),
      },
      {
        weight: 2,
        arbitrary: fc.constantFrom(
          'A,Pipe 5",EA',
          'B,"Valve, 12"",EA',
          'C,"ok",EA',
          'D,"a',
          'b",EA',
        ),
      },
      { weight: 1, arbitrary: fc.constantFrom('', ',,', '  ') },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { maxLength: 30 }),
        fc.constantFrom('\n', '\r\n', '\r'),
        async (lines, end) => {
          const source = await opened(['code,name,unit', ...lines, 'LAST,row,EA'].join(end));
          const starts: number[] = [];
          let last: unknown;
          for await (const batch of source.records()) {
            for (const { line: at, fields, problem } of batch) {
              starts.push(at!);
              const values = Object.values(fields ?? {}).join('');
              const own = values.split(/\r\n?|\n/).length;
              // The lines between this record and the next one are its own, or blank.
              for (let inner = at! + 1; inner < at! + own; inner++) starts.push(inner);
              last = fields ?? problem;
            }
          }
          const blank = lines.flatMap((text, at) => (/^[\s,]*$/.test(text) ? [at + 2] : []));
          const seen = new Set([...starts, ...blank]);
          const all = Array.from({ length: lines.length + 1 }, (_, at) => at + 2);
          expect([...seen].sort((a, b) => a - b)).toEqual(all);
          expect(new Set(starts).size).toBe(starts.length);
          expect(last).toEqual({ code: 'LAST', name: 'row', unit: 'EA' });
        },
      ),
      { numRuns: FILES },
    );
  });
});

describe('values come back as they were written', () => {
  it(`in ${FILES} files of every dialect`, async () => {
    const unit = fc.oneof(anyCharacter, fc.constantFrom(...'",;\t|\n'));
    const text = fc
      .string({ unit, maxLength: 9 })
      .map((value) => value.toWellFormed().replace(/[\0\x1a'=]/g, '0'));
    // A value whose lines look like rows is rejected: stray quotes join rows in the same way.
    const cell = text.map((value) => (/[\r\n]/.test(value) ? value.replaceAll('"', '') : value));
    const file = fc.record({
      rows: fc.array(fc.tuple(cell, cell, cell), { maxLength: 8 }),
      delimiter: fc.constantFrom(',', ';', '\t', '|', '^'),
      newline: fc.constantFrom('\n', '\r\n'),
      encoding: fc.constantFrom('utf8', 'utf16le'),
      ends: fc.constantFrom('', '\n', '\r\n\x1a'),
    });
    await fc.assert(
      fc.asyncProperty(file, async ({ rows, delimiter, newline, encoding, ends }) => {
        const quoted = (value: string) => `"${value.replaceAll('"', '""')}"`;
        const lines = [['a', 'b', 'c'], ...rows].map((cells) => cells.map(quoted).join(delimiter));
        const content = Buffer.from(`\ufeff${lines.join(newline)}${ends}`, encoding as 'utf8');
        const wanted = rows.filter((cells) => cells.some((value) => value.trim() !== ''));
        expect(await read(content, { delimiter })).toEqual(
          wanted.map(([a, b, c]) => ({ a, b, c })),
        );
      }),
      { numRuns: FILES },
    );
  });

  it('however the file is cut into pieces', async () => {
    const rows = Array.from({ length: 800 }, (_, at) => ({
      code: `A${at}`,
      name: `${'é😀'.repeat(at % 17)}\n"x"`,
    }));
    for (const pad of ['', 'x', 'xx', 'xxx']) {
      const lines = rows.map(({ code, name }) => `${code},"${name.replaceAll('"', '""')}"`);
      const content = `code,name${pad}\r\n${lines.join('\r\n')}`;
      const wanted = rows.map(({ code, name }) => ({ code, [`name${pad}`]: name }));
      expect(await read(content)).toEqual(wanted);
      expect(await read(Buffer.from(`\ufeff${content}`, 'utf16le'))).toEqual(wanted);
    }
  });
});

describe('the header', () => {
  it.each<[string, string, number | undefined, unknown[]]>([
    ['is in line 1', 'code,name\n\nA,x\n', undefined, [A]],
    ['is in the line of --header-row', 'Stock "2026\n;;\ncode;name\nA;x\n', 3, [A]],
    ['may be alone', 'code,name\n', undefined, []],
    ['may end with delimiters', 'code;name;;\nA;x;;\n', undefined, [A]],
    [
      'names columns by position',
      ',code,code\n0,A,B\n',
      undefined,
      [{ 'column 1': '0', 'code (column 2)': 'A', 'code (column 3)': 'B' }],
    ],
    [
      'may have names of objects',
      '__proto__,name\nA,x\n',
      undefined,
      [JSON.parse('{"__proto__":"A","name":"x"}')],
    ],
  ])('%s', async (_, content, headerRow, rows) => {
    expect(await read(content, { headerRow })).toEqual(rows);
  });

  it.each<[string, string, number | undefined, RegExp]>([
    [
      'an empty line',
      '\ncode,name\nA,x\n',
      undefined,
      /line 1: the header is expected here, but the line is empty/,
    ],
    ['beyond the end', 'code,name\nA,x\n', 9, /line 9: the header is expected here/],
  ])('is refused in %s', async (_, content, headerRow, message) => {
    await expect(opened(content, { headerRow })).rejects.toMatchObject({
      code: 'invalid_usage',
      message: expect.stringMatching(message),
    });
  });

  it('is refused if a stray quote in it joins rows to it', async () => {
    await expect(opened('code,name,"unit\nA,x,EA\nB,12",EA\nC,z,EA\n')).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('line 1: a quote is opened'),
    });
    expect(await read('code,"name\nof it"\nA,x\n')).toEqual([{ code: 'A', 'name\nof it': 'x' }]);
  });

  it('in one column names the delimiter that may be meant', async () => {
    await expect(opened('code^name\nA^x, y\n')).rejects.toMatchObject({
      hint: expect.stringContaining("--delimiter '^'"),
    });
    expect(await read('code^name\nA^x, y\n', { delimiter: '^' })).toEqual([
      { code: 'A', name: 'x, y' },
    ]);
    expect(await read('code\nA\n')).toEqual([{ code: 'A' }]);
  });
});

describe('cells', () => {
  it('keep no marks of spreadsheets', async () => {
    expect(await read(`code,name\n="00123",'=Bolt\n'007,it's\n`)).toEqual([
      { code: '00123', name: '=Bolt' },
      { code: '007', name: "it's" },
    ]);
  });

  it.each([
    ['B', /has 1 cell, but the header has 2/],
    [
      `B,"${`${'long text'.repeat(2_000)}\n`.repeat(120)}"`,
      /not closed within 1 MiB|is longer than 1 MiB/,
    ],
  ])('too few or too long: the row is rejected', async (line, says) => {
    const rows = await read(`code,name\nA,x\n${line}\nA,x\n`, { encoding: 'utf-8' });
    expect(rows[0]).toEqual(A);
    expect(rows[1]).toMatch(says);
    expect(rows.at(-1)).toEqual(A);
  });
});

describe('encodings', () => {
  it.each([
    ['utf-16le', Buffer.from('code,name\nA,ñ\n', 'utf16le')],
    ['latin1', Buffer.from('code,name\nA,\xf1\n', 'latin1')],
    ['windows-1252', Buffer.from('code,name\nA,\x80 \x93\xf1\x94\n', 'latin1'), '€ “ñ”'],
    ['ibm866', Buffer.from('code,name\nA,\xa4\n', 'latin1'), 'д'],
  ])('--encoding %s', async (encoding, content, name = 'ñ') => {
    expect(await read(content, { encoding })).toEqual([{ code: 'A', name }]);
  });

  it('other than UTF-8 show the line as Windows-1252', async () => {
    const lines = ['code,name', ...Array.from({ length: 20_000 }, (_, at) => `A${at},Válvula`)];
    const content = Buffer.concat([
      Buffer.from(`${lines.join('\n')}\nB,`),
      Buffer.from('Ca\xf1o', 'latin1'),
    ]);
    await expect(read(content)).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('is not UTF-8. As Windows-1252, line 20002 reads: B,Caño'),
      hint: expect.stringMatching(/--encoding windows-1252.*iconv -f/),
    });
  });

  it.each<[string, Uint8Array, string | undefined, string]>([
    ['an unknown name', Buffer.from('a,b\n'), 'klingon', 'unknown encoding'],
    [
      'bytes of another encoding',
      Buffer.from('code,name\nA,\x80\xff\n', 'latin1'),
      'shift_jis',
      'is not shift_jis text',
    ],
  ])('%s is refused', async (_, content, encoding, says) => {
    await expect(read(content, { encoding })).rejects.toMatchObject({
      message: expect.stringContaining(says),
    });
  });
});

describe('what is no table', () => {
  it.each<[string, string | Uint8Array, string, RegExp]>([
    ['0 bytes', '', 'a.csv', /is empty/],
    ['blank lines', '\n \n', 'a.csv', /is empty/],
    ['gzip', Buffer.from('1f8b0800', 'hex'), 'a.csv', /a gzip file/],
    [
      'an old workbook',
      Buffer.from('d0cf11e0a1b11ae1', 'hex'),
      'a.csv',
      /password-protected workbook/,
    ],
    ['a web page', '<!DOCTYPE html><html>', 'a.csv', /a web page/],
    ['XML', '\ufeff<?xml version="1.0"?>', 'a.csv', /a web page \(HTML\) or XML/],
    ['text called JSON', 'code,name\n', 'a.json', /is not JSON/],
  ])('%s', async (_, content, name, message) => {
    await expect(opened(content, {}, name)).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringMatching(message),
    });
  });

  it('has one character between columns', async () => {
    await expect(opened('a,b\n', { delimiter: ', ' })).rejects.toMatchObject({
      message: expect.stringContaining('expected one character'),
    });
  });
});
