import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { messageOf, ProcError, systemCode } from '../../core/errors.ts';
import { isObject } from '../../core/is-object.ts';
import type { Approval } from '../ledger/facts.ts';
import type { SealedReference, SealedRow } from '../ledger/run-file/sealed-rows.ts';
import { referenceLine, rowLine } from './canonical-form.ts';

/**
 * Enough for a row of 1 MiB: its line contains the record and the body, and escaping makes both
 * longer.
 */
const MOST_LINE_BYTES = 16 << 20;
const READ_BYTES = 1 << 20;

export type ExportedLine =
  | { readonly kind: 'header'; readonly value: Record<string, unknown>; readonly text: string }
  | { readonly kind: 'row'; readonly row: SealedRow }
  | { readonly kind: 'reference'; readonly reference: SealedReference }
  | {
      readonly kind: 'digest';
      readonly digest: string;
      /** The digest of all lines before this line. */
      readonly computed: string;
    }
  | { readonly kind: 'approval'; readonly approval: Approval }
  | { readonly kind: 'exported'; readonly from: string }
  | { readonly kind: 'end' };

type Kind = ExportedLine['kind'];

const AFTER: Readonly<Record<Kind | 'start', readonly Kind[]>> = {
  start: ['header'],
  header: ['row'],
  row: ['row', 'reference', 'digest'],
  reference: ['reference', 'digest'],
  digest: ['approval', 'exported'],
  approval: ['approval', 'exported'],
  exported: ['end'],
  end: [],
};

const STATES = [
  'filtered',
  'pending',
  'existing',
  'duplicate',
  'dropped',
  'rejected',
  'unconfirmed',
];

/**
 * Reads an exported run line by line. Checks the form of each line and, at the end, the checksum.
 *
 * @param name of the file, for errors
 * @throws ProcError `invalid_input`, which names the line; `unreadable_file`
 */
export function* readExported(path: string, name: string): Generator<ExportedLine> {
  const hash = createHash('sha256');
  let last: Kind | 'start' = 'start';
  let row = 0;
  let reference = Buffer.alloc(0);
  let at = 0;
  for (const text of linesOf(path, name)) {
    at++;
    const bad = (why: string): ProcError =>
      new ProcError('invalid_input', `${name}, line ${at}: ${why}`, {
        hint: 'Copy the file again without changes, e.g. in a zip file, or export it again: proc imports export RUN --out FILE',
        details: { line: at },
      });
    let line: ExportedLine;
    try {
      line = lineIn(text, last);
    } catch (thrown) {
      throw bad(messageOf(thrown));
    }
    if (line.kind === 'end' && text !== `${JSON.stringify({ end: hash.digest('hex') })}\n`) {
      throw bad('the file was changed or damaged: its checksum does not match');
    }
    if (line.kind === 'row') {
      if (line.row.row <= row) throw bad(`row ${line.row.row} is out of order or appears twice`);
      row = line.row.row;
    }
    if (line.kind === 'reference') {
      const { field, typed } = line.reference;
      const key = Buffer.from(`${field}\0${typed}`);
      if (Buffer.compare(key, reference) <= 0) throw bad('this reference is out of order');
      reference = key;
    }
    yield line.kind === 'digest' ? { ...line, computed: hash.copy().digest('hex') } : line;
    if (line.kind !== 'end') hash.update(text);
    last = line.kind;
  }
  if (last !== 'end') {
    throw new ProcError('invalid_input', `${name} ends after line ${at}: it is not complete`, {
      hint: 'Copy or export it again: proc imports export RUN --out FILE',
      details: { line: at },
    });
  }
}

function lineIn(text: string, last: Kind | 'start'): ExportedLine {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    if (last === 'start' && text.startsWith('\uFEFF{"format"')) {
      throw new Error('the file was changed: it begins with a byte order mark (BOM)');
    }
    throw new Error(last === 'start' ? 'this is not an exported run' : 'it is not valid JSON');
  }
  if (!isObject(value)) throw new Error('it is not an object');
  const kind = kindOf(value);
  if (kind === undefined || !AFTER[last].includes(kind)) {
    throw new Error(last === 'start' ? 'this is not an exported run' : 'this line is unexpected');
  }
  const line = read(kind, value, text);
  if (text.endsWith('\r\n')) {
    throw new Error('the file was changed: its lines end with CR LF, not with LF');
  }
  if (!isCanonical(line, value, text))
    throw new Error('the line was changed: proc writes it in another form');
  return line;
}

function kindOf(value: Readonly<Record<string, unknown>>): Kind | undefined {
  if ('format' in value) return 'header';
  if ('reference' in value) return 'reference';
  if ('row' in value) return 'row';
  return (['digest', 'approval', 'exported', 'end'] as const).find((kind) => kind in value);
}

