import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ProcError } from '../../core/errors.ts';
import type { Env } from '../../core/ports.ts';
import { nearest } from '../../core/text/nearest.ts';
import { hasLedger, openLedger } from '../../ledger/open-ledger.ts';
import { stateDir } from '../../settings/read/paths.ts';
import { removeFiles } from './files.ts';
import { Journal } from './journal.ts';
import { discardRun, knownRuns } from './known-runs.ts';
import { journalFailure } from './ledger-failure.ts';

/** The folder of the journals. */
export function importsFolder(env: Env): string {
  return join(stateDir(env), 'imports');
}

/** The name of a new run: sorts by time and is easy to type. */
export function newRun(now: number): string {
  const time = new Date(now).toISOString().replace(/[-:T]/g, '').slice(0, 14);
  return `${time.slice(0, 8)}-${time.slice(8)}-${randomBytes(2).toString('hex')}`;
}

export function journalPath(folder: string, run: string): string {
  return join(folder, `${run}.db`);
}

/** Names of all runs, oldest first, including runs that are only known from their file. */
export function runNames(folder: string): string[] {
  const stateFolder = dirname(folder);
  if (!hasLedger(stateFolder)) return [];
  const ledger = openLedger(stateFolder, { readOnly: true });
  try {
    const files = runFiles(folder);
    const known = knownRuns(ledger);
    const all = new Set(known.map(({ name }) => name));
    return [
      ...known
        .filter((one) => !one.isDiscarded && (one.isEntered || files.includes(one.name)))
        .map(({ name }) => name),
      ...files.filter((name) => !all.has(name)),
    ].sort();
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
 * The full name of a run, from its name or its first or last characters.
 *
 * @throws ProcError `reference_not_found`, with the most similar name
 */
export function findRun(folder: string, typed: string): string {
  const names = runNames(folder);
  const hits = names.includes(typed)
    ? [typed]
    : names.filter((name) => name.startsWith(typed) || name.endsWith(typed));
  if (hits.length === 1) return hits[0]!;
  if (hits.length > 1) {
    throw new ProcError('ambiguous_reference', `"${typed}" matches ${hits.length} runs`, {
      details: { candidates: hits },
    });
  }
  const near = nearest(typed, names);
  throw new ProcError('reference_not_found', `there is no import run "${typed}"`, {
    hint: near === undefined ? 'List all runs: proc imports list' : `Did you mean ${near}?`,
  });
}

/**
 * The results of `look` for each journal, without undefined. `onDamaged` is called for journals that
 * cannot be read.
 */
export function eachRun<T>(
  folder: string,
  look: (journal: Journal) => T | undefined,
  onDamaged: (run: string, error: ProcError) => T | undefined = () => undefined,
): T[] {
  const found: T[] = [];
  for (const run of runNames(folder)) {
    const seen = oneRun(folder, run, look, onDamaged);
    if (seen !== undefined) found.push(seen);
  }
  return found;
}

function oneRun<T>(
  folder: string,
  run: string,
  look: (journal: Journal) => T | undefined,
  onDamaged: (run: string, error: ProcError) => T | undefined,
): T | undefined {
  let journal: Journal | undefined;
  try {
    journal = Journal.open(journalPath(folder, run), true);
    return look(journal);
  } catch (thrown) {
    const failure = journalFailure(journalPath(folder, run), thrown);
    if (failure instanceof ProcError) return onDamaged(run, failure);
    throw failure;
  } finally {
    journal?.close();
  }
}

/** Removes a run. If the service cannot list its noun, the ledger keeps which rows were sent. */
export function removeRun(folder: string, run: string): void {
  discardRun(dirname(folder), run, () => removeFiles(journalPath(folder, run)));
}
