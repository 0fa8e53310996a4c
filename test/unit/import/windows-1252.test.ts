import { describe, expect, it } from 'vitest';
import type { ByteSource } from '../../../src/import/source/bytes/byte-source.ts';
import { find1252 } from '../../../src/import/source/encoding/not-utf8.ts';
import { decode1252 } from '../../../src/import/source/encoding/text-encodings.ts';

function bytesOf(content: Buffer): ByteSource {
  let at = 0;
  return {
    async read(target, offset, length) {
      const copied = content.copy(target, offset, at, at + length);
      at += copied;
      return copied;
    },
    async close() {},
  };
}

const latin1 = (text: string) => bytesOf(Buffer.from(text, 'latin1'));

describe('Windows-1252', () => {
  it('is read as browsers read it', () => {
    const bytes = Buffer.from([...Array(256).keys()]);
    const text = decode1252(bytes);
    expect(text).toBe(new TextDecoder('windows-1252').decode(bytes));
  });

  it.each([
    ['a,b\nca\xf1o,1\n', { sample: 'caño,1', line: 2 }],
    ['\x80 5 and \x93quoted\x94\n', { sample: '€ 5 and “quoted”', line: 1 }],
  ])('is detected in %j', async (text, found) => {
    expect(await find1252(latin1(text))).toEqual(found);
  });

  it.each(['Ñ-7;x', 'A-É', 'Marca®', '5 × 3', 'µm', '"Ñ"', '¾"', 'É®', 'a\x81b', 'ÑÑÑÑ'])(
    'is detected whatever else is on the line: %s',
    async (odd) => {
      const others = [...Array(10).keys()].map((n) => `${n};ca\xf1o`);
      const found = await find1252(latin1(['a;b', ...others, odd, ''].join('\n')));
      expect(found).toEqual({ sample: '0;caño', line: 2 });
    },
  );

  it.each(['Ñ-7;x', 'A-É', 'Marca®', '5 × 3', 'µm', '"Ñ"', '¾"', '±', 'Š'])(
    'is detected in that line alone: %s',
    async (text) => {
      const line = text.replace('Š', '\x8a');
      expect(await find1252(latin1(`a;b\n${line}\n`))).toEqual({ sample: text, line: 2 });
    },
  );

  it.each([
    ['ASCII', 'a,b\nc,d\n'],
    ['UTF-8', 'ca\xc3\xb1o\n'],
    ['UTF-8 with a broken row', 'ca\xc3\xb1o\nbad \xf1\n'],
    ['UTF-8 with more broken rows', `${'ca\xc3\xb1o\n'.repeat(4)}${'bad \xf1\n'.repeat(9)}`],
    ['another alphabet', '\xcf\xf0\xe8\xe2\xe5\xf2\n'],
    ['bytes that are no text', 'a\xff\xfeb\n'],
    ['bytes that mean nothing in it', 'a \x81 b\n'],
  ])('is not detected in %s', async (_, text) => {
    expect(await find1252(latin1(text))).toBeUndefined();
  });
});
