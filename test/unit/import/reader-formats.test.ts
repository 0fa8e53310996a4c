import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { allOf, fileOf, folder, open, recordsOf, told } from './reading.ts';

const ROWS = [
  { code: 'A1', name: 'Válvula' },
  { code: 'B2', name: '阀门 😀' },
];
const CSV = 'code,name\nA1,Válvula\nB2,阀门 😀\n';
const FORMATS = {
  'a JSON array': JSON.stringify(ROWS),
  'an indented JSON array': JSON.stringify(ROWS, null, 2),
  'an object that holds the array': JSON.stringify({ total: 2, products: ROWS, page: { n: 1 } }),
  NDJSON: ROWS.map((row) => `${JSON.stringify(row)}\n`).join(''),
  'NDJSON without a last line break, with blank lines': `\n${ROWS.map((row) => JSON.stringify(row)).join('\r\n\r\n')}`,
  CSV,
  'CSV with semicolons and CRLF': CSV.replaceAll(',', ';').replaceAll('\n', '\r\n'),
  TSV: CSV.replaceAll(',', '\t'),
  'CSV with bars': CSV.replaceAll(',', '|'),
  'CSV of an old Mac': CSV.replaceAll('\n', '\r'),
  'CSV with quotes': 'code,name\n"A1","Válvula"\n"B2", "阀门 😀"\n',
  'CSV with sep=': `sep=;\r\n${CSV.replaceAll(',', ';')}`,
  'CSV with a delimiter at the end of each line': CSV.replaceAll('\n', ',\n'),
};

function utf16be(text: string): Buffer {
  return Buffer.from(text, 'utf16le').swap16();
}

describe.each(Object.entries(FORMATS))('%s', (_, text) => {
  it.each([
    ['UTF-8', Buffer.from(text)],
    ['UTF-8 with its mark', Buffer.from(`\ufeff${text}`)],
    ['UTF-16LE with its mark', Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['UTF-16BE with its mark', utf16be(`\ufeff${text}`)],
    ['UTF-16LE without', Buffer.from(text, 'utf16le')],
    ['UTF-16BE without', utf16be(text)],
    ['gzip', gzipSync(text)],
    ['gzip of UTF-16', gzipSync(Buffer.from(`\ufeff${text}`, 'utf16le'))],
    ['two gzip members', Buffer.concat([gzipSync(text.slice(0, 9)), gzipSync(text.slice(9))])],
  ])('is read as %s', async (_encoding, bytes) => {
    expect(await told(bytes)).toEqual(ROWS);
  });
});

describe('a source', () => {
  it('has its hash, size, columns and first records before the records are read', async () => {
    const file = fileOf(CSV);
    const source = await open(file);
    expect(source.hash).toBe(createHash('sha256').update(CSV).digest('hex'));
    expect(source.bytes).toBe(Buffer.byteLength(CSV));
    expect(source.columns).toEqual(['code', 'name']);
    expect(source.head.map(({ fields }) => fields)).toEqual(ROWS);
    expect(source).toMatchObject({ name: file, path: file });
  });

  it('reports its detected format', async () => {
    const format = async (content: string | Buffer) => (await open(fileOf(content))).format;
    expect(await format(`\ufeff${CSV.replaceAll(',', ';').replaceAll('\n', '\r\n')}`)).toEqual({
      kind: 'csv',
      gzip: false,
      encoding: 'utf-8',
      bom: true,
      delimiter: ';',
      newline: '\r\n',
    });
    expect(await format(gzipSync('{"a":1}\n{"a":2}'))).toEqual({
      kind: 'ndjson',
      gzip: true,
      encoding: 'utf-8',
      bom: false,
    });
    for (const first of ['null', '7', '"a \\" b"', 'true']) {
      expect(await format(`${first}\n{"a":1}\n`)).toMatchObject({ kind: 'ndjson' });
    }
    expect(await format('null\nb\n')).toMatchObject({ kind: 'csv' });
    expect(await format('{"data":[{"a":1}]}')).toMatchObject({ kind: 'json', path: ['data'] });
    expect(await format('[]')).toMatchObject({ kind: 'json', path: [] });
    // With the delimiter `|`, this text would be one record, because a quote is never closed.
    const misleading = `],"|"\n"|\n",\n${'v0,v1\n'.repeat(20)}`;
    expect(await format(misleading)).toMatchObject({ kind: 'csv', delimiter: ',' });
  });

  it('in JSON has all field names of its first records as columns', async () => {
    const source = await open(fileOf('[{"a":1},{"b":1,"a":2},{"__proto__":1}]'));
    expect(source.columns).toEqual(['a', 'b', '__proto__']);
    expect(Object.keys(source.head[2]!.fields!)).toEqual(['__proto__']);
  });

  it('can be read again, also after a reading that stopped early', async () => {
    const lines = Array.from({ length: 5000 }, (_, index) => `{"code":"${index}"}`).join('\n');
    const source = await open(fileOf(lines));
    for await (const batch of source.records()) {
      expect(batch.length).toBeLessThanOrEqual(512);
      break;
    }
    const records = await allOf(source);
    expect(records.map(({ row }) => row)).toEqual(Array.from({ length: 5000 }, (_, i) => i + 1));
  });

  it('that changes between two readings is an error', async () => {
    const file = fileOf(CSV);
    const source = await open(file);
    const { writeFileSync } = await import('node:fs');
    writeFileSync(file, `${CSV}C3,More\n`);
    await expect(allOf(source)).rejects.toThrow('changed while proc was reading it');
  });

  it('from standard input is copied byte for byte to a file that only the user can read', async () => {
    const pieces = [Buffer.from(CSV).subarray(0, 13), Buffer.from(CSV).subarray(13)];
    const source = await open('-', { stdin: Readable.from(pieces) });
    expect(source.name).toBe('standard input');
    expect(source.path.startsWith(folder)).toBe(true);
    expect(readFileSync(source.path, 'utf8')).toBe(CSV);
    expect(statSync(source.path).mode & 0o777).toBe(0o600);
    expect(source.hash).toBe((await open(fileOf(CSV))).hash);
    expect((await allOf(source)).map(({ fields }) => fields)).toEqual(ROWS);
  });
});

describe('an empty source', () => {
  it.each([
    ['a header alone', 'code,name\n', ['code', 'name']],
    ['a header alone without a line break', 'code,name', ['code', 'name']],
    ['an empty array', '[]', []],
    ['an object with an empty array', '{"products":[]}', []],
  ])('%s is 0 rows', async (_, text, columns) => {
    const source = await open(fileOf(text));
    expect(source.columns).toEqual(columns);
    expect(await allOf(source)).toEqual([]);
  });

  it.each([
    ['a file of no bytes', ''],
    ['blank lines', '\n \r\n'],
    ['gzip of nothing', gzipSync('')],
  ])('%s is refused as empty', async (_, content) => {
    await expect(open(fileOf(content))).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('is empty'),
    });
  });
});

