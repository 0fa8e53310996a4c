import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fileOf, open, recordsOf, told } from './reading.ts';

const MIB = 1 << 20;
const GOOD = { code: 'A' };

describe('a broken line of NDJSON', () => {
  it.each([
    [
      'a trailing comma',
      '{"code":"A",}',
      'column 13: trailing comma: expected another field before "}"',
    ],
    ['a missing value', '{"code":}', 'code: column 9: expected a value, found "}"'],
    ['an unclosed quote', '{"code":"A}', 'code: column 9: this text in quotes is not closed'],
    ['two objects', '{"code":"A"} {"code":"B"}', 'column 14: expected the end, found more text'],
    ['no object', '[1]', 'must be a JSON object, got an array of 1'],
    ['a duplicate field', '{"code":"A","x":{"y":1,"y":2}}', 'column 24: duplicate field "y"'],
    [
      'a rounded number',
      '{"code":"A","n":12345678901234567890.12}',
      'n: column 17: the number 12345678901234567890.12 would be rounded; write it as text if its digits matter',
    ],
    [
      'an infinite number',
      '{"n":1e400}',
      'n: column 6: the number 1e400 would be rounded; write it as text if its digits matter',
    ],
    [
      'a NUL',
      '{"code":"A\0"}',
      'code: column 9: this quoted text contains a line break, a control character or an invalid escape',
    ],
    ['an escaped NUL', '{"code":"A\\u0000"}', 'code: contains a NUL character (\\u0000)'],
    [
      'half a character',
      '{"x":["\\ud83d"]}',
      'x[0]: contains half a character (a lone \\ud800 to \\udfff escape)',
    ],
  ])('%s is a row problem', async (_, line, message) => {
    expect(await told(`{"code":"A"}\n${line}\n{"code":"A"}\n`)).toEqual([
      GOOD,
      `line 2: ${message}`,
      GOOD,
    ]);
  });

  it('is skipped if it is the first line', async () => {
    expect(await told('{"code":}\n{"code":"A"}\n')).toEqual([
      expect.stringContaining('line 1'),
      GOOD,
    ]);
  });
});

describe('numbers and escapes that are fine', () => {
  it('are accepted, and a number keeps its digits', async () => {
    const [fields] = (await told(
      '{"a":0.1,"b":1.10,"c":1e3,"d":1234567890123456,"e":"\\ud83d\\ude00"}\n',
    )) as object[];
    expect(JSON.stringify(fields)).toBe('{"a":0.1,"b":1.10,"c":1e3,"d":1234567890123456,"e":"😀"}');
  });
});

describe('names that are written with escapes', () => {
  it('are not confused with others, as JSON.parse does after the first line', async () => {
    const lines = ['{"a":1,"\\\\":2}', '{"a":1,"\\n":2}', '{"a":1,"\\"":2}'];
    const fields = await told(lines.join('\n'));
    expect(fields.map((one) => Object.keys(one as object)[1])).toEqual(['\\', '\n', '"']);
  });
});

describe('a broken element of a JSON array', () => {
  it.each([
    [
      'bad syntax',
      '[{"code":"A"},{"code":},{"code":"A"}]',
      'row 2: code: character 9 of the record: expected a value, found "}"',
    ],
    [
      'bad syntax over lines',
      '[\n {"code":"A"},\n {"code":"B",\n  "x":},\n {"code":"A"}\n]',
      'line 4, column 7: x: expected a value, found "}"',
    ],
    [
      'an unclosed quote',
      '[\n {"code":"A"},\n {"code":"B,\n  "x":1},\n {"code":"A"}\n]',
      'line 3, column 10: code: this quoted text contains a line break, a control character or an invalid escape',
    ],
    ['no object', '[{"code":"A"},null,{"code":"A"}]', 'row 2: must be a JSON object, got null'],
    [
      'nothing',
      '[{"code":"A"},,{"code":"A"}]',
      'row 2: is missing: there is nothing between two commas',
    ],
    [
      'a missing comma',
      '[{"code":"A"},{"x":1} {"y":1},{"code":"A"}]',
      'row 2: character 9 of the record: expected the end, found more text',
    ],
    [
      'a brace too many',
      '[{"code":"A"},{"x":1}},{"code":"A"}]',
      'row 2: character 8 of the record: expected the end, found more text',
    ],
  ])('%s is a row problem', async (_, text, message) => {
    expect(await told(text)).toEqual([GOOD, message, GOOD]);
  });

  it('a trailing comma loses nothing', async () => {
    expect(await told('[{"code":"A"},\n]')).toEqual([GOOD]);
  });
});

