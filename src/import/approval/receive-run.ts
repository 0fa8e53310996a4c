import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { LocalPlan } from '../../core/command.ts';
import { ProcError } from '../../core/errors.ts';
import { isObject } from '../../core/is-object.ts';
import type { Env, Ports } from '../../core/ports.ts';
import type { Row } from '../../core/result.ts';
import { inShell } from '../../core/text/typed.ts';
import { hasLedger, openLedger } from '../../ledger/open-ledger.ts';
import { makeFolder } from '../../store/folder.ts';
import type { Approval, SealedPlan } from '../ledger/facts.ts';
import type { RunHeader } from '../ledger/header.ts';
import { Journal } from '../ledger/journal.ts';
import { knownRun } from '../ledger/known-runs.ts';
import { journalFailure } from '../ledger/ledger-failure.ts';
import { lockImport } from '../ledger/processes/import-lock.ts';
import { openWorkplace } from '../ledger/processes/workplace.ts';
import type { SealedReference, SealedRow } from '../ledger/run-file/sealed-rows.ts';
import { summary } from '../ledger/run-summary.ts';
import { importsFolder, journalPath } from '../ledger/runs.ts';
import { spool } from '../source/bytes/spool.ts';
import { IMPORT_TARGETS } from '../targets/all-targets.ts';
import { shapeOf } from '../targets/import-target.ts';
import {
  canonicalHeader,
  digestOf,
  FORMAT,
  FORMAT_VERSION,
  headerLine,
  sealedOf,
} from './canonical-form.ts';
import { readExported } from './read-exported.ts';
import { check } from './ssh-keygen.ts';
import { differenceOf, subjectOf } from './statement.ts';

const PER_COMMIT = 2_000;

interface Described {
  readonly header: RunHeader;
  readonly sealed: SealedPlan;
  readonly approvals: readonly Approval[];
  readonly counts: ReadonlyMap<string, number>;
  readonly from: string;
}

type Put = (rows: readonly SealedRow[], references: readonly SealedReference[]) => void;

/**
 * Receives a staged run that another machine has exported. If this machine already has the run,
 * only adds missing approvals. Everything is checked before anything is written.
 *
 * @throws ProcError `invalid_input`, which names the line; `plan_changed` if this machine has
 *   another plan under the same name
 */
export async function planReceive(file: string, ports: Ports<'io' | 'self'>): Promise<LocalPlan> {
  if (file !== '-') return planFrom(resolve(ports.self.cwd, file), file, ports);
  // The file is read twice, but standard input can be read only once.
  const workplace = openWorkplace(importsFolder(ports.self.env), true);
  try {
    const { path } = await spool(ports.io.streams.stdin, workplace.folder);
    const plan = await planFrom(path, 'standard input', ports);
    const { would, apply } = plan;
    const lastly =
      <T>(work: () => T | Promise<T>) =>
      async (): Promise<T> => {
        using _removed = workplace;
        return await work();
      };
    return { would: lastly(would), apply: lastly(apply) };
  } catch (thrown) {
    workplace[Symbol.dispose]();
    throw thrown;
  }
}

async function planFrom(
  path: string,
  file: string,
  ports: Ports<'io' | 'self'>,
): Promise<LocalPlan> {
  const { env, cwd, clock, signal } = ports.self;
  const described = readAll(path, file, cwd);
  await checkApprovals(described, file, env);
  const { header } = described;
  const folder = importsFolder(env);
  const own = journalPath(folder, header.run);
  return {
    would: () => result(described, ownState(folder, header.run), 0),
    async apply() {
      makeFolder(folder);
      const lock = await lockImport({ folder, ...header }, { clock, signal, run: header.run });
      try {
        const state = ownState(folder, header.run);
        if (state === 'discarded') throw wasDiscarded(header.run);
        if (state === 'unknown') create(own, path, file, described, cwd);
        const added = addApprovals(own, described);
        return result(described, state, added);
      } catch (thrown) {
        throw journalFailure(own, thrown);
      } finally {
        lock.release();
      }
    },
  };
}

type OwnState = 'unknown' | 'known' | 'discarded';

