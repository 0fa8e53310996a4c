import { createHash } from 'node:crypto';
import { ProcError } from '../../core/errors.ts';
import type { SealedPlan } from '../ledger/facts.ts';
import type { RunHeader } from '../ledger/header.ts';
import type { Journal } from '../ledger/journal.ts';
import type { SealedReference, SealedRow } from '../ledger/run-file/sealed-rows.ts';
import { stageAgainHint } from './stage-again-hint.ts';

/** Name and version of the canonical form. Raise the version with every change of that form. */
const FORMAT = 'proc-staged-import';
const FORMAT_VERSION = 1;

/**
 * The first line of the canonical form: the staged run without rows, references and paths of this
 * machine.
 */
interface CanonicalHeader extends Omit<SealedPlan, 'digest' | 'at'> {
  readonly format: typeof FORMAT;
  readonly formatVersion: number;
  readonly run: string;
  readonly noun: string;
  /** The base URL. */
  readonly service: string;
  readonly organization?: string | undefined;
  readonly profile?: string | undefined;
  readonly environment?: string | undefined;
  readonly source: Omit<RunHeader['source'], 'path'>;
  readonly groupBy?: string | undefined;
  readonly repairs?: string | undefined;
  readonly choices: RunHeader['choices'];
  readonly mapping: unknown;
  readonly startedAt: string;
  readonly stagedAt: string;
}

/** The digest depends on the order of these members. Undefined members are left out. */
function canonicalHeader(
  header: RunHeader,
  { at, version, dialect, findings, fileProblem }: Omit<SealedPlan, 'digest'>,
): CanonicalHeader {
  const { path: _path, ...source } = header.source;
  return {
    format: FORMAT,
    formatVersion: FORMAT_VERSION,
    version,
    run: header.run,
    noun: header.noun,
    service: header.baseUrl,
    organization: header.organization,
    profile: header.profile,
    environment: header.environment,
    source,
    groupBy: header.groupBy,
    repairs: header.repairs,
    choices: header.choices,
    mapping: header.mapping,
    dialect,
    findings,
    fileProblem,
    startedAt: header.startedAt,
    stagedAt: at,
  };
}

/** The payload is JSON text inside a string, because exactly this text will be sent. */
function rowLine(row: SealedRow): string {
  const { body: payload, fields: record, ...rest } = row;
  return lineOf({ ...orderedRow(rest), payload, record });
}

function orderedRow(row: Omit<SealedRow, 'body' | 'fields'>) {
  const { row: number, line, state, code, name, id, reason, fingerprint, repairs } = row;
  return { row: number, line, state, code, name, id, reason, fingerprint, repairs };
}

function referenceLine(one: SealedReference): string {
  const { field: reference, typed, value, copied, row, uses } = one;
  return lineOf({ reference, typed, value, copied, row, uses });
}

/** A JSON object without members that are null, and a line feed. */
function lineOf(members: Readonly<Record<string, unknown>>): string {
  return `${JSON.stringify(members, (_key, value: unknown) => (value === null ? undefined : value))}\n`;
}

function headerLine(header: CanonicalHeader): string {
  return `${JSON.stringify(header)}\n`;
}

/** The canonical form of a staged run, in pieces. `docs/review.md` describes it. */
function* canonicalForm(journal: Journal, sealed: Omit<SealedPlan, 'digest'>): Generator<string> {
  yield headerLine(canonicalHeader(journal.header, sealed));
  for (const rows of journal.sealed.rows()) yield rows.map(rowLine).join('');
  for (const references of journal.sealed.references()) {
    yield references.map(referenceLine).join('');
  }
}

export function digestOf(journal: Journal, sealed: Omit<SealedPlan, 'digest'>): string {
  const hash = createHash('sha256');
  for (const piece of canonicalForm(journal, sealed)) hash.update(piece);
  return hash.digest('hex');
}

/**
 * @throws ProcError `plan_changed` if the digest of the saved rows differs from the digest in the
 *   plan
 */
export function sealedOf(journal: Journal): SealedPlan {
  const sealed = journal.get('sealed');
  const { run } = journal.header;
  if (sealed !== undefined && digestOf(journal, sealed) === sealed.digest) return sealed;
  throw new ProcError(
    'plan_changed',
    `the saved rows of ${run} do not match the digest of the staged plan: they were changed, or the state folder is damaged`,
    {
      hint: stageAgainHint(journal.header),
      details: { run, digest: sealed?.digest ?? null },
    },
  );
}