describe('what is not UTF-8', () => {
  const latin1 = (text: string) => Buffer.from(text, 'latin1');

  it('is a row problem with its place, and is never replaced', async () => {
    expect(await told(latin1('code,name\nA,Bañera\nB,x\n'))).toEqual([
      'line 2: name: is not UTF-8 text (byte 0xF1) at character 3',
      { code: 'B', name: 'x' },
    ]);
    expect(await told(latin1('{"code":"A"}\n{"code":"A","name":"Bañera"}\n{"code":"A"}'))).toEqual([
      GOOD,
      'line 2: name: column 23: is not UTF-8 text (byte 0xF1)',
      GOOD,
    ]);
    expect(await told(latin1('[{"code":"A"},\n{"name":"Bañera"}]'))).toEqual([
      GOOD,
      'line 2, column 12: name: is not UTF-8 text (byte 0xF1)',
    ]);
  });

  it('does not affect the valid characters next to it', async () => {
    const mixed = Buffer.concat([
      Buffer.from('code,name\nA,Válvula\nB,'),
      Buffer.from([0xf1]),
      Buffer.from('\nC,"ñ\nñ"\n'),
    ]);
    expect(await told(mixed)).toEqual([
      { code: 'A', name: 'Válvula' },
      expect.stringContaining('line 3: name'),
      { code: 'C', name: 'ñ\nñ' },
    ]);
  });

  it('in a header is an error of the file', async () => {
    await expect(open(fileOf(latin1('code,descripción\nA,x\n')))).rejects.toMatchObject({
      message: expect.stringMatching(/line 1: the header is not UTF-8 text$/),
      hint: expect.stringContaining('CSV UTF-8'),
    });
  });

  it('in UTF-16 is half a character', async () => {
    expect(await told(Buffer.from('\ufeffcode,name\nA,\ud83d\nB,x\n', 'utf16le'))).toEqual([
      'line 2: name: is not UTF-16 text (half a character) at character 1',
      { code: 'B', name: 'x' },
    ]);
  });
});

