import { stat } from 'node:fs/promises';
import { messageOf, ProcError, unreadable } from '../../core/errors.ts';
import { isObject } from '../../core/is-object.ts';
import { isProblem } from '../../messages/problems.ts';
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
  type StatementHeader,
} from './statement.ts';

/** Enough for a row of 1 MiB: its line has the payload and the record, which escapes make longer. */
const MOST_LINE_BYTES = 16 << 20;
const FEED = 0x0a;

/** What the lines before the references and rows say. */
export interface StatementTitle {
  /** `sha256:…` */
  readonly digest: string;
  readonly header: StatementHeader;
}

export type StatementBody =
  | { readonly kind: 'row'; readonly row: SealedRow }
  | { readonly kind: 'reference'; readonly reference: SealedReference };
type StatementPart = ({ readonly kind: 'title' } & StatementTitle) | StatementBody;

type Value = Readonly<Record<string, unknown>>;

/**
 * Reads a statement line by line. The digest is checked after the last line. Whether the lines are
 * as proc writes them is known only once proc has written them again.
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
  const header: Record<string, unknown> = {};
  let digest = '';
  let bodyOf: ((value: Value) => StatementBody) | undefined;
  for await (const line of linesOf(path, name)) {
    at++;
    try {
      if (at === 1) {
        digest = titleIn(line.toString());
        continue;
      }
      root.add(line);
      const value = valueIn(line.toString());
      const [key = ''] = Object.keys(value);
      if (bodyOf === undefined && (HEADER_KEYS as readonly string[]).includes(key)) {
        header[key] = value[key];
        continue;
      }
      if (bodyOf === undefined) {
        const title = { digest, header: headerIn(header) };
        bodyOf = bodyReader(title.header);
        yield { kind: 'title', ...title };
      }
      yield bodyOf(value);
    } catch (thrown) {
      if (thrown instanceof ProcError) throw thrown;
      throw refusedStatement(name, at, messageOf(thrown));
    }
  }
  if (bodyOf === undefined)
    throw refusedStatement(name, at, 'the statement ends before its first row');
  if (root.digest() !== digest) {
    throw refusedStatement(
      name,
      1,
      'this digest is not that of the lines that follow: one of them was changed, added, removed or moved',
      'plan_changed',
    );
  }
}

export function refusedStatement(
  name: string,
  line: number | undefined,
  why: string,
  code: 'invalid_input' | 'plan_changed' = 'invalid_input',
): ProcError {
  const at = line === undefined ? name : `${name}, line ${line}`;
  return new ProcError(code, `${at}: ${why}`, {
    hint: 'Copy the statement again without changes. To write it again where it was staged: proc imports show RUN --statement FILE',
    details: { line: line ?? null },
  });
}

/** Reads only the lines before the first reference or row. */
export async function readTitle(path: string, name: string): Promise<StatementTitle> {
  for await (const part of readStatement(path, name)) if (part.kind === 'title') return part;
  throw new Error('a statement begins with its title');
}

function titleIn(line: string): string {
  const digest = digestInTitle(line);
  if (digest !== undefined) return digest;
  throw new Error(
    line.endsWith('\r')
      ? 'the lines end with CR LF, not with LF'
      : 'this is not a statement of proc imports show RUN --statement FILE',
  );
}

function valueIn(line: string): Value {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new Error('it is not valid JSON');
  }
  if (isObject(value)) return value;
  throw new Error('it is not an object');
}

const TEXTS = ['run', 'noun', 'service', 'startedAt', 'stagedAt', 'version'];
const OPTIONAL_TEXTS = ['organization', 'profile', 'environment', 'groupBy', 'repairs'];
const OBJECTS = ['counts', 'source', 'choices', 'mapping', 'dialect', 'importer'];

function headerIn(header: Value): StatementHeader {
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

/** Checks what the file of a run needs; the digest shows everything else. */
function bodyReader({ noun, groupBy, choices }: StatementHeader): (value: Value) => StatementBody {
  const target = targetOf(noun);
  const { references = [] } = shapeOf(target, groupBy);
  const lines = new RowLines(target, choices);
  let last = 0;
  return (value) => {
    if (!('reference' in value)) {
      const row = lines.rowOf(value);
      if (row.row <= last) throw new Error(`row ${row.row} follows row ${last}`);
      last = row.row;
      return { kind: 'row', row };
    }
    const { reference: field, typed, value: meant, copied, row, uses } = value;
    const isTyped =
      [typed, meant, copied].every((one) => typeof one === 'string') && [row, uses].every(isCount);
    // `imports send` could not look another field up again.
    if (!isTyped || !references.some((one) => one.field === field)) {
      throw new Error(`this is not a reference of ${noun}`);
    }
    const reference = { field, typed, value: meant, copied, row, uses } as SealedReference;
    return { kind: 'reference', reference };
  };
}

/** Lines without their line feeds. @throws ProcError also if the last line has no line feed */
async function* linesOf(path: string, name: string): AsyncGenerator<Buffer, void> {
  let count = 0;
  const refuse = (why: string) => refusedStatement(name, count + 1, why);
  const source = await opened(path, name);
  try {
    for await (const block of lineBlocks(source, { mostBytes: MOST_LINE_BYTES })) {
      if (block.kind !== 'lines') throw refuse('it is longer than 16 MiB');
      const { bytes } = block;
      if (bytes.at(-1) !== FEED) throw refuse('the file ends in the middle of this line');
      for (let from = 0; from < bytes.length; count++) {
        const to = bytes.indexOf(FEED, from);
        yield bytes.subarray(from, to);
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
