import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { messageOf, ProcError, unreadable } from '../../core/errors.ts';
import { isObject } from '../../core/is-object.ts';
import type { Ports } from '../../core/ports.ts';
import { inShell } from '../../core/text/typed.ts';
import { show } from '../../core/validate.ts';
import { isProblem } from '../../messages/problems.ts';
import type { SendFlags } from '../import-flags.ts';
import { NEXT } from '../phases.ts';
import { checkDestination } from '../resume/which-run.ts';
import { type ByteSource, fileBytes } from '../source/bytes/byte-source.ts';
import { lineBlocks } from '../source/bytes/line-blocks.ts';
import { requireLedger } from '../start/import-request.ts';
import type { RunHeader, SealedPlan } from '../store/facts.ts';
import { Run } from '../store/run-file.ts';
import { findKnownRun, findRun, headerOfRun, importsFolder, runPath } from '../store/runs.ts';
import { type SealedReference, type SealedRow, statedRows } from '../store/staged-rows.ts';
import { IMPORT_TARGETS, targetOf } from '../targets/all-targets.ts';
import { type ImportTarget, shapeOf } from '../targets/import-target.ts';
import { newPreview, withNewRun, withRun } from '../with-run.ts';
import { openWorkplace } from '../workplace.ts';
import {
  digestInTitle,
  HEADER_KEYS,
  hasDigest,
  isCount,
  Root,
  rowLines,
  STATEMENT_EXTENSION,
  type StatementHeader,
  sealedOf,
} from './statement.ts';

const PER_COMMIT = 2_000;

/** The header of a statement. Its lines are checked when they become the rows of a run. */
export interface Statement {
  /** As it was typed. */
  readonly name: string;
  readonly path: string;
  readonly header: RunHeader;
  readonly sealed: SealedPlan;
}

/** Whether an argument names a statement. No name of a run has such an ending. */
export function isStatement(typed: string): boolean {
  return typed.toLowerCase().endsWith(STATEMENT_EXTENSION);
}

/** @throws ProcError as {@link readTitle} */
export async function openStatement(
  name: string,
  { cwd }: { readonly cwd: string },
): Promise<Statement> {
  const path = resolve(cwd, name);
  const { digest, header } = await readTitle(path, name);
  return {
    name,
    path,
    header: runHeaderOf(header, path, cwd),
    sealed: { ...sealedPlanOf(header), digest },
  };
}

/** @param path of the statement */
function runHeaderOf(stated: StatementHeader, path: string, cwd: string): RunHeader {
  const { run, noun, service: baseUrl, organization, profile, environment } = stated;
  const { source, mapping, choices, groupBy, repairs, startedAt } = stated;
  return {
    ...{ run, noun, baseUrl, organization, profile, environment },
    source: { ...source, path },
    ...{ mapping, choices, groupBy, repairs, startedAt, isStaged: true },
    rejectedFile: join(cwd, `${run}.rejected.csv`),
    resultsFile: undefined,
    statement: path,
  };
}

function sealedPlanOf(stated: StatementHeader): Omit<SealedPlan, 'digest'> {
  const { stagedAt: at, version, importer, dialect } = stated;
  const { findings, fileProblem, baseline, otherNames } = stated;
  return {
    ...{ at, version, importer, dialect },
    ...{ findings, fileProblem, baseline, otherNames },
  };
}

/**
 * Writes the rows of a statement into its run, and saves the plan if these rows make the same
 * statement again: only then is every line as proc writes it.
 *
 * @throws ProcError `invalid_input`, `plan_changed`
 */
async function fillRun(run: Run, { name, path, sealed }: Statement): Promise<void> {
  run.commit(() => run.rows.empty());
  const add = statedRows(run.rows.sql);
  run.rows.sealed.clearReferences();
  let parts: StatementBody[] = [];
  const flush = (): void => {
    run.commit(() => {
      for (const part of parts) {
        if (part.kind === 'row') add([part.row]);
        else run.rows.sealed.noteReference(part.reference, part.reference.uses);
      }
    });
    parts = [];
  };
  for await (const part of readStatement(path, name)) {
    if (part.kind !== 'title') parts.push(part);
    else if (part.digest !== sealed.digest) {
      throw new ProcError('plan_changed', `${name} changed while proc was reading it`);
    }
    if (parts.length >= PER_COMMIT) flush();
  }
  flush();
  if (!hasDigest(run, sealed)) {
    throw refusedStatement(name, undefined, 'proc writes this statement in another form');
  }
  run.rows.addIndexes();
  if (NEXT[run.phase].resume === 'read') await run.advance('read');
  const { findings, fileProblem, baseline, otherNames } = sealed;
  await run.advance('seal', { sealed, findings, fileProblem, baseline, otherNames });
}

/** A run that a command shows. */
export interface ShownRun extends Disposable {
  readonly run: Run;
}

/**
 * Opens a run, or a statement as if it were a run. A staged run is checked: what is shown is what its
 * statement says, and what `imports send` sends.
 *
 * @param typed name of a run, or file of a statement
 * @throws ProcError `reference_not_found`, `plan_changed`; as {@link readStatement}
 */
