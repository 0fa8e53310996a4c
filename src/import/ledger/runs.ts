import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { ProcError } from '../../core/errors.ts';
import type { Env } from '../../core/ports.ts';
import { nearest } from '../../core/text/nearest.ts';
import { emptyLedger, hasLedger, openLedger } from '../../ledger/open-ledger.ts';
import { stateDir } from '../../settings/read/paths.ts';
import type { RunHeader } from './header.ts';
import { Journal } from './journal.ts';
import { type KnownRun, knownRun, knownRuns } from './known-runs.ts';
import { journalFailure } from './ledger-failure.ts';
import { LedgerRun } from './ledger-run.ts';
import type { RunState } from './run-state.ts';

export function importsFolder(env: Env): string {
  return join(stateDir(env), 'imports');
}

export function journalPath(folder: string, run: string): string {
  return join(folder, `${run}.db`);
}

/**
 * Names of all runs, oldest first. Includes runs that only have a file and are not in the ledger.
 */
export function runNames(folder: string): string[] {
  const names = (ledger: DatabaseSync) => runsIn(folder, ledger).map(({ name }) => name);
  const known = withLedger(folder, names);
  if (known !== undefined || !existsSync(folder)) return known ?? [];
  // A ledger that was lost leaves the files of its runs behind.
  using none = emptyLedger();
  return names(none);
}

/** Undefined if the state folder has neither a ledger nor files of earlier versions. */
function withLedger<T>(folder: string, work: (ledger: DatabaseSync) => T): T | undefined {
  const stateFolder = dirname(folder);
  if (!hasLedger(stateFolder)) return undefined;
  const ledger = openLedger(stateFolder, { readOnly: true });
  try {
    return work(ledger);
  } finally {
    ledger.close();
  }
}

interface NamedRun {
  readonly name: string;
  readonly known: KnownRun | undefined;
}

function runsIn(folder: string, ledger: DatabaseSync): NamedRun[] {
  const files = new Set(runFiles(folder));
  const known = knownRuns(ledger);
  const all = new Set(known.map(({ name }) => name));
  return [
    ...known
      .filter((one) => !one.isDiscarded && (one.isEntered || files.has(one.name)))
      .map((one) => ({ name: one.name, known: one })),
    ...[...files].filter((name) => !all.has(name)).map((name) => ({ name, known: undefined })),
  ].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function runFiles(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => /^\d{8}-\d{6}-[0-9a-f]{4}\.db$/.test(file))
    .map((file) => file.slice(0, -3));
}

/**
 * The full name of a run, from its name or its first or last characters.
 *
 * @throws ProcError `reference_not_found`, with the most similar name; `ambiguous_reference`
 */
export function findRun(folder: string, typed: string): string {
  const names = runNames(folder);
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
  throw new ProcError('reference_not_found', `there is no import run "${typed}"`, {
    hint: near === undefined ? 'List all runs: proc imports list' : `Did you mean ${near}?`,
  });
}

/** The header of a run, from the ledger. Undefined if the ledger does not have it. */
export function headerOfRun(folder: string, run: string): RunHeader | undefined {
  return findKnownRun(folder, run)?.header;
}

export function findKnownRun(folder: string, run: string): KnownRun | undefined {
  return withLedger(folder, (ledger) => knownRun(ledger, run));
}

/** Calls `onDamaged` for each run that cannot be read. Leaves out undefined results. */
export function eachRun<T>(
  folder: string,
  look: (run: RunState) => T | undefined,
  onDamaged: (run: string, error: ProcError) => T | undefined = () => undefined,
): T[] {
  const found = withLedger(folder, (ledger) =>
    runsIn(folder, ledger).map(({ name, known }) => {
      const path = journalPath(folder, name);
      try {
        return known?.isEntered === true
          ? look(new LedgerRun(ledger, known, path))
          : lookInto(path, look);
      } catch (thrown) {
        const failure = journalFailure(path, thrown);
        if (failure instanceof ProcError) return onDamaged(name, failure);
        throw failure;
      }
    }),
  );
  return (found ?? []).filter((seen) => seen !== undefined);
}

function lookInto<T>(path: string, look: (run: RunState) => T): T {
  const journal = Journal.read(path);
  try {
    return look(journal);
  } finally {
    journal.close();
  }
}