function read(kind: Kind, value: Record<string, unknown>, text: string): ExportedLine {
  switch (kind) {
    case 'header':
      return { kind, value, text };
    case 'row':
      return { kind, row: rowIn(value) };
    case 'reference': {
      const { reference: field, typed, value: meant, copied, row, uses } = value;
      const texts = [field, typed, meant, copied];
      if (!texts.every((one) => typeof one === 'string') || ![row, uses].every(isCount)) {
        throw new Error('a field of this reference has the wrong type');
      }
      const reference = { field, typed, value: meant, copied, row, uses };
      return { kind, reference: reference as unknown as SealedReference };
    }
    case 'digest':
      return { kind, digest: textIn(value.digest), computed: '' };
    case 'approval': {
      const { approval } = value;
      if (!isObject(approval)) throw new Error('the approval is not an object');
      const { statement, signature } = approval;
      return { kind, approval: { statement: textIn(statement), signature: textIn(signature) } };
    }
    case 'exported': {
      const { exported } = value;
      return { kind, from: textIn(isObject(exported) ? exported.from : undefined) };
    }
    case 'end':
      return { kind };
  }
}

/** True only if no JSON member appears twice and, in a row or reference, no member is unknown. */
function isCanonical(line: ExportedLine, value: object, text: string): boolean {
  if (line.kind === 'row') return rowLine(line.row) === text;
  if (line.kind === 'reference') return referenceLine(line.reference) === text;
  return `${JSON.stringify(value)}\n` === text;
}

function rowIn(value: Readonly<Record<string, unknown>>): SealedRow {
  const { row, line = null, state, repairs = null } = value;
  if (!isCount(row) || row === 0) throw new Error('the number of the row is missing');
  if (!STATES.includes(state as string)) throw new Error(`the state of row ${row} is not known`);
  for (const number of [line, repairs]) {
    if (number !== null && !isCount(number))
      throw new Error(`line or repairs of row ${row} is not a whole number`);
  }
  const texts: Record<string, string | null> = {};
  for (const key of ['code', 'name', 'id', 'reason', 'fingerprint', 'payload', 'record']) {
    const text = value[key] ?? null;
    if (text !== null && typeof text !== 'string')
      throw new Error(`${key} of row ${row} is not text`);
    texts[key] = text;
  }
  const { payload: body, record: fields, ...rest } = texts;
  if (body !== null || state === 'pending') checkPayload(body ?? null, row);
  return { row, line, state, repairs, ...rest, body, fields } as unknown as SealedRow;
}

function checkPayload(body: string | null, row: number): void {
  let payload: unknown;
  try {
    payload = JSON.parse(body ?? '');
  } catch {
    payload = undefined;
  }
  if (!isObject(payload)) throw new Error(`the payload of row ${row} is not a JSON object`);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function textIn(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new Error('a text is missing');
}

/** Lines with their line feeds. The last line may have no line feed. */
function* linesOf(path: string, name: string): Generator<string> {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (thrown) {
    const isMissing = systemCode(thrown) === 'ENOENT';
    const why = isMissing ? 'the file does not exist' : messageOf(thrown);
    throw new ProcError('unreadable_file', `cannot read ${name}: ${why}`);
  }
  try {
    if (!fstatSync(file).isFile()) {
      throw new ProcError('unreadable_file', `${name} is not a regular file`);
    }
    const buffer = Buffer.alloc(READ_BYTES);
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    let waiting: Buffer[] = [];
    let length = 0;
    let count = 0;
    const text = (parts: readonly Buffer[]): string => {
      count++;
      try {
        return decoder.decode(Buffer.concat(parts));
      } catch {
        throw new ProcError('invalid_input', `${name}, line ${count}: it is not UTF-8`);
      }
    };
    for (;;) {
      const size = readSync(file, buffer, 0, READ_BYTES, null);
      if (size === 0) break;
      let from = 0;
      for (let to = buffer.indexOf(10); to !== -1 && to < size; to = buffer.indexOf(10, from)) {
        yield text([...waiting, buffer.subarray(from, to + 1)]);
        waiting = [];
        length = 0;
        from = to + 1;
      }
      length += size - from;
      if (length > MOST_LINE_BYTES) {
        throw new ProcError(
          'invalid_input',
          `${name}, line ${count + 1}: it is longer than 16 MiB`,
        );
      }
      if (from < size) waiting.push(Buffer.from(buffer.subarray(from, size)));
    }
    if (length > 0) yield text(waiting);
  } finally {
    closeSync(file);
  }
}