describe('a CSV row', () => {
  it.each([
    ['too few cells', 'B', 'line 3: has 1 cell, but the header has 2'],
    ['too many cells', 'B,x,y', 'line 3: has 3 cells, but the header has 2'],
    ['a NUL', 'B,a\0b', 'line 3: name: contains a NUL at character 2'],
    [
      'text after a quote',
      'B,"a"b',
      'line 3: text follows a closing quote in cell 2; a quote inside a cell must be doubled',
    ],
  ])('with %s is a row problem', async (_, line, problem) => {
    expect(await told(`code,name\nA,x\n${line}\nC,z\n`)).toEqual([
      { code: 'A', name: 'x' },
      problem,
      { code: 'C', name: 'z' },
    ]);
  });

  it('may have extra empty cells, and quotes inside a cell', async () => {
    expect(await told('code,name\nA,x,\nB,5" pipe, \n')).toEqual([
      { code: 'A', name: 'x' },
      { code: 'B', name: '5" pipe' },
    ]);
  });

  it('with a quote that is never closed loses only that row', async () => {
    const rows = Array.from({ length: 300 }, (_, index) => `R${index},x\n`).join('');
    const seen = await told(`code,name\nA,"x\n${rows}`);
    expect(seen).toHaveLength(301);
    expect(seen[0]).toBe('line 2: a quote is opened but never closed');
    expect(seen[300]).toEqual({ code: 'R299', name: 'x' });
  });

  it('with a quote that is never closed before very many short lines loses only that row', async () => {
    const lines = 400_000;
    const seen = await told(`code,name\nA,"x\n${'B,y\n'.repeat(lines)}`);
    expect(seen).toHaveLength(lines + 1);
    expect(seen[0]).toBe('line 2: a quote is opened but not closed within 1 MiB');
    expect(seen.slice(1).every((row) => (row as { code: string }).code === 'B')).toBe(true);
  });

  it('with a quote in each line that is never closed is read line by line', async () => {
    const lines = 20_000;
    const seen = await told(`code,name\n${'A,"x\n'.repeat(lines)}`);
    expect(seen.length).toBeGreaterThanOrEqual(lines / 2);
    expect(seen.every((row) => typeof row === 'string')).toBe(true);
  });

  const JOINED = (cell: number, lines: number) =>
    `line 2: the quotes of cell ${cell} join ${lines} lines that look like rows; a quote inside a cell must be doubled`;

  it.each([
    ['as inch marks do', 'A,"Valve, brass, 12"",EA\nB,Pipe 5",EA\n', 2],
    ['over a blank line', 'A,"Valve, brass, 12"",EA\n\nB,Pipe 5",EA\n', 3],
    ['with several inch marks', 'A,"Pipe, 5"", or 6"",EA\nB,Pipe 5",EA\n', 2],
    ['into a row with too few cells', 'A,"Valve, 12"",EA\nB,Pipe,5"\n', 2],
  ])('whose quotes join it with the next one loses only itself: %s', async (_, rows, lines) => {
    expect(await told(`code,name,unit\n${rows}C,Nut,EA\n`)).toEqual([
      JOINED(2, lines),
      expect.objectContaining({ code: 'B' }),
      { code: 'C', name: 'Nut', unit: 'EA' },
    ]);
  });

  it('whose quotes join it with the next one may end in a return and an empty cell', async () => {
    const rows = 'A\t"Valve, 12""\t\r\nB\tPipe 5"\t\r\nC\tNut\tEA\r\n';
    expect(await told(`code\tname\tunit\r\n${rows}`)).toEqual([
      JOINED(2, 2),
      { code: 'B', name: 'Pipe 5"', unit: '' },
      { code: 'C', name: 'Nut', unit: 'EA' },
    ]);
  });

  it('whose quotes join it with 500 others loses only itself', async () => {
    const between = Array.from({ length: 500 }, (_, n) => `B-${n},Bolt ""${n}"",EA\n`).join('');
    const rows = `A,"Valve, 12"",EA\n${between}C,Pipe 5",EA\nD,Nut,EA\n`;
    const seen = await told(`code,name,unit\n${rows}`);
    expect(seen).toHaveLength(503);
    expect(seen[0]).toBe(JOINED(2, 502));
    expect(seen.slice(1).every((row) => typeof row === 'object')).toBe(true);
  });

  it.each([
    ['lines with other numbers of cells', 'Say ""12"", then\nmore, and ""more""\nend'],
    ['lines with as many cells as columns', 'one\ntwo, three, four\nfive'],
    ['lines like rows, and a first line that is none', 'one\nB,two,EA\nC,five'],
    ['an empty line', 'one\n\ntwo'],
  ])('may have a value with %s', async (_, value) => {
    expect(await told(`code,name,unit\nA,"${value}",EA\nB,x,EA\n`)).toEqual([
      { code: 'A', name: value.replaceAll('""', '"'), unit: 'EA' },
      { code: 'B', name: 'x', unit: 'EA' },
    ]);
  });

  it('is never part of a value if each line is a row, with inch marks anywhere', async () => {
    const cell = fc.constantFrom('a', 'a"', '"a, a"', '"a "" a"', '"a, a""', '"a"" or a"');
    const line = fc.array(cell, { minLength: 3, maxLength: 3 }).map((cells) => cells.join(','));
    await fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 8 }), async (lines) => {
        const seen = await recordsOf(`code,name,unit\n${lines.join('\n')}\nend,x,EA\n`);
        expect(seen).toHaveLength(lines.length + 1);
      }),
      { numRuns: 300 },
    );
  });

  it('is never lost, wherever quotes stand: rows, rejected rows and line breaks in them are the lines', async () => {
    const cell = fc.string({ unit: fc.constantFrom('"', '"', 'a', ' '), maxLength: 5 });
    const line = fc.array(cell, { minLength: 2, maxLength: 4 }).map((cells) => cells.join(','));
    await fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 8 }), async (lines) => {
        const seen = await recordsOf(`code,name,unit\n${lines.join('\n')}\nend,x,EA\n`);
        const inValues = seen
          .map(({ fields, line = 0 }, at) => {
            // A rejected record ends where the next one starts.
            if (fields === undefined) return (seen[at + 1]?.line ?? lines.length + 3) - line - 1;
            return Object.values(fields).join('').split('\n').length - 1;
          })
          .reduce((sum, one) => sum + one, 0);
        const blank = lines.filter((text) => /^[ ,"]*$/.test(text)).length;
        const rows = seen.length + inValues;
        expect(rows).toBeLessThanOrEqual(lines.length + 1);
        expect(rows).toBeGreaterThanOrEqual(lines.length + 1 - blank);
      }),
      { numRuns: 300 },
    );
  });

  it('with a column __proto__ remains a plain object', async () => {
    const [row] = await told('code,__proto__\nA,x\n');
    expect(Object.entries(row as object)).toEqual([
      ['code', 'A'],
      ['__proto__', 'x'],
    ]);
  });
});

