import { isAscii, isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { ProcError } from '../../core/errors.ts';
import { badFile, badFlag } from './record.ts';

const READ_BYTES = 32 << 10;
const FEED = 0x0a;

export interface TextFile {
  readonly path: string;
  /** For errors. */
  readonly name: string;
  readonly encoding: string;
  readonly bom: boolean;
}

const MARKS: ReadonlyArray<readonly [mark: string, encoding: string]> = [
  ['\xef\xbb\xbf', 'utf-8'],
  ['\xff\xfe', 'utf-16le'],
  ['\xfe\xff', 'utf-16be'],
];

/**
 * A byte order mark takes precedence over `--encoding`; UTF-8 is the default.
 *
 * @throws ProcError `invalid_usage` for an unknown encoding
 */
export function encodingOf(
  head: Buffer,
  asked: string | undefined,
  name: string,
): Pick<TextFile, 'encoding' | 'bom'> {
  const start = head.toString('latin1', 0, 3);
  const marked = MARKS.find(([mark]) => start.startsWith(mark));
  if (marked !== undefined) return { encoding: marked[1], bom: true };
  let encoding: string;
  try {
    encoding = new TextDecoder(asked).encoding;
  } catch {
    throw badFlag(
      `--encoding ${asked}: unknown encoding`,
      'Use a name of the Encoding Standard, e.g. windows-1252, iso-8859-2, utf-16le, shift_jis or gbk',
    );
  }
  // Any bytes are text in an encoding of single bytes, so the flag may be of another file.
  const lines = head.subarray(0, head.lastIndexOf(FEED) + 1);
  if (/^(?:windows|iso)-/.test(encoding) && !isAscii(lines) && isUtf8(lines)) {
    throw badFlag(`--encoding ${encoding}: ${name} is UTF-8 text`, 'Read it with --encoding utf-8');
  }
  return { encoding, bom: false };
}

/**
 * The text of a file, in pieces. One 0x1A at the end, which DOS programs write, is the end.
 *
 * @throws ProcError `invalid_input` if the bytes are not text of this encoding; system errors
 */
export async function* readText(file: TextFile): AsyncGenerator<string, void> {
  const decode = file.encoding === 'utf-8' ? utf8Decoder() : decoderOf(file.encoding);
  const start = file.encoding === 'utf-8' && file.bom ? 3 : 0;
  let last = '';
  try {
    for await (const bytes of createReadStream(file.path, { start, highWaterMark: READ_BYTES })) {
      if (last !== '') yield last;
      last = decode(bytes as Buffer, true);
    }
    last += decode(Buffer.alloc(0), false);
  } catch (thrown) {
    throw thrown instanceof TypeError ? await notText(file, thrown) : thrown;
  }
  if (last.endsWith('\x1a')) last = last.slice(0, -1);
  if (last !== '') yield last;
}

type Decode = (bytes: Buffer, stream: boolean) => string;

function decoderOf(encoding: string): Decode {
  const decoder = new TextDecoder(encoding, { fatal: true });
  return (bytes, stream) => decoder.decode(bytes, { stream });
}

/** ASCII as Latin-1, which takes half the memory of what a TextDecoder makes of it. */
function utf8Decoder(): Decode {
  let rest: Buffer = Buffer.alloc(0);
  return (bytes, stream) => {
    const all = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    let end = all.length;
    // The last character may be incomplete.
    while (stream && end > 0 && all[end - 1]! >= 0x80) end--;
    rest = all.subarray(end);
    const whole = all.subarray(0, end);
    if (isAscii(whole)) return whole.toString('latin1');
    if (!isUtf8(whole)) throw new TypeError('not UTF-8');
    return whole.toString('utf8');
  };
}

const SHOWN = 80;

/** If the file should be UTF-8, the error shows the first other line as Windows-1252. */
async function notText({ path, name, encoding }: TextFile, cause: unknown): Promise<ProcError> {
  if (encoding !== 'utf-8') {
    return badFile(`${name} is not ${encoding} text`, 'Name its encoding with --encoding NAME', {
      cause,
    });
  }
  let line = 0;
  let bytes: Buffer = Buffer.alloc(0);
  for await (const text of createInterface({ input: createReadStream(path, 'latin1') })) {
    line++;
    bytes = Buffer.from(text, 'latin1');
    if (!isUtf8(bytes)) break;
  }
  const text = decoderOf('windows-1252')(bytes, false).trim();
  const at = Math.max(0, text.search(/[^\0-\x7f]/) - SHOWN / 2);
  const cut = `${at > 0 ? '…' : ''}${text.slice(at, at + SHOWN)}${at + SHOWN < text.length ? '…' : ''}`;
  return badFile(
    `${name} is not UTF-8. As Windows-1252, line ${line} reads: ${cut}`,
    `If this is right, add --encoding windows-1252. If not, name another encoding, or convert the file: iconv -f ENCODING -t UTF-8 ${path.endsWith(name) ? name : 'FILE'} > utf8.txt`,
    { details: { line, encoding: 'windows-1252' }, cause },
  );
}
