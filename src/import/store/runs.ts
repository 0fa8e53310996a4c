import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ProcError } from '../../core/errors.ts';
import { nearest } from '../../core/text/nearest.ts';
import { hasLedger, isShared, ledgerFolder } from '../../ledger/open-ledger.ts';
import type { RunHeader } from './facts.ts';
import { damaged, isElsewhere } from './ledger-failure.ts';
import { stateFolderOf } from './run-database.ts';
import { type KnownRun, known, ledgerOf, Run } from './run-file.ts';
import type { RunState } from './run-summary.ts';
import { noCounts } from './transitions.ts';

export function importsFolder(self: Parameters<typeof ledgerFolder>[0]): string {
  return join(ledgerFolder(self), 'imports');
}

export function runPath(folder: string, run: string): string {
  return join(folder, `${run}.db`);
}

/**
 * Names of all runs, oldest first. Includes runs that only have a file and are not in the ledger: a
 * ledger that was lost leaves the files of its runs behind.
 */
export async function runNames(folder: string): Promise<string[]> {
  return (await runsIn(folder)).map(({ name }) => name);
}

interface NamedRun {
  readonly name: string;
  readonly known: KnownRun | undefined;
}

async function runsIn(folder: string): Promise<NamedRun[]> {
  const files = new Set(runFiles(folder));
  const all = await knownRuns(folder);
  const names = new Set(all.map(({ name }) => name));
  return [
    ...all
      .filter((one) => !one.isDiscarded && (one.hasBegun || files.has(one.name)))
      .map((one) => ({ name: one.name, known: one })),
    ...[...files].filter((name) => !names.has(name)).map((name) => ({ name, known: undefined })),
    // Another machine has continued the run.
    ...all
      .filter((one) => one.isDiscarded && files.has(one.name) && isShared(dirname(folder)))
      .map(({ name }) => ({ name, known: undefined })),
  ].sort((a, b) => secondOf(a.name).localeCompare(secondOf(b.name)));
}

/** Runs of one second stay in the order of the ledger. */
function secondOf(run: string): string {
  return run.slice(0, '20260301-093000'.length);
}

async function knownRuns(folder: string): Promise<readonly KnownRun[]> {
  const stateFolder = dirname(folder);
  if (!hasLedger(stateFolder)) return [];
  const ledger = ledgerOf(stateFolder, { readOnly: true });
  try {
    return (await ledger.runs()).map((one) => known(one));
  } finally {
    ledger.close();
  }
}

function runFiles(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => /^\d{8}-\d{6}-[0-9a-f]{4}\.db$/.test(file))
    .map((file) => file.slice(0, -3));
}

/**
 * The full name of a run, from its name or its first or last characters; `last` is the newest.
 *
 * @throws ProcError `reference_not_found`, with the most similar name; `ambiguous_reference`
 */
export async function findRun(folder: string, typed: string): Promise<string> {
  const names = await runNames(folder);
  const newest = typed === 'last' ? names.at(-1) : undefined;
  if (newest !== undefined) return newest;
  const hits = names.includes(typed)
    ? [typed]
    : names.filter((name) => name.startsWith(typed) || name.endsWith(typed));
  if (hits.length === 1) return hits[0]!;
  if (hits.length > 1) {
    throw new ProcError('ambiguous_reference', `"${typed}" matches ${hits.length} runs`, {
      hint: 'Give more of the name. To list all runs: proc imports list',
      details: { candidates: hits },
    });
  }
  const near = nearest(typed, names);
  if (typed === 'last') throw new ProcError('reference_not_found', 'there are no import runs');
  throw new ProcError('reference_not_found', `there is no import run "${typed}"`, {
    hint: near === undefined ? 'List all runs: proc imports list' : `Did you mean ${near}?`,
  });
}

interface RemovableRun {
  readonly header: RunHeader;
  readonly hasBegun: boolean;
}

/** Runs that have sent nothing, or whose removal a kill has interrupted; with a shared ledger, those whose file is here. */
export async function removableRuns(folder: string): Promise<readonly RemovableRun[]> {
  const files = isShared(dirname(folder)) ? new Set(runFiles(folder)) : undefined;
  return (await knownRuns(folder)).flatMap(({ name, isDiscarded, hasBegun, header }) =>
    header !== undefined && (isDiscarded || !hasBegun) && files?.has(name) !== false
      ? [{ header, hasBegun }]
      : [],
  );
}

/** The header of a run, from the ledger. Undefined if the ledger does not have it. */
export async function headerOfRun(folder: string, run: string): Promise<RunHeader | undefined> {
  return (await findKnownRun(folder, run))?.header;
}

export async function findKnownRun(folder: string, run: string): Promise<KnownRun | undefined> {
  return (await knownRuns(folder)).find(({ name }) => name === run);
}

/** Calls `onDamaged` for each run that cannot be read. Leaves out undefined results. */
export async function eachRun<T>(
  folder: string,
  look: (run: RunState) => T | undefined,
  onDamaged: (run: string, error: ProcError) => T | undefined = () => undefined,
): Promise<T[]> {
  if (!hasLedger(dirname(folder))) return [];
  const found: T[] = [];
  for (const { name, known: run } of await runsIn(folder)) {
    try {
      const seen = await stateIn(folder, name, run, look);
      if (seen !== undefined) found.push(seen);
    } catch (thrown) {
      if (!(thrown instanceof ProcError)) throw thrown;
      const seen = onDamaged(name, thrown);
      if (seen !== undefined) found.push(seen);
    }
  }
  return found;
}

async function stateIn<T>(
  folder: string,
  name: string,
  run: KnownRun | undefined,
  look: (run: RunState) => T,
): Promise<T> {
  const path = runPath(folder, name);
  if (run !== undefined && isElsewhere(path)) return look(await stateElsewhere(run, path));
  return run?.counts === undefined ? lookInto(path, look) : look(knownState(run, path));
}

/** A run whose file is on another machine, as far as the shared ledger knows it; undefined for other runs. */
export async function findElsewhere(folder: string, name: string): Promise<RunState | undefined> {
  const path = runPath(folder, name);
  const run = isElsewhere(path) ? await findKnownRun(folder, name) : undefined;
  return run === undefined ? undefined : stateElsewhere(run, path);
}

async function stateElsewhere(run: KnownRun, path: string): Promise<RunState> {
  const { header, phase } = run;
  if (header === undefined) throw damaged(path);
  let { counts } = run;
  if (counts === undefined) {
    const ledger = ledgerOf(stateFolderOf(path));
    const created = await ledger.count(run.number, 'created');
    const parked = await ledger.count(run.number, 'maybe');
    // A process may be sending the other rows, or was killed.
    counts = { states: { ...noCounts(), created, unconfirmed: parked }, parked };
  }
  return { ...stateFrom(header, phase, counts), isElsewhere: true };
}

/** A run as its last process left it. Its file stays closed, so that a list of many runs is fast. */
function knownState({ header, phase, counts }: KnownRun, path: string): RunState {
  if (header === undefined || counts === undefined || !existsSync(path)) throw damaged(path);
  return stateFrom(header, phase, counts);
}

function stateFrom(
  header: RunHeader,
  phase: RunState['phase'],
  { states, parked }: NonNullable<KnownRun['counts']>,
): RunState {
  return {
    header,
    phase,
    isRemoved: false,
    get: () => undefined,
    counts: () => states,
    countParked: () => parked,
  };
}

async function lookInto<T>(path: string, look: (run: RunState) => T): Promise<T> {
  const run = await Run.read(path);
  try {
    return look(run);
  } finally {
    run.close();
  }
}
