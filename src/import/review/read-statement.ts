import { stat } from 'node:fs/promises';
import { messageOf, ProcError, unreadable } from '../../core/errors.ts';
import { isObject } from '../../core/is-object.ts';
import { JsonError, readJson } from '../../core/text/strict-json.ts';
import { isProblem, sentence } from '../../messages/problems.ts';
import { type ByteSource, fileBytes } from '../source/bytes/byte-source.ts';
import { lineBlocks } from '../source/bytes/line-blocks.ts';
import type { SealedReference, SealedRow } from '../store/staged-rows.ts';
import { IMPORT_TARGETS, targetOf } from '../targets/all-targets.ts';
import { shapeOf } from '../targets/import-target.ts';
import {
  digestInTitle,
  HEADER_KEYS,
  isCount,
  Root,
  RowLines,
  referenceLine,
  type StatementHeader,
} from './statement.ts';

/** Enough for a row of 1 MiB: its line has the payload and the record, which escapes make longer. */
const MOST_LINE_BYTES = 16 << 20;
const FEED = 0x0a;

const HINT =
  'Copy the statement again without changes. To write it again where it was staged: proc imports show RUN --statement FILE';

/** What the lines before the references and rows say. */
export interface StatementTitle {
  /** `sha256:…` */
  readonly digest: string;
  readonly header: StatementHeader;
}

type Row = { readonly kind: 'row'; readonly row: SealedRow };
type Reference = { readonly kind: 'reference'; readonly reference: SealedReference };
export type StatementPart = ({ readonly kind: 'title' } & StatementTitle) | Reference | Row;

type Value = Readonly<Record<string, unknown>>;

/**
 * Reads a statement line by line. Each line must be exactly as proc writes it. Digest and counts are
 * checked after the last line.
 *
 * @param name of the file, for errors
 * @throws ProcError `invalid_input`, which names the line; `plan_changed` if the digest is not that
 *   of the lines; `unreadable_file`
 */
export async function* readStatement(
  path: string,
  name: string,
): AsyncGenerator<StatementPart, void> {
  let at = 0;
  const root = new Root();
  const header = new Map<string, unknown>();
  let digest = '';
  let body: BodyReader | undefined;
  for await (const line of linesOf(path, name)) {
    at++;
    try {
      if (at === 1) {
        digest = titleIn(line);
        continue;
      }
      root.add(line);
      const value = valueIn(line);
      if (body === undefined) {
        if (addToHeader(header, value, line)) continue;
        const title = { digest, header: headerIn(header) };
        body = new BodyReader(title.header);
        yield { kind: 'title', ...title };
      }
      yield body.read(value, line);
    } catch (thrown) {
      if (thrown instanceof ProcError) throw thrown;
      throw refused(name, at, messageOf(thrown));
    }
  }
  if (body === undefined) throw refused(name, at, 'the statement ends here, before its first row');
  if (root.digest() !== digest) {
    throw refused(
      name,
      at,
      'the digest in line 1 is not that of the lines that follow: one of them was changed, added, removed or moved',
      'plan_changed',
    );
  }
  const wrong = body.wrongCount();
  if (wrong !== undefined) throw refused(name, at, wrong);
}

function refused(
  name: string,
  line: number,
  why: string,
  code: 'invalid_input' | 'plan_changed' = 'invalid_input',
): ProcError {
  return new ProcError(code, `${name}, line ${line}: ${why}`, { hint: HINT, details: { line } });
}

/** Reads the whole statement, so that nothing is done with one that is wrong at its end. */
export async function checkStatement(path: string, name: string): Promise<StatementTitle> {
  let title: StatementTitle | undefined;
  for await (const part of readStatement(path, name)) if (part.kind === 'title') title = part;
  return title!;
}

function titleIn(line: string): string {
  const digest = digestInTitle(line);
  if (digest !== undefined) return digest;
  if (line.startsWith('\uFEFF')) throw new Error('it begins with a byte order mark (BOM)');
  checkEnd(line);
  throw new Error('this is not a statement of proc imports show RUN --statement FILE');
}

/** A program that converts line ends changes every line. */
function checkEnd(line: string): void {
  if (line.endsWith('\r')) throw new Error('the lines end with CR LF, not with LF');
}

function valueIn(line: string): Value {
  checkEnd(line);
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new Error('it is not valid JSON');
  }
  if (isObject(value)) return value;
  throw new Error('it is not an object');
}

/** @throws Error that says why the line is not the one that proc writes */
function checkForm(line: string, written: string): void {
  if (line === written) return;
  try {
    readJson(line);
  } catch (thrown) {
    if (!(thrown instanceof JsonError)) throw thrown;
    const place = { column: thrown.column };
    throw new Error(sentence({ ...thrown.mistake!, place }));
  }
  throw new Error('proc writes this line in another form');
}

/** @returns false if the line is no line of the header */
function addToHeader(header: Map<string, unknown>, value: Value, line: string): boolean {
  const [key = ''] = Object.keys(value);
  const place = HEADER_KEYS.indexOf(key as keyof StatementHeader);
  if (place === -1) return false;
  checkForm(line, JSON.stringify({ [key]: value[key] }));
  if (header.has(key)) throw new Error(`${key} appears twice`);
  const last = HEADER_KEYS.indexOf([...header.keys()].at(-1) as keyof StatementHeader);
  if (place < last) throw new Error(`${key} is out of order`);
  header.set(key, value[key]);
  return true;
}

