import { isUtf8 } from 'node:buffer';
import { basename } from 'node:path';
import { ProcError } from '../../core/errors.ts';
import type { SourceFormat } from './record.ts';

const KINDS: ReadonlyArray<readonly [magic: string | RegExp, kind: string, advice: string]> = [
  [/^PK\x03\x04[\s\S]*(?:\[Content_Types\]|xl\/)/, 'an Excel workbook (.xlsx)', 'a spreadsheet'],
  [
    /^PK\x03\x04[\s\S]*opendocument\.spreadsheet/,
    'an OpenDocument spreadsheet (.ods)',
    'a spreadsheet',
  ],
  [/^PK(?:\x03\x04|\x05\x06)/, 'a zip archive', 'an archive'],
  ['\xd0\xcf\x11\xe0', 'an old Excel workbook (.xls) or another Office file', 'a spreadsheet'],
  ['%PDF-', 'a PDF document', 'a document'],
  ['{\\rtf', 'an RTF document', 'a document'],
  [/^(?:BZh|\xfd7zXZ|7z\xbc\xaf|\x28\xb5\x2f\xfd|Rar!\x1a)/, 'an archive', 'an archive'],
  [/^[\s\S]{257}ustar/, 'a tar archive', 'an archive'],
  ['\x1f\x8b', 'a gzip file inside a gzip file', 'an archive'],
  [/^(?:PAR1|SQLite format 3|MZ[\s\S]{0,200}\0\0\0|\x7fELF)/, 'binary data', 'a document'],
  [/^(?:GIF8[79]a|\x89PNG|\xff\xd8\xff|II\*\0|MM\0\*)/, 'an image', 'a document'],
  [/^(?:RIFF[\s\S]{4}(?:WEBP|WAVE|AVI )|[\s\S]{4}ftyp)/, 'an image or a video', 'a document'],
  ['\xff\xfe\0\0', 'text in UTF-32', 'text'],
  ['\0\0\xfe\xff', 'text in UTF-32', 'text'],
  [/^\s*(?:<!doctype html|<html)/i, 'a web page (HTML)', 'a document'],
  [/^\s*<\?xml/i, 'an XML document', 'a document'],
];

const ADVICE: Readonly<Record<string, string>> = {
  'a spreadsheet': 'Save it as .xlsx or as "CSV UTF-8" (File, Save As) and import that file.',
  'an archive': 'Unpack it first. The only compressed format that proc reads is gzip.',
  'a document': 'Save or export it as CSV, NDJSON or JSON, and import that file.',
  text: 'Save it as UTF-8 and import that file.',
};

/** Control characters that text in any encoding does not contain. */
const CONTROL = /[\0-\x08\x0e-\x1f\x7f]/g;

export function isGzip(head: Buffer): boolean {
  return head[0] === 0x1f && head[1] === 0x8b;
}

/** Throws `invalid_input` if the bytes are not text. */
export function identify(head: Buffer, name: string): Pick<SourceFormat, 'encoding' | 'bom'> {
  const text = head.toString('latin1');
  const utf8Mark = text.startsWith('\xef\xbb\xbf') ? 3 : 0;
  const start = text.slice(utf8Mark, utf8Mark + 4096);
  for (const [magic, kind, advice] of KINDS) {
    if (typeof magic === 'string' ? start.startsWith(magic) : magic.test(start)) {
      throw wrongKind(name, kind, ADVICE[advice]!);
    }
  }
  if (text.startsWith('\xff\xfe')) return { encoding: 'utf-16le', bom: true };
  if (text.startsWith('\xfe\xff')) return { encoding: 'utf-16be', bom: true };
  const unmarked = unmarkedUtf16(head);
  if (unmarked !== undefined) return { encoding: unmarked, bom: false };
  if (isBinary(head.subarray(0, 4096), start)) {
    throw wrongKind(name, 'binary data', ADVICE['a document']!);
  }
  return { encoding: 'utf-8', bom: utf8Mark > 0 };
}

/**
 * In binary data, more than one character in twenty is a control character. A few are always
 * accepted: eight in UTF-8, one in other text.
 */
function isBinary(head: Buffer, text: string): boolean {
  const control = text.match(CONTROL)?.length ?? 0;
  if (control > 8 && control * 20 > text.length) return true;
  return control > 1 && control * 20 > text.length && !isUtf8(head);
}

/**
 * Refuses e.g. `book.xlsx` if it is not a workbook: read as text, it would be nonsense.
 *
 * @throws ProcError `invalid_input`
 */
export function refuseNamedWorkbook(head: Buffer, name: string): void {
  const [ending] = /\.(?:xlsx|xlsm|xltx|ods|numbers)$/i.exec(name) ?? [];
  if (ending === undefined) return;
  const text = head.toString('latin1');
  const isOle = text.startsWith('\xd0\xcf\x11\xe0');
  const isZip = text.startsWith('PK\x03\x04');
  if (/opendocument/.test(text.slice(0, 4096))) return;
  const what = isOle
    ? 'it is password-protected or in the old .xls format'
    : isZip
      ? 'its content is missing or damaged'
      : 'it is not a workbook';
  throw new ProcError('invalid_input', `cannot read ${name} as a workbook: ${what}`, {
    hint: isOle
      ? 'Save it without a password, as .xlsx or as "CSV UTF-8" (File, Save As), and import that file.'
      : `Save or export it again as .xlsx or "CSV UTF-8". If it is a text file with the wrong extension, rename it to ${basename(name, ending)}.csv`,
  });
}

/** In Latin text as UTF-16, every second byte is NUL. */
function unmarkedUtf16(head: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  const nuls = [0, 0];
  const length = Math.min(head.length - (head.length % 2), 4096);
  for (let at = 0; at < length; at++) if (head[at] === 0) nuls[at % 2]!++;
  const [even, odd] = nuls as [number, number];
  if (length < 4 || Math.max(even, odd) * 4 < length) return undefined;
  if (even * 10 < odd && head[0] !== 0 && head[1] === 0) return 'utf-16le';
  return odd * 10 < even && head[0] === 0 && head[1] !== 0 ? 'utf-16be' : undefined;
}

function wrongKind(name: string, kind: string, hint: string): ProcError {
  return new ProcError('invalid_input', `${name} is ${kind}, expected CSV, .xlsx, NDJSON or JSON`, {
    hint,
  });
}