describe('a CSV header', () => {
  it('that columns share names each of them by its position too', async () => {
    expect(await told('SKU;Name; SKU\nA;x;B\n')).toEqual([
      { 'SKU (column 1)': 'A', Name: 'x', 'SKU (column 3)': 'B' },
    ]);
  });

  it('names an empty column by its position', async () => {
    expect(await told(',code\n0,A\n')).toEqual([{ 'column 1': '0', code: 'A' }]);
  });

  it('of 100,000 columns is refused', async () => {
    const header = Array.from({ length: 100_000 }, (_, index) => `c${index}`).join(',');
    await expect(open(fileOf(`${header}\n`))).rejects.toThrow(
      'has 100000 columns; the maximum is 2048',
    );
  });
});

describe('limits', () => {
  const huge = 'x'.repeat(MIB + 1);
  const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
  const wide = `{${Array.from({ length: 20_000 }, (_, index) => `"c${index}":0`).join(',')}}`;

  it.each([
    ['NDJSON', (body: string) => `{"code":"A"}\n${body}\n{"code":"A"}\n`],
    ['a JSON array', (body: string) => `[{"code":"A"},\n${body},\n{"code":"A"}]`],
  ])('hold in %s, and the next record is read', async (_, around) => {
    expect(await told(around(`{"code":"${huge}"}`))).toEqual([
      GOOD,
      'line 2: is longer than 1 MiB',
      GOOD,
    ]);
    expect(await told(around(deep))).toEqual([
      GOOD,
      'line 2: is nested deeper than 64 levels',
      GOOD,
    ]);
    expect(await told(around(wide))).toEqual([
      GOOD,
      'line 2: has 20000 fields; the maximum is 2048',
      GOOD,
    ]);
  });

  it('hold in CSV, for a line and for a record of many lines', async () => {
    expect(await told(`code,name\nA,${huge}\nB,x\n`)).toEqual([
      'line 2: is longer than 1 MiB',
      { code: 'B', name: 'x' },
    ]);
    const lines = 'y,z\n'.repeat(MIB / 2);
    const seen = await told(`code,name\nA,"${lines}`);
    expect(seen[0]).toBe('line 2: a quote is opened but not closed within 1 MiB');
    expect(seen).toHaveLength(MIB / 2);
  });

  it('hold for 64 MiB without a line break in a gzip file of 64 kB, in bounded memory', async () => {
    const bomb = gzipSync(
      Buffer.concat([
        Buffer.from('code,name\nA,'),
        Buffer.alloc(64 * MIB, 'x'),
        Buffer.from('\nB,x\n'),
      ]),
    );
    const before = process.memoryUsage().arrayBuffers;
    expect(await told(bomb)).toEqual(['line 2: is longer than 1 MiB', { code: 'B', name: 'x' }]);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(48 * MIB);
  });

  it('hold for an array that contains only brackets', async () => {
    expect(await told('['.repeat(4 * MIB))).toEqual([
      'FILE row 1: the file ends in the middle of row 1',
    ]);
  });
});
