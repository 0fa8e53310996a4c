import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { allOf, fileOf, folder, open, told } from './reading.ts';

const GOOD = { code: 'A' };

describe('a file that ends too early', () => {
  it.each([
    [
      'of an element',
      '[{"code":"A"},{"code":"B"',
      'FILE row 2: the file ends in the middle of row 2',
    ],
    ['after an element', '[{"code":"A"}', 'FILE row 2: the file ends before its array is closed'],
    [
      'of the object around',
      '{"x":1,"items":[{"code":"A"}],"y":',
      'FILE row 2: the file ends too early (after the array, whose rows were read)',
    ],
    [
      'or goes on after its end',
      '[{"code":"A"}]\n[{"code":"B"}]',
      'FILE line 2: more text follows the end of the JSON document',
    ],
  ])('%s: the rows before are read', async (_, text, problem) => {
    expect(await told(text)).toEqual([
      GOOD,
      problem.replace('FILE line 2: line', 'FILE row 2: line'),
    ]);
  });

  it('in gzip: everything that can be unpacked is read', async () => {
    const lines = Array.from({ length: 20_000 }, (_, i) =>
      JSON.stringify({ code: `A${i * 7919}` }),
    ).join('\n');
    const packed = gzipSync(lines);
    for (const content of [
      packed.subarray(0, packed.length - 8),
      packed.subarray(0, packed.length >> 1),
    ]) {
      const seen = await told(content);
      expect(seen.at(-1)).toMatch(/^FILE line \d+: the gzip data ends too early$/);
      expect(seen.slice(0, -1)).toEqual(
        seen.slice(0, -1).map((_, i) => ({ code: `A${i * 7919}` })),
      );
      expect(seen.length).toBeGreaterThan(5000);
    }
  });

  it('or is damaged: everything before the damage is read', async () => {
    const packed = gzipSync(
      Array.from({ length: 20_000 }, (_, i) => `A${(i * 7919) % 10007},x`).join('\n'),
    );
    packed.fill(0xff, packed.length >> 1, (packed.length >> 1) + 400);
    expect((await told(packed)).at(-1)).toMatch(
      /^FILE line \d+: the gzip data is damaged from here$/,
    );
  });
});

describe('a file without records', () => {
  it('a damaged workbook is refused with advice', async () => {
    const bytes = Buffer.from('PK\x03\x04\x14\0\x06\0\x08\0\0\0!\0[Content_Types].xml', 'latin1');
    await expect(open(fileOf(bytes))).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('cannot read'),
      hint: expect.stringContaining('"CSV UTF-8"'),
    });
  });

  it.each([
    [
      'an image',
      '\x89PNG\r\n\x1a\n\0\0\0\rIHDR',
      'an image',
      'Save or export it as CSV, NDJSON or JSON',
    ],
    ['a GIF', 'GIF89a\x01\0\x01\0', 'an image', 'Save or export it as CSV, NDJSON or JSON'],
    ['a program', '\x7fELF\x02\x01\x01', 'binary data', 'Save or export it as CSV, NDJSON or JSON'],
    ['an old workbook', '\xd0\xcf\x11\xe0\xa1', 'an old Excel workbook (.xls)', 'as .xlsx or'],
    [
      'OpenDocument',
      'PK\x03\x04\x14\0mimetypeapplication/vnd.oasis.opendocument.spreadsheet',
      'an OpenDocument spreadsheet (.ods)',
      'as .xlsx or',
    ],
    ['a zip archive', 'PK\x03\x04\x14\0\0\0', 'a zip archive', 'Unpack it first'],
    ['a PDF', '%PDF-1.7\n', 'a PDF document', 'Save or export it as CSV, NDJSON or JSON'],
    [
      'a web page',
      '\n<!DOCTYPE html><html>',
      'a web page (HTML)',
      'Save or export it as CSV, NDJSON or JSON',
    ],
    [
      'binary data',
      Buffer.from(Array.from({ length: 400 }, (_, i) => (i * 89) % 251)),
      'binary data',
      'Save or export it as CSV',
    ],
    ['gzip in gzip', gzipSync(gzipSync('[]')), 'a gzip file inside a gzip file', 'Unpack it first'],
  ])('%s is recognised and refused with advice', async (_, content, kind, hint) => {
    const bytes = typeof content === 'string' ? Buffer.from(content, 'latin1') : content;
    await expect(open(fileOf(bytes))).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringMatching(
        new RegExp(`is ${kind.replace(/[()]/g, '.')}.*, expected CSV, .xlsx, NDJSON or JSON`),
      ),
      hint: expect.stringContaining(hint),
    });
  });

  it.each([
    ['text', 'not a zip\n', 'it is not a workbook', 'rename it to bad.csv'],
    ['a table', 'code,name\nA,x\n', 'it is not a workbook', 'rename it to bad.csv'],
    ['a zip of anything', 'PK\x03\x04\x14\0a.txt', 'its content is missing or damaged', 'again'],
    [
      'an old workbook',
      '\xd0\xcf\x11\xe0\xa1\xb1',
      'it is password-protected',
      'without a password',
    ],
  ])(
    'a file that is called .xlsx and is %s is not read as text',
    async (_, content, says, hint) => {
      const file = join(folder, 'bad.xlsx');
      writeFileSync(file, content, 'latin1');
      await expect(open(file)).rejects.toMatchObject({
        code: 'invalid_input',
        message: expect.stringContaining(`bad.xlsx as a workbook: ${says}`),
        hint: expect.stringContaining(hint),
      });
    },
  );

  it('binary data is distinguished from text with a NUL and from Windows-1252', async () => {
    const noise = Buffer.from(Array.from({ length: 60 }, (_, i) => (i * 151 + 17) % 256));
    await expect(open(fileOf(noise))).rejects.toThrow('is binary data');
    expect(await told('code,name\nA,b\0\nC,d\n')).toHaveLength(2);
    expect(await told(Buffer.from('code\nA\xf1o\n', 'latin1'))).toHaveLength(1);
  });

  it('invalid JSON around the array is refused with its line', async () => {
    await expect(open(fileOf('{\n "a": 1,\n "items" []}'))).rejects.toThrow(
      'line 3: invalid JSON: expected ":", found "["',
    );
    await expect(open(fileOf('{\n"a": 1\n}\n{\n"a": 2\n}'))).rejects.toMatchObject({
      hint: expect.stringContaining('jq -c .'),
    });
  });

  it('a missing file, a folder and a file without read permission are reported', async () => {
    const refused = (file: string) => expect(open(file)).rejects;
    await refused(join(folder, 'none')).toMatchObject({
      code: 'unreadable_file',
      message: expect.stringContaining('none does not exist'),
    });
    mkdirSync(join(folder, 'sub'));
    await refused(join(folder, 'sub')).toMatchObject({
      code: 'unreadable_file',
      message: expect.stringContaining('is a directory'),
    });
    await expect(open('-', { stdin: Readable.from([]) })).rejects.toThrow(
      'standard input is empty',
    );
    await expect(
      open('-', { stdin: Readable.from([Buffer.from('x')]), spoolFolder: join(folder, 'nowhere') }),
    ).rejects.toMatchObject({ code: 'state_unwritable' });
    const locked = fileOf('[]');
    chmodSync(locked, 0o000);
    // Root may read any file.
    if (process.getuid?.() !== 0) await refused(locked).toThrow('no permission to read');
    else expect(await allOf(await open(locked))).toEqual([]);
  });
});
