import { isAscii, isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import type { ProcError } from '../../core/errors.ts';
import { badFile, badFlag } from './record.ts';

const READ_BYTES = 32 << 10;
const FEED = 0x0a;
const END_OF_FILE = 0x1a;
const BOM_BYTES: Readonly<Record<string, number>> = { 'utf-8': 3, 'utf-16le': 2, 'utf-16be': 2 };

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
 * @throws ProcError `invalid_usage` for an unknown encoding; `invalid_input` for binary data
 */
export function encodingOf(
  head: Buffer,
  asked: string | undefined,
  name: string,
): Pick<TextFile, 'encoding' | 'bom'> {
  const start = head.toString('latin1', 0, 3);
  const marked = MARKS.find(([mark]) => start.startsWith(mark));
  if (marked !== undefined) return { encoding: marked[1], bom: true };
  const nuls = head.filter((byte) => byte === 0).length;
  if (asked === undefined && nuls * 10 > head.length) {
    throw badFile(
      `${name} is binary data, or text in UTF-16`,
      'If it is text in UTF-16, add --encoding utf-16le. Otherwise save it as CSV, JSON or .xlsx',
    );
  }
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
 * The text of a file as UTF-8, in pieces of whole characters. One 0x1A at the end, which DOS programs
 * write, is the end.
 *
 * @throws ProcError `invalid_input` if the bytes are not text of this encoding; system errors
 */
export async function* readUtf8(file: TextFile): AsyncGenerator<Buffer, void> {
  const start = file.bom ? BOM_BYTES[file.encoding] : 0;
  const decode = file.encoding === 'utf-8' ? undefined : decoderOf(file.encoding);
  let rest: Buffer = Buffer.alloc(0);
  const piecesOf = async (bytes: Buffer, isEnd: boolean): Promise<Buffer> => {
    try {
      const text = decode === undefined ? bytes : Buffer.from(decode(bytes, isEnd));
      const whole = Buffer.concat([rest, text]);
      const end = isEnd ? whole.length - (whole.at(-1) === END_OF_FILE ? 1 : 0) : lastWhole(whole);
      rest = whole.subarray(end);
      if (!isUtf8(whole.subarray(0, end))) throw new TypeError('not UTF-8');
      return whole.subarray(0, end);
    } catch (thrown) {
      throw await notText(file, thrown);
    }
  };
  for await (const bytes of createReadStream(file.path, { start, highWaterMark: READ_BYTES })) {
    yield await piecesOf(bytes as Buffer, false);
  }
  yield await piecesOf(Buffer.alloc(0), true);
}

/** Before the last character, which may be incomplete or the end of the file. */
function lastWhole(bytes: Buffer): number {
  let end = Math.max(0, bytes.length - 1);
  while (end > 0 && end > bytes.length - 4 && (bytes[end]! & 0xc0) === 0x80) end--;
  return end;
}

/** The first text of a file, to find out its format; invalid bytes become �. */
export function headText(head: Buffer, encoding: string): string {
  const text = encoding === 'windows-1252' ? as1252(head) : new TextDecoder(encoding).decode(head);
  return text.replace(/^\uFEFF/, '');
}

function decoderOf(encoding: string): (bytes: Buffer, isEnd: boolean) => string {
  if (encoding === 'windows-1252') return as1252;
  const decoder = new TextDecoder(encoding, { fatal: true });
  return (bytes, isEnd) => decoder.decode(bytes, { stream: !isEnd });
}

/** Windows-1252 from 0x80. The TextDecoder of Node decodes these bytes as Latin-1. */
const SPECIAL = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

function as1252(bytes: Buffer): string {
  const text = bytes.toString('latin1');
  return text.replace(/[\x80-\x9f]/g, (char) => SPECIAL[char.charCodeAt(0) - 0x80]!);
}

const SHOWN = 80;

/** If the file should be UTF-8, the error shows the first other line as Windows-1252. */
async function notText({ path, name, encoding }: TextFile, cause: unknown): Promise<ProcError> {
  if (encoding !== 'utf-8') {
    return badFile(`${name} is not ${encoding} text`, 'Name its encoding with --encoding NAME', {
      cause,
    });
  }
  let line = 1;
  let rest: Buffer = Buffer.alloc(0);
  reading: for await (const piece of createReadStream(path)) {
    rest = Buffer.concat([rest, piece as Buffer]);
    for (let feed = rest.indexOf(FEED); feed >= 0; feed = rest.indexOf(FEED)) {
      if (!isUtf8(rest.subarray(0, feed))) {
        rest = rest.subarray(0, feed);
        break reading;
      }
      rest = rest.subarray(feed + 1);
      line++;
    }
  }
  const text = as1252(rest).trim();
  const at = Math.max(0, text.search(/[^\0-\x7f]/) - SHOWN / 2);
  const cut = `${at > 0 ? '…' : ''}${text.slice(at, at + SHOWN)}${at + SHOWN < text.length ? '…' : ''}`;
  return badFile(
    `${name} is not UTF-8. As Windows-1252, line ${line} reads: ${cut}`,
    `If this is right, add --encoding windows-1252. If not, name another encoding, or convert the file: iconv -f ENCODING -t UTF-8 ${path.endsWith(name) ? name : 'FILE'} > utf8.txt`,
    { details: { line, encoding: 'windows-1252' }, cause },
  );
}
