import type { ByteSource } from '../bytes/byte-source.ts';
import type { SourceFormat } from '../record.ts';

const INPUT_BYTES = 64 << 10;

/**
 * Windows-1252 from 0x80, where Latin-1 has control characters. NUL marks bytes that Windows-1252
 * does not define.
 */
const SPECIAL = '€\0‚ƒ„…†‡ˆ‰Š‹Œ\0Ž\0\0‘’“”•–—˜™š›œ\0žŸ';

const BYTE_OF = new Map([...SPECIAL].map((char, index) => [char, 0x80 + index]));
BYTE_OF.delete('\0');

/** A byte that Windows-1252 does not define becomes a control character. */
export function decode1252(bytes: Buffer): string {
  return bytes.toString('latin1').replace(/[\x80-\x9f]/g, (char) => {
    const special = SPECIAL[char.charCodeAt(0) - 0x80]!;
    return special === '\0' ? char : special;
  });
}

export function windows1252Bytes(source: ByteSource): ByteSource {
  const input = Buffer.allocUnsafe(INPUT_BYTES);
  let ready: Buffer = Buffer.alloc(0);
  return {
    async read(target, offset, length) {
      if (ready.length === 0) {
        const got = await source.read(input, 0, INPUT_BYTES);
        if (got === 0) return 0;
        ready = Buffer.from(decode1252(input.subarray(0, got)));
      }
      const copied = ready.copy(target, offset, 0, length);
      ready = ready.subarray(copied);
      return copied;
    },
    get problem() {
      return source.problem;
    },
    close: () => source.close(),
  };
}

/**
 * Windows-1252 has only a few characters above U+00FF, e.g. `€`. The others above U+00FF become `?`.
 */
export function encoderFor(encoding: SourceFormat['encoding']): (text: string) => Buffer {
  switch (encoding) {
    case 'utf-8':
      return (text) => Buffer.from(text);
    case 'utf-16le':
      return (text) => Buffer.from(text, 'utf16le');
    case 'utf-16be':
      return (text) => Buffer.from(text, 'utf16le').swap16();
    case 'windows-1252':
      return (text) =>
        Buffer.from(
          Array.from(text, (char) => {
            const code = char.codePointAt(0)!;
            return BYTE_OF.get(char) ?? (code < 256 ? code : 0x3f);
          }),
        );
  }
}
