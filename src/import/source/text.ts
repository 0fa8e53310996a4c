import { isAscii, isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { badFile, badFlag } from './record.ts';

const READ_BYTES = 32 << 10;

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
  const lines = head.subarray(0, head.lastIndexOf('\n') + 1);
  if (/^(?:windows|iso)-/.test(encoding) && !isAscii(lines) && isUtf8(lines))
    throw badFlag(`--encoding ${encoding}: ${name} is UTF-8 text`, 'Read it with --encoding utf-8');
  return { encoding, bom: false };
}

/**
 * The text of a file, in pieces.
 *
 * @throws ProcError `invalid_input` if the bytes are not text of this encoding; system errors
 */
export async function* readText(file: TextFile): AsyncGenerator<string, void> {
  const { path, name, encoding, bom } = file;
  if (encoding !== 'utf-8') {
    const decoder = new TextDecoder(encoding, { fatal: true });
    try {
      for await (const bytes of createReadStream(path, { highWaterMark: READ_BYTES }))
        yield decoder.decode(bytes, { stream: true });
      yield decoder.decode();
    } catch (cause) {
      if (!(cause instanceof TypeError)) throw cause;
      const hint = 'Name its encoding with --encoding NAME';
      throw badFile(`${name} is not ${encoding} text`, hint, { cause });
    }
    return;
  }
  // Unlike a TextDecoder, this takes one byte for a character of ASCII.
  const options = { encoding: 'utf8', start: bom ? 3 : 0, highWaterMark: READ_BYTES } as const;
  let isChecked = false;
  for await (const text of createReadStream(path, options)) {
    if (!isChecked && text.includes(REPLACEMENT)) {
      await refuseOtherText(file);
      isChecked = true;
    }
    yield text;
  }
}

/** What stands for bytes that are not UTF-8; a file may also contain it. */
const REPLACEMENT = '\ufffd';
const SHOWN = 80;

/** @throws ProcError `invalid_input` that shows the first line that is not UTF-8 as Windows-1252 */
async function refuseOtherText({ path, name }: TextFile): Promise<void> {
  let line = 0;
  for await (const latin of createInterface({ input: createReadStream(path, 'latin1') })) {
    line++;
    const bytes = Buffer.from(latin, 'latin1');
    if (isUtf8(bytes)) continue;
    const text = new TextDecoder('windows-1252').decode(bytes).trim();
    const shown = text.slice(Math.max(0, text.search(/[^\0-\x7f]/) - SHOWN / 2)).slice(0, SHOWN);
    throw badFile(
      `${name} is not UTF-8. As Windows-1252, line ${line} reads: ${shown}`,
      `If this is right, add --encoding windows-1252. If not, name another encoding, or convert the file: iconv -f ENCODING -t UTF-8 ${path.endsWith(name) ? name : 'FILE'} > utf8.txt`,
      { details: { line, encoding: 'windows-1252' } },
    );
  }
}