/** A run that was received only in part counts as unknown. */
function ownState(folder: string, run: string): OwnState {
  const stateFolder = dirname(folder);
  const path = journalPath(folder, run);
  if (!hasLedger(stateFolder)) return existsSync(path) ? 'known' : 'unknown';
  const ledger = openLedger(stateFolder, { readOnly: true });
  try {
    if (knownRun(ledger, run)?.isDiscarded === true) return 'discarded';
  } finally {
    ledger.close();
  }
  if (!existsSync(path)) return 'unknown';
  const journal = Journal.open(path, true);
  try {
    return summary(journal).left === 'receive' ? 'unknown' : 'known';
  } finally {
    journal.close();
  }
}

function result({ header, sealed, approvals, from }: Described, state: OwnState, added: number) {
  const { run, noun, baseUrl, organization, source } = header;
  const value: Row = {
    ...{ run, received: state === 'unknown', noun, source: source.name, baseUrl },
    ...{ organization: organization ?? null, digest: sealed.digest, from },
    ...{ approvals: approvals.length, added },
  };
  return { kind: 'record', idField: 'run', value } as const;
}

/** Reads and checks the whole file, and passes its rows and references to `put`. */
function readAll(path: string, name: string, cwd: string, put?: Put): Described {
  let header: RunHeader | undefined;
  let sealed: SealedPlan | undefined;
  let from = '';
  const approvals: Approval[] = [];
  const counts = new Map<string, number>();
  let rows: SealedRow[] = [];
  let references: SealedReference[] = [];
  const flush = (): void => {
    put?.(rows, references);
    rows = [];
    references = [];
  };
  for (const line of readExported(path, name)) {
    if (line.kind === 'header')
      ({ header, sealed } = headerIn(line.value, line.text, { name, path, cwd }));
    else if (line.kind === 'row') {
      rows.push(line.row);
      counts.set(line.row.state, (counts.get(line.row.state) ?? 0) + 1);
    } else if (line.kind === 'reference') {
      checkField(line.reference.field, header!, name);
      references.push(line.reference);
    } else if (line.kind === 'approval') approvals.push(line.approval);
    else if (line.kind === 'exported') ({ from } = line);
    else if (line.kind === 'digest') {
      if (line.digest !== line.computed) {
        throw bad(name, 'the run was changed after it was staged: its digest does not match');
      }
      sealed = { ...sealed!, digest: line.digest };
    }
    if (rows.length + references.length >= PER_COMMIT) flush();
  }
  flush();
  return { header: header!, sealed: sealed!, approvals, counts, from };
}

function headerIn(
  value: Readonly<Record<string, unknown>>,
  text: string,
  { name, path, cwd }: { readonly name: string; readonly path: string; readonly cwd: string },
): { header: RunHeader; sealed: SealedPlan } {
  if (value.format !== FORMAT) throw bad(name, 'this is not an exported run');
  if (value.formatVersion !== FORMAT_VERSION) {
    throw bad(name, `it is from another version of proc (${String(value.version)})`);
  }
  const { run, noun, service, organization, profile, environment, source, mapping } = value;
  const { groupBy, repairs, choices, startedAt, stagedAt, version, dialect } = value;
  const { createAgain, findings, fileProblem } = value;
  const texts = { run, noun, service, startedAt, stagedAt, version };
  for (const [key, one] of Object.entries(texts)) {
    if (typeof one !== 'string') throw bad(name, `line 1: ${key} is missing`);
  }
  if (!/^\d{8}-\d{6}-[0-9a-f]{4}$/.test(run as string)) {
    throw bad(name, `line 1: ${JSON.stringify(run)} is not the name of a run`);
  }
  if (!IMPORT_TARGETS.some((target) => target.noun === noun)) {
    throw bad(name, `line 1: this version of proc does not import ${JSON.stringify(noun)}`);
  }
  if (!URL.canParse(service as string)) throw bad(name, 'line 1: service is not an address');
  const isMapping = isObject(mapping) && isObject(mapping.fields);
  if (!isObject(source) || !isObject(choices) || !isMapping || !isObject(dialect)) {
    throw bad(name, 'line 1: source, choices, mapping or dialect is missing');
  }
  if (typeof source.name !== 'string') throw bad(name, 'line 1: the name of the source is missing');
  const header = {
    ...{ run, noun, profile, environment, baseUrl: service, organization },
    // The path is empty, because the source is a file of the other machine.
    source: { ...source, path: '' },
    ...{ mapping, choices, groupBy, repairs, startedAt, isStaged: true },
    rejectedFile: join(cwd, `${run as string}.rejected.csv`),
    resultsFile: undefined,
    receivedFile: name === 'standard input' ? '-' : path,
  } as unknown as RunHeader;
  const sealed = {
    ...{ digest: '', at: stagedAt, version, dialect, createAgain, findings, fileProblem },
  } as unknown as SealedPlan;
  if (headerLine(canonicalHeader(header, sealed)) !== text) {
    throw bad(name, 'line 1: the line was changed: proc writes it in another form');
  }
  return { header, sealed };
}

