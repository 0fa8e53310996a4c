import type { ByteSource } from '../bytes/byte-source.ts';
import type { SourceFormat } from '../record.ts';

const INPUT_BYTES = 64 << 10;

/** Replaces invalid UTF-16. 0xFF is never valid in UTF-8, so the row is rejected. */
const INVALID = Buffer.from([0xff]);

/**
 * Windows-1252 from 0x80, where Latin-1 has control characters. NUL marks bytes that Windows-1252
 * does not define. (The `TextDecoder` of Node 22.19 decodes Windows-1252 as Latin-1.)
 */
const SPECIAL = '€\0‚ƒ„…†‡ˆ‰Š‹Œ\0Ž\0\0‘’“”•–—˜™š›œ\0žŸ';

/** A byte that Windows-1252 does not define becomes a control character. */
export function decode1252(bytes: Buffer): string {
  return bytes.toString('latin1').replace(/[\x80-\x9f]/g, (char) => {
    const special = SPECIAL[char.charCodeAt(0) - 0x80]!;
    return special === '\0' ? char : special;
  });
}

/** Converts a source to UTF-8. */
export function inUtf8(source: ByteSource, encoding: SourceFormat['encoding']): ByteSource {
  if (encoding === 'utf-8') return source;
  if (encoding === 'windows-1252') {
    return converted(source, (bytes) => Buffer.from(decode1252(bytes)));
  }
  const decoder = new TextDecoder(encoding, { ignoreBOM: true });
  return converted(source, (bytes, isEnd) => {
    // The decoder writes � for half a character. A � of the file is a damaged character, too.
    const [first = '', ...others] = decoder.decode(bytes, { stream: !isEnd }).split('\ufffd');
    const rest = others.flatMap((piece) => [INVALID, Buffer.from(piece)]);
    return rest.length === 0 ? Buffer.from(first) : Buffer.concat([Buffer.from(first), ...rest]);
  });
}

function converted(
  source: ByteSource,
  convert: (bytes: Buffer, isEnd: boolean) => Buffer,
): ByteSource {
  const input = Buffer.allocUnsafe(INPUT_BYTES);
  let ready: Buffer = Buffer.alloc(0);
  let isEnd = false;
  return {
    async read(target, offset, length) {
      while (ready.length === 0 && !isEnd) {
        const got = await source.read(input, 0, INPUT_BYTES);
        isEnd = got === 0;
        ready = convert(input.subarray(0, got), isEnd);
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
