import { createHash, hash } from 'node:crypto';
import { ProcError } from '../../core/errors.ts';
import { isObject } from '../../core/is-object.ts';
import { type Problem, problemIn, storedProblem } from '../../core/problem/row-problem.ts';
import { inShell } from '../../core/text/typed.ts';
import { isRowFindings } from '../../messages/findings.ts';
import { isProblem, sentence } from '../../messages/problems.ts';
import { bodyFingerprintOf } from '../stage/steps/body-steps.ts';
import type { Choices, RunHeader, SealedPlan } from '../store/facts.ts';
import type { Run } from '../store/run-file.ts';
import type { Bodies } from '../store/send-queue.ts';
import type { SealedReference, SealedRow } from '../store/staged-rows.ts';
import type { RowState } from '../store/transitions.ts';
import { targetOf } from '../targets/all-targets.ts';
import type { ImportTarget } from '../targets/import-target.ts';

/**
 * The statement of a staged import: the whole plan as text, which people review and `imports send`
 * sends. `docs/review.md` describes it. Each line is a JSON object without spaces:
 *
 * 1. the title, with the digest
 * 2. the header, one member on each line
 * 3. the references that rows contain, sorted
 * 4. the rows, in order
 */
const TITLE = 'proc-import-1';

export const STATEMENT_EXTENSION = '.statement';

/** The lines of the header, in their order. Undefined members have no line. */
export interface StatementHeader extends Omit<SealedPlan, 'digest' | 'at'> {
  readonly run: string;
  readonly noun: string;
  /** The base URL. */
  readonly service: string;
  readonly organization: string | undefined;
  readonly profile: string | undefined;
  readonly environment: string | undefined;
  readonly counts: Readonly<Partial<Record<RowState, number>>>;
  readonly source: Omit<RunHeader['source'], 'path'>;
  readonly startedAt: string;
  readonly stagedAt: string;
  readonly choices: Choices;
  readonly groupBy: string | undefined;
  readonly repairs: string | undefined;
  readonly mapping: unknown;
}

/** The members of the header, in the order of their lines. */
export const HEADER_KEYS = [
  ...(['run', 'noun', 'service', 'organization', 'profile', 'environment', 'importer'] as const),
  ...(['counts', 'source', 'startedAt', 'stagedAt', 'version', 'fileProblem'] as const),
  ...(['findings', 'otherNames', 'baseline', 'choices', 'groupBy'] as const),
  ...(['repairs', 'mapping', 'dialect'] as const),
] as const satisfies readonly (keyof StatementHeader)[];

/** @param counts number of rows by state */
function statementHeader(
  header: RunHeader,
  { at: stagedAt, ...sealed }: Omit<SealedPlan, 'digest'>,
  counts: StatementHeader['counts'],
): StatementHeader {
  const { path: _path, ...source } = header.source;
  const { run, noun, baseUrl: service, organization, profile, environment } = header;
  const { startedAt, choices, groupBy, repairs, mapping } = header;
  return {
    ...{ run, noun, service, organization, profile, environment, counts, source },
    ...{ startedAt, stagedAt, choices, groupBy, repairs, mapping },
    ...sealed,
  };
}

function headerLines(header: StatementHeader): readonly string[] {
  return HEADER_KEYS.filter((key) => header[key] !== undefined).map((key) =>
    JSON.stringify({ [key]: header[key] }),
  );
}

export function titleLine(digest: string): string {
  return JSON.stringify({ statement: TITLE, digest });
}

/** Undefined if the line is not a title. */
export function digestInTitle(line: string): string | undefined {
  const [digest = ''] = /sha256:[0-9a-f]{64}/.exec(line) ?? [];
  return line === titleLine(digest) ? digest : undefined;
}

function referenceLine(one: SealedReference): string {
  const { field: reference, typed, value, copied, row, uses } = one;
  return JSON.stringify({ reference, typed, value, copied, row, uses });
}

/** The code and name of these rows can come from the source. */
const WITHOUT_PAYLOAD: readonly string[] = ['rejected'] satisfies RowState[];

/** A row that staging rejected may exist. */
const MAY_LACK_PAYLOAD: readonly string[] = [...WITHOUT_PAYLOAD, 'existing' satisfies RowState];

interface RowLines {
  /** @throws RowChanged if code or name are not those of the payload */
  lineOf(row: SealedRow): string;
  /**
   * Checks what the file of a run needs; the digest shows everything else.
   *
   * @param value the parsed line
   * @throws Error, whose message says what is wrong
   */
  rowOf(value: Readonly<Record<string, unknown>>): SealedRow;
}

/**
 * The line of a row. Code and name come from the payload alone, so the line does not repeat them:
 * nobody reviews one code and sends another.
 */