export async function openShown(typed: string, ports: Ports<'self'>): Promise<ShownRun> {
  const folder = importsFolder(ports.self);
  if (isStatement(typed)) {
    const statement = await openStatement(typed, ports.self);
    const workplace = await openWorkplace(folder, true);
    const path = join(workplace.folder, `${statement.header.run}.db`);
    let run: Run | undefined;
    const close = (): void => {
      run?.close();
      workplace[Symbol.dispose]();
    };
    try {
      run = await newPreview(path, statement.header);
      await fillRun(run, statement);
      return { run, [Symbol.dispose]: close };
    } catch (thrown) {
      close();
      throw thrown;
    }
  }
  const path = runPath(folder, await findRun(folder, typed));
  const run = await Run.read(path);
  try {
    if (NEXT[run.phase].send === 'check') sealedOf(run);
    return { run, [Symbol.dispose]: () => run.close() };
  } catch (thrown) {
    run.close();
    throw thrown;
  }
}

/**
 * Makes the run of a statement, if this machine does not have it yet.
 *
 * @throws ProcError `invalid_usage` if the statement is for another service, organization or
 *   environment, or if this machine has sent and discarded the run; `no_ledger` if only the ledger
 *   could tell what was sent before
 */
export async function keepStatement(
  statement: Statement,
  target: ImportTarget,
  { waitLock: waitMs = 0, firstRun = false }: Pick<SendFlags, 'waitLock' | 'firstRun'>,
  ports: Ports<'io' | 'api' | 'store' | 'self'>,
): Promise<void> {
  const { header } = statement;
  const folder = importsFolder(ports.self);
  const named = { folder, path: runPath(folder, header.run), header };
  const isNew = async (): Promise<boolean> => {
    const known = await findKnownRun(folder, header.run);
    if (known?.isDiscarded === true) throw wasDiscarded(header);
    return known === undefined;
  };
  const fill = async (run: Run): Promise<void> => {
    if (NEXT[run.phase].send === 'stage first') await fillRun(run, statement);
  };
  await checkDestination({ header, get: () => undefined }, ports, 'send');
  if (await isNew()) {
    await requireLedger(target, await ports.store.scope(), firstRun, ports);
    const place = { ...header, folder };
    try {
      const begin = async () => ((await isNew()) ? named : alreadyKept());
      return await withNewRun({ place, waitMs, begin }, ports, fill);
    } catch (thrown) {
      if (thrown !== KEPT) throw thrown;
    }
  }
  const known = await headerOfRun(folder, header.run);
  // The run was staged here, or an earlier command was interrupted while it read the statement.
  if (known?.statement !== undefined) await withRun(named, { waitMs }, ports, fill);
}

/** Another command has made the run while this one waited for the lock. */
const KEPT = new Error('the run is known');

function alreadyKept(): never {
  throw KEPT;
}

function wasDiscarded({ run }: RunHeader): ProcError {
  return new ProcError('invalid_usage', `${run} was sent from this machine and discarded`, {
    hint: 'To send its rows again, stage the source file again',
    details: { run },
  });
}

/**
 * @param typed what is to be sent
 * @throws ProcError `invalid_usage` if the digest is not one, or if a statement has none
 */
export function digestIn(
  { digest }: { readonly digest: string | undefined },
  typed: string,
): string | undefined {
  if (digest === undefined && isStatement(typed)) {
    throw new ProcError('invalid_usage', `--digest is required to send ${typed}`, {
      hint: `Add --digest with the digest that was reviewed. To see the digest of the file: proc imports show ${inShell(typed)} -q digest -o json`,
    });
  }
  if (digest === undefined || /^sha256:[0-9a-f]{64}$/i.test(digest)) return digest?.toLowerCase();
  throw new ProcError(
    'invalid_usage',
    `--digest must be sha256: and 64 hexadecimal digits, got ${show(digest)}`,
    { hint: `See the digest: proc imports show ${inShell(typed)} -q digest -o json` },
  );
}

/** @throws ProcError `plan_changed` */
export function checkDigest(
  own: string | undefined,
  reviewed: string | undefined,
  typed: string,
): void {
  if (reviewed === undefined || own === reviewed) return;
  throw new ProcError(
    'plan_changed',
    `the digest of ${typed} is ${own ?? 'unknown'}, not ${reviewed}; nothing was sent`,
    {
      hint: `It is not the plan that was reviewed. See what it is: proc imports show ${inShell(typed)}`,
      details: { digest: own ?? null, reviewed },
    },
  );
}

/** Enough for a row of 1 MiB: its line has the payload and the record, which escapes make longer. */
const MOST_LINE_BYTES = 16 << 20;
const FEED = 0x0a;

/** What the lines before the references and rows say. */
interface StatementTitle {
  /** `sha256:…` */
  readonly digest: string;
  readonly header: StatementHeader;
}

type StatementBody =
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
async function* readStatement(path: string, name: string): AsyncGenerator<StatementPart, void> {
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

function refusedStatement(
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
async function readTitle(path: string, name: string): Promise<StatementTitle> {
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
  const { run, noun, service, source, mapping, findings, fileProblem } = stated;
  if (!IMPORT_TARGETS.some((target) => target.noun === noun)) {
    throw new Error(`this version of proc does not import ${JSON.stringify(noun)}`);
  }
  const isTyped =
    /^\d{8}-\d{6}-[0-9a-f]{4}$/.test(run) &&
    URL.canParse(service) &&
    [source.name, source.hash].every(isText) &&
    isObject((mapping as Value).fields) &&
    Array.isArray(findings) &&
    (fileProblem === undefined || isProblem(fileProblem));
  if (!isTyped) throw new Error('the header is not as proc writes it');
  return stated;
}

/** Checks what the file of a run needs; the digest shows everything else. */
function bodyReader({ noun, groupBy }: StatementHeader): (value: Value) => StatementBody {
  const target = targetOf(noun);
  const { references = [] } = shapeOf(target, groupBy);
  const lines = rowLines(target);
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