describe('lines and rows', () => {
  it('of CSV are numbered as in a text editor', async () => {
    const records = await recordsOf('code,name\n\nA,"two\nlines"\n,\nB,x\n"C",y\n');
    expect(records.map(({ row, line, fields }) => [row, line, fields?.code])).toEqual([
      [1, 3, 'A'],
      [2, 6, 'B'],
      [3, 7, 'C'],
    ]);
  });

  it('of indented JSON give the start of a record; JSON on one line has no line numbers', async () => {
    const lines = async (text: string) => (await recordsOf(text)).map(({ line }) => line);
    expect(await lines('[\n  {"a": 1},\n  {\n    "a": 2\n  },\n  {"a": 3}\n]')).toEqual([2, 3, 6]);
    expect(await lines('[{"a":1},{"a":2}]')).toEqual([undefined, undefined]);
  });
});

describe('--path', () => {
  const nested =
    '{"meta":{"n":[1]},"data":{"x.y":[{"no":1}],"items":[{"a":1},{"a":2}]},"z":[{"b":1}]}';

  it('leads to the array', async () => {
    expect(await told(nested, { path: 'data.items' })).toEqual([{ a: 1 }, { a: 2 }]);
    expect(await told(nested, { path: 'data."x.y"' })).toEqual([{ no: 1 }]);
    expect(await told(nested)).toEqual([{ b: 1 }]);
  });

  it.each([
    ['data.itmes', 'has nothing at data.itmes', 'Did you mean --path data.items?'],
    ['meta', 'has no array at meta', undefined],
    ['z.b', 'has no object at z', undefined],
  ])('%s: %s', async (path, message, hint) => {
    await expect(open(fileOf(nested), { path })).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining(message),
      hint,
    });
  });

  it('is required if several arrays contain objects', async () => {
    await expect(open(fileOf('{"a":[{"x":1}],"b":[{"x":1}],"c":[1]}'))).rejects.toMatchObject({
      message: expect.stringContaining('contains 2 arrays of objects: a, b'),
      hint: 'Choose the one with the records: --path a',
    });
    await expect(open(fileOf('{"data":{"items":[{"x":1}]}}'))).rejects.toMatchObject({
      hint: 'The records seem to be at data.items: use --path data.items',
    });
  });

  it('is refused for a file that is not a JSON document', async () => {
    await expect(open(fileOf(CSV), { path: 'a' })).rejects.toThrow('--path is for JSON documents');
    await expect(open(fileOf('{"a":1}\n{"a":2}'), { path: 'a' })).rejects.toThrow(
      'one object per line',
    );
  });
});

describe('one object', () => {
  it('is one record, on one line or several', async () => {
    expect(await told('{"code":"A","attributes":{"x":[1]}}')).toEqual([
      { code: 'A', attributes: { x: [1] } },
    ]);
    expect(await told('{\n  "code": "A",\n  "name": "B"\n}\n')).toEqual([{ code: 'A', name: 'B' }]);
  });

  it('with the fields of a record is a record, whatever arrays it contains', async () => {
    const one = '{"title":"T","groups":[{"name":"G"}]}';
    expect(await told(one)).toEqual([{ name: 'G' }]);
    expect(await told(one, { recordFields: ['title', 'groups'] })).toEqual([JSON.parse(one)]);
  });
});