const TEXTS = ['run', 'noun', 'service', 'startedAt', 'stagedAt', 'version'];
const OPTIONAL_TEXTS = ['organization', 'profile', 'environment', 'groupBy', 'repairs'];
const OBJECTS = ['counts', 'source', 'choices', 'mapping', 'dialect', 'importer'];

function headerIn(lines: ReadonlyMap<string, unknown>): StatementHeader {
  const header = Object.fromEntries(lines) as Value;
  const isText = (value: unknown) => typeof value === 'string';
  const wrong =
    TEXTS.find((key) => !isText(header[key])) ??
    OPTIONAL_TEXTS.find((key) => header[key] !== undefined && !isText(header[key])) ??
    OBJECTS.find((key) => !isObject(header[key]));
  if (wrong !== undefined) throw new Error(`${wrong} is missing or has the wrong type`);
  const stated = header as unknown as StatementHeader;
  const { run, noun, service, source, choices, mapping, findings, fileProblem } = stated;
  if (!IMPORT_TARGETS.some((target) => target.noun === noun)) {
    throw new Error(`this version of proc does not import ${JSON.stringify(noun)}`);
  }
  const isTyped =
    /^\d{8}-\d{6}-[0-9a-f]{4}$/.test(run) &&
    URL.canParse(service) &&
    [source.name, source.hash].every(isText) &&
    isObject((mapping as Value).fields) &&
    [findings, choices.allow].every(Array.isArray) &&
    (fileProblem === undefined || isProblem(fileProblem));
  if (!isTyped) throw new Error('the header is not as proc writes it');
  return stated;
}

class BodyReader {
  readonly #header: StatementHeader;
  readonly #lines: RowLines;
  readonly #fields: readonly string[];
  readonly #counts = new Map<string, number>();
  #row = 0;
  #reference = Buffer.alloc(0);

  constructor(header: StatementHeader) {
    const target = targetOf(header.noun);
    const { references = [] } = shapeOf(target, header.groupBy);
    this.#header = header;
    this.#lines = new RowLines(target, header.choices);
    this.#fields = references.map(({ field }) => field);
  }

  read(value: Value, line: string): Reference | Row {
    if ('row' in value && !('reference' in value))
      return { kind: 'row', row: this.#rowIn(value, line) };
    if (!('reference' in value)) throw new Error('this line does not belong into a statement');
    return { kind: 'reference', reference: this.#referenceIn(value, line) };
  }

  #rowIn(value: Value, line: string): SealedRow {
    const row = this.#lines.rowOf(value);
    checkForm(line, this.#lines.lineOf(row));
    if (row.row <= this.#row) {
      throw new Error(
        `row ${row.row} ${row.row === this.#row ? 'appears twice' : 'is out of order'}`,
      );
    }
    this.#row = row.row;
    this.#counts.set(row.state, (this.#counts.get(row.state) ?? 0) + 1);
    return row;
  }

  #referenceIn(value: Value, line: string): SealedReference {
    const { reference: field, typed, value: meant, copied, row, uses } = value;
    const texts = [field, typed, meant, copied];
    if (!texts.every((one) => typeof one === 'string') || ![row, uses].every(isCount)) {
      throw new Error('a member of this reference has the wrong type');
    }
    const reference = { field, typed, value: meant, copied, row, uses } as SealedReference;
    checkForm(line, referenceLine(reference));
    // `imports send` could not look it up again.
    if (!this.#fields.includes(reference.field)) {
      throw new Error(`${JSON.stringify(field)} is not a reference of ${this.#header.noun}`);
    }
    const key = Buffer.from(`${field}\0${typed}`);
    if (this.#row > 0 || Buffer.compare(key, this.#reference) <= 0) {
      throw new Error('this reference is out of order');
    }
    this.#reference = key;
    return reference;
  }

  /** The first count of the header that is not that of the rows. */
  wrongCount(): string | undefined {
    const { counts } = this.#header;
    const states = new Set([...Object.keys(counts), ...this.#counts.keys()]);
    for (const state of states) {
      const said = (counts as Readonly<Record<string, number>>)[state] ?? 0;
      const found = this.#counts.get(state) ?? 0;
      if (said !== found) return `the header counts ${said} ${state}, but there are ${found}`;
    }
    return undefined;
  }
}

/** Lines without their line feeds. @throws ProcError also if the last line has no line feed */
async function* linesOf(path: string, name: string): AsyncGenerator<string, void> {
  let count = 0;
  const refuse = (why: string) => refused(name, count + 1, why);
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const text = (line: Buffer): string => {
    try {
      return decoder.decode(line);
    } catch {
      throw refuse('it is not UTF-8');
    }
  };
  const source = await opened(path, name);
  try {
    for await (const block of lineBlocks(source, { mostBytes: MOST_LINE_BYTES })) {
      if (block.kind !== 'lines') throw refuse('it is longer than 16 MiB');
      const { bytes } = block;
      if (bytes.at(-1) !== FEED) throw refuse('the file ends in the middle of this line');
      for (let from = 0; from < bytes.length; count++) {
        const to = bytes.indexOf(FEED, from);
        yield text(bytes.subarray(from, to));
        from = to + 1;
      }
    }
    if (count === 0) throw refuse('the file is empty');
  } finally {
    await source.close();
  }
}

/** @throws ProcError `unreadable_file` */
async function opened(path: string, name: string): Promise<ByteSource> {
  try {
    if ((await stat(path)).isFile()) return await fileBytes(path);
  } catch (thrown) {
    throw unreadable(name, thrown);
  }
  throw new ProcError('unreadable_file', `cannot read ${name}: it is not a regular file`);
}