export function rowLines(target: ImportTarget): RowLines {
  const fingerprintOf = bodyFingerprintOf(target);
  const identity = (state: string, body: string | null) => {
    if (body === null || WITHOUT_PAYLOAD.includes(state)) return undefined;
    const payload = JSON.parse(body) as Readonly<Record<string, unknown>>;
    return {
      code: (payload[target.keyField] ?? null) as string | null,
      name: null,
      fingerprint: fingerprintOf(payload) ?? null,
    };
  };
  return {
    lineOf(row: SealedRow): string {
      const { row: number, line, state, id, reason, repairs, body, fields: record } = row;
      const findings = row.findings === null ? null : JSON.parse(row.findings);
      const own = identity(state, body);
      for (const key of ['code', 'name'] as const) {
        if (own !== undefined && own[key] !== row[key]) throw new RowChanged(number);
      }
      // The plan may have replaced a new item by its id since the fingerprint was made.
      const fingerprint = own?.fingerprint === row.fingerprint ? null : row.fingerprint;
      const { code, name } = own === undefined ? row : { code: null, name: null };
      const problem = reason === null ? null : problemIn(reason);
      const said = problem === null ? null : sentence(problem);
      const shown = {
        ...{ row: number, line, state, code, name, id, reason: said, problem },
        ...{ fingerprint, repairs, findings },
      };
      const members = withoutNulls(shown);
      const payload = body === null ? '' : `,"payload":${body}`;
      const source = record === null ? '' : `,"record":${JSON.stringify(record)}`;
      return `${members.slice(0, -1)}${payload}${source}}`;
    },
    rowOf(value: Readonly<Record<string, unknown>>): SealedRow {
      const { row, state, line, repairs, code, name, id, payload, record } = value;
      const { problem, findings, fingerprint } = value;
      if (!isCount(row) || row === 0) throw new Error('the number of the row is missing');
      if (!isStated(state)) throw new Error(`the state of row ${row} is unknown`);
      if (payload !== undefined && !isObject(payload))
        throw new Error(`the payload of row ${row} is not an object`);
      if (payload === undefined && !MAY_LACK_PAYLOAD.includes(state))
        throw new Error(`row ${row} has no payload`);
      const texts = [code, name, id, fingerprint, record];
      const isTyped =
        [line, repairs].every((one) => one === undefined || isCount(one)) &&
        texts.every((one) => one === undefined || typeof one === 'string') &&
        (findings === undefined || isRowFindings(findings)) &&
        (problem === undefined || isProblem(problem));
      if (!isTyped) throw new Error(`a member of row ${row} is not as proc writes it`);
      const body = payload === undefined ? null : JSON.stringify(payload);
      const own = identity(state, body) ?? { code: code ?? null, name: name ?? null };
      return {
        ...{ row, state, line: line ?? null, repairs: repairs ?? null, id: id ?? null },
        ...{ fingerprint: null, ...own, ...(fingerprint === undefined ? {} : { fingerprint }) },
        ...{ body, fields: record ?? null },
        reason: problem === undefined ? null : storedProblem(problem as Problem),
        findings: findings === undefined ? null : JSON.stringify(findings),
      } as SealedRow;
    },
  };
}

/** A row whose columns do not fit together. */
class RowChanged extends Error {
  readonly row: number;

  constructor(row: number) {
    super(`row ${row} was changed`);
    this.row = row;
  }
}

const STATES: readonly unknown[] = [
  'pending',
  'existing',
  'duplicate',
  'dropped',
  'rejected',
  'unconfirmed',
] satisfies RowState[];

function isStated(state: unknown): state is RowState {
  return STATES.includes(state);
}

export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function withoutNulls(members: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(members, (_key, value: unknown) => (value === null ? undefined : value));
}

/**
 * The digest of a statement is the root over its lines: the SHA-256 of the list of the SHA-256 sums
 * of all lines but the title. A sum is lower-case hexadecimal and ends with a line feed.
 */
export class Root {
  readonly #all = createHash('sha256');

  /** @returns the sum of the line */
  add(line: string | Buffer): string {
    const sum = hash('sha256', line, 'hex');
    this.#all.update(`${sum}\n`);
    return sum;
  }

  /** `sha256:…` */
  digest(): string {
    return `sha256:${this.#all.digest('hex')}`;
  }
}

/** A line of a staged run. `row` is the number of the row; undefined for other lines. */
export interface StatementLine {
  readonly text: string;
  readonly row?: number;
}

/** All lines but the title, in batches. @throws RowChanged */
export function* statementLines(
  run: Run,
  sealed: Omit<SealedPlan, 'digest'>,
  lines = rowLines(targetOf(run.header.noun)),
): Generator<readonly StatementLine[]> {
  const { header } = run;
  const counts = Object.fromEntries([...run.rows.sealed.counts()].sort());
  yield headerLines(statementHeader(header, sealed, counts)).map((text) => ({ text }));
  for (const references of run.rows.sealed.references()) {
    yield references.map((one) => ({ text: referenceLine(one) }));
  }
  for (const rows of run.rows.sealed.rows()) {
    yield rows.map((row) => ({ text: lines.lineOf(row), row: row.row }));
  }
}