/** First removes what an earlier attempt may have left of the run. */
function create(own: string, path: string, name: string, found: Described, cwd: string): void {
  if (existsSync(own)) Journal.open(own).discard();
  const journal = Journal.create(own, found.header, true);
  try {
    journal.note({ receivedFrom: found.from });
    journal.sealed.clearReferences();
    const add = journal.receiving();
    const again = readAll(path, name, cwd, (rows, references) =>
      journal.commit(() => {
        add(rows);
        for (const one of references) journal.sealed.noteReference(one, one.uses);
      }),
    );
    journal.addIndexes();
    const { digest } = found.sealed;
    // The file may have changed since the check.
    if (again.sealed.digest !== digest || digestOf(journal, found.sealed) !== digest) {
      throw bad(name, 'the file changed while it was read');
    }
    const { sealed } = found;
    journal.note({
      ...{ phase: 'staged', sealed, findings: sealed.findings, fileProblem: sealed.fileProblem },
    });
  } catch (thrown) {
    journal.discard();
    throw thrown;
  }
  journal.close();
}

/** Refuses a reference in a field without references: `imports send` could not look it up again. */
function checkField(field: string, { noun, groupBy }: RunHeader, name: string): void {
  const target = IMPORT_TARGETS.find((one) => one.noun === noun)!;
  const { references = [] } = shapeOf(target, groupBy);
  if (references.some((one) => one.field === field)) return;
  throw bad(name, `${JSON.stringify(field)} is not a reference of ${noun}`);
}

/** @throws ProcError `invalid_input` if an approval is for another run or has an invalid signature */
async function checkApprovals(
  { header, sealed, approvals, counts }: Described,
  name: string,
  env: Env,
): Promise<void> {
  const subject = subjectOf(header, sealed, counts);
  for (const [at, one] of approvals.entries()) {
    const difference = differenceOf(one.statement, subject);
    if (difference !== undefined) throw bad(name, `approval ${at + 1} ${difference}`);
    const checked = await check(one.statement, one.signature, env);
    if (!checked.isValid) {
      throw bad(name, `approval ${at + 1} has no valid signature: ${checked.problem}`);
    }
  }
}

/** @returns number of approvals that the run did not have */
function addApprovals(own: string, { header: { run }, sealed, approvals }: Described): number {
  const journal = Journal.open(own);
  try {
    if (sealedOf(journal).digest !== sealed.digest) throw otherPlan(run);
    if (summary(journal).left === 'nothing') return 0;
    const known = journal.get('approvals') ?? [];
    const fresh = approvals.filter(
      (one, at) =>
        ![...known, ...approvals.slice(0, at)].some(({ signature }) => signature === one.signature),
    );
    if (fresh.length > 0) journal.note({ approvals: [...known, ...fresh] });
    return fresh.length;
  } finally {
    journal.close();
  }
}

function bad(name: string, why: string): ProcError {
  return new ProcError('invalid_input', `${name}: ${why}`, {
    hint: 'Export the run again where it was staged: proc imports export RUN --out FILE',
  });
}

function otherPlan(run: string): ProcError {
  return new ProcError(
    'plan_changed',
    `this machine already has a run named ${run}, with another plan`,
    {
      hint: `See it: proc imports show ${inShell(run)}`,
      details: { run },
    },
  );
}

function wasDiscarded(run: string): ProcError {
  return new ProcError('invalid_usage', `${run} was sent from this machine and discarded`, {
    hint: 'To send its rows again, stage the source file again',
    details: { run },
  });
}
