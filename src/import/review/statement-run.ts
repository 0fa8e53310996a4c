import { join, resolve } from 'node:path';
import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import { inShell } from '../../core/text/typed.ts';
import { show } from '../../core/validate.ts';
import type { SendFlags } from '../import-flags.ts';
import { NEXT } from '../phases.ts';
import { checkDestination } from '../resume/run-destination.ts';
import { requireLedger } from '../start/import-request.ts';
import type { RunHeader, SealedPlan } from '../store/facts.ts';
import { Run } from '../store/run-file.ts';
import { findKnownRun, findRun, headerOfRun, importsFolder, runPath } from '../store/runs.ts';
import { statedRows } from '../store/staged-rows.ts';
import type { ImportTarget } from '../targets/import-target.ts';
import { newPreview, withNewRun, withRun } from '../with-run.ts';
import { openWorkplace } from '../workplace.ts';
import {
  readStatement,
  readTitle,
  refusedStatement,
  type StatementBody,
} from './read-statement.ts';
import { digestOf, sealedOf } from './sealed-bodies.ts';
import { STATEMENT_EXTENSION, type StatementHeader } from './statement.ts';

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
  if (digestOf(run, sealed) !== sealed.digest) {
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