/** Rows that are read and checked at once. Their sums are kept as one: a run may have a million. */
const BLOCK = 256;

/** Other rows are never sent. A person can decide that an unconfirmed row is sent again. */
const SENDABLE = ['pending', 'unconfirmed'];

/** `sha256:…` */
export function digestOf(run: Run, sealed: Omit<SealedPlan, 'digest'>): string {
  const root = new Root();
  for (const lines of statementLines(run, sealed)) for (const { text } of lines) root.add(text);
  return root.digest();
}

/** Whether the rows of a run make the statement with this digest. */
export function hasDigest(run: Run, sealed: SealedPlan): boolean {
  try {
    return digestOf(run, sealed) === sealed.digest;
  } catch (thrown) {
    if (thrown instanceof RowChanged) return false;
    throw thrown;
  }
}

/**
 * The saved plan of a staged run. All its rows are checked against its digest.
 *
 * @throws ProcError `plan_changed`
 */
export function sealedOf(run: Run): SealedPlan {
  return checkedPlan(run, rowLines(targetOf(run.header.noun))).sealed;
}

/** @returns also the sum of each block of rows */
function checkedPlan(run: Run, lines: RowLines) {
  const { header } = run;
  const sealed = run.get('sealed');
  const sums = new Map<number, string>();
  const root = new Root();
  try {
    if (sealed === undefined) throw planChanged(header, undefined);
    for (const some of statementLines(run, sealed, lines)) {
      for (const { text, row } of some) {
        const sum = root.add(text);
        if (row !== undefined) fold(sums, row, sum);
      }
    }
  } catch (thrown) {
    throw thrown instanceof RowChanged ? planChanged(header, sealed?.digest, thrown.row) : thrown;
  }
  if (root.digest() !== sealed.digest) throw planChanged(header, sealed.digest);
  return { sealed, sums };
}

/**
 * The bodies of a staged run, as JSON text. All rows are checked against the digest at once, and each
 * block of rows again before the first of them is sent: the file may be changed meanwhile.
 *
 * @throws ProcError `plan_changed`, also from the functions of the result
 */
export function sealedBodies(run: Run): Bodies {
  const { header } = run;
  const lines = rowLines(targetOf(header.noun));
  const { sums } = checkedPlan(run, lines);
  let current = -1;
  let bodies: ReadonlyMap<number, string> = new Map();
  const read = (block: number): void => {
    const [first, last] = [block * BLOCK + 1, (block + 1) * BLOCK];
    const found = new Map<number, string>();
    const own = new Map<number, string>();
    try {
      for (const one of run.rows.sealed.between(first, last)) {
        fold(found, one.row, hash('sha256', lines.lineOf(one), 'hex'));
        if (one.body !== null && SENDABLE.includes(one.state)) own.set(one.row, one.body);
      }
    } catch (thrown) {
      throw thrown instanceof RowChanged ? rowsChanged(header, thrown.row, thrown.row) : thrown;
    }
    if (found.get(block) !== sums.get(block)) throw rowsChanged(header, first, last);
    current = block;
    bodies = own;
  };
  return {
    of(row) {
      if (blockOf(row) !== current) read(blockOf(row));
      const body = bodies.get(row);
      if (body !== undefined) return body;
      throw rowsChanged(header, row, row);
    },
  };
}

function blockOf(row: number): number {
  return Math.floor((row - 1) / BLOCK);
}

/** Makes one sum of the sums of the rows of a block. */
function fold(sums: Map<number, string>, row: number, sum: string): void {
  const block = blockOf(row);
  sums.set(block, hash('sha256', `${sums.get(block) ?? ''}${sum}`, 'hex'));
}

function planChanged(header: RunHeader, digest: string | undefined, row?: number): ProcError {
  const { run } = header;
  const changed =
    row === undefined
      ? `the saved rows of ${run} do not give the digest of its statement: they were changed`
      : `row ${row} of ${run} is not as it was staged: it was changed`;
  const message = `${changed}, or the state folder is damaged`;
  return new ProcError('plan_changed', message, {
    hint: stageAgainHint(header),
    details: { run, digest: digest ?? null },
  });
}

function rowsChanged({ run }: RunHeader, first: number, last: number): ProcError {
  const isOne = first === last;
  return new ProcError(
    'plan_changed',
    `${isOne ? `row ${first}` : `a row from ${first} to ${last}`} of ${run} was changed after sending began, so it was not sent`,
    {
      hint: stillToSend(run),
      details: { run, first, last },
    },
  );
}

export function stillToSend(run: string): string {
  const command = `proc imports rows ${inShell(run)} --state pending`;
  return `See which rows are still to be sent: ${command}`;
}

export function stageAgainHint({ run, noun, source }: RunHeader): string {
  const file = source.name === 'standard input' ? '-' : inShell(source.name);
  const discard = `proc imports discard ${inShell(run)}`;
  const again = `proc ${noun} import ${file} --stage`;
  return `Discard the run: ${discard}. Then stage its file again with the same flags: ${again}`;
}
