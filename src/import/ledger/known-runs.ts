import type { DatabaseSync } from 'node:sqlite';
import { serviceOf } from '../../core/scope.ts';
import { RUN_SPAN } from '../../ledger/ledger-schema.ts';
import { openLedger } from '../../ledger/open-ledger.ts';
import { FIRST_PHASE, NEXT, type Phase, phaseChanged, STEPS, type Step } from '../phases.ts';
import type { RunHeader } from './header.ts';

/** Number of rows in one transaction. Between two transactions, other processes can write. */
export const ROWS_AT_ONCE = 5_000;

export interface KnownRun {
  readonly number: number;
  readonly name: string;
  readonly phase: Phase;
  readonly generation: number;
  /** The rows are in the ledger, so some may have been sent. */
  readonly isEntered: boolean;
  /** Of a discarded run, the ledger keeps only rows that a later write could repeat. */
  readonly isDiscarded: boolean;
  /** Undefined if the run is completely discarded. */
  readonly header: RunHeader | undefined;
}

const COLUMNS = 'number, name, phase, generation, is_entered, is_discarded, header';

export function knownRuns(database: DatabaseSync): KnownRun[] {
  return database.prepare(`SELECT ${COLUMNS} FROM runs`).all().map(knownOf);
}

export function knownRun(database: DatabaseSync, name: string): KnownRun | undefined {
  const found = database.prepare(`SELECT ${COLUMNS} FROM runs WHERE name = ?`).get(name);
  return found === undefined ? undefined : knownOf(found);
}

function knownOf(stored: Readonly<Record<string, unknown>>): KnownRun {
  const { number, name, is_entered: isEntered, is_discarded: isDiscarded, header } = stored;
  return {
    number: Number(number),
    name: name as string,
    phase: stored.phase as Phase,
    generation: Number(stored.generation),
    isEntered: isEntered === 1,
    isDiscarded: isDiscarded === 1,
    header: header === null ? undefined : (JSON.parse(header as string) as RunHeader),
  };
}

/** What a process needs to write a run: it must be the last one that opened the run for writing. */
export type Claim = Pick<KnownRun, 'name' | 'number' | 'generation'>;

/** Adds a new run to the ledger, opened for writing. */
export function registerRun(stateFolder: string, header: RunHeader): KnownRun {
  const ledger = openLedger(stateFolder);
  try {
    const { run, noun, baseUrl, organization = null } = header;
    const added = ledger
      .prepare(
        `INSERT INTO runs (name, noun, service, organization, phase, header)
          VALUES (?, ?, ?, ?, ?, ?) RETURNING ${COLUMNS}`,
      )
      .get(run, noun, serviceOf(baseUrl), organization, FIRST_PHASE, JSON.stringify(header));
    return knownOf(added!);
  } finally {
    ledger.close();
  }
}

/**
 * Opens a run for writing: from now on, no process that opened it earlier can write it.
 *
 * @returns undefined if the ledger does not have the run, or it is discarded
 */
export function claimRun(stateFolder: string, name: string): KnownRun | undefined {
  const ledger = openLedger(stateFolder);
  try {
    const claimed = ledger
      .prepare(
        `UPDATE runs SET generation = generation + 1
          WHERE name = ? AND header IS NOT NULL AND NOT is_discarded RETURNING ${COLUMNS}`,
      )
      .get(name);
    return claimed === undefined ? undefined : knownOf(claimed);
  } finally {
    ledger.close();
  }
}

/**
 * Must be called in the transaction of each write. So a write is made either before another process
 * opens the run for writing, or never.
 *
 * @param step the run must be in a phase from which this step leads
 * @throws ProcError `phase_changed`
 */
export function checkClaim(
  ledger: DatabaseSync,
  { name, number, generation }: Claim,
  step?: Step,
): void {
  const found = ledger
    .prepare('SELECT phase FROM runs WHERE number = ? AND generation = ?')
    .get(number, generation);
  const from: readonly Phase[] | undefined = step === undefined ? undefined : STEPS[step].from;
  const isOurs = found !== undefined && from?.includes(found.phase as Phase) !== false;
  if (!isOurs) throw phaseChanged(name);
}

/**
 * Changes the phase of a run by compare-and-set. Must be called in a transaction.
 *
 * @throws ProcError `phase_changed`; nothing was changed
 */
export function moveRun(ledger: DatabaseSync, claim: Claim, step: Step): void {
  checkClaim(ledger, claim, step);
  ledger.prepare('UPDATE runs SET phase = ? WHERE number = ?').run(STEPS[step].to, claim.number);
}

/** Rows that stay after a run is discarded. So proc notices if a later write repeats them. */
const IS_KEPT = `fingerprint IS NOT NULL AND repaired_by IS NULL
  AND (state IN ('sending', 'unconfirmed') AND sent_at IS NOT NULL OR state IN ('created', 'dropped'))`;

/**
 * If the service has no list of the noun, sent rows stay in the ledger. An entered run is first
 * marked as discarded: after a kill, `completeDiscards` does the rest. A process that is still
 * writing the run can write no more.
 */
export function discardRun(stateFolder: string, name: string, removeItsFile: () => void): void {
  const ledger = openLedger(stateFolder);
  try {
    const found = ledger
      .prepare(
        `UPDATE runs SET generation = generation + 1, is_discarded = is_entered
          WHERE name = ? RETURNING number, phase`,
      )
      .get(name);
    removeItsFile();
    if (found === undefined) return;
    const keepsSent = NEXT[found.phase as Phase].discard === 'keep sent rows';
    removeRows(ledger, Number(found.number), keepsSent);
  } finally {
    ledger.close();
  }
}

export function completeDiscards(stateFolder: string, removeFile: (run: string) => void): void {
  const ledger = openLedger(stateFolder);
  try {
    for (const { number, name, isDiscarded, header } of knownRuns(ledger)) {
      if (!isDiscarded || header === undefined) continue;
      removeFile(name);
      removeRows(ledger, number, true);
    }
  } finally {
    ledger.close();
  }
}

function removeRows(ledger: DatabaseSync, number: number, keepsSent: boolean): void {
  removeRowsOf(ledger, number, keepsSent ? `NOT (${IS_KEPT})` : 'true');
  ledger.exec('BEGIN IMMEDIATE');
  ledger.prepare("DELETE FROM facts WHERE run = ? AND key <> 'keyMark'").run(number);
  ledger.prepare('UPDATE runs SET header = NULL WHERE number = ?').run(number);
  ledger
    .prepare(
      `DELETE FROM runs WHERE number = ?
        AND NOT EXISTS (SELECT 1 FROM rows WHERE key > ? * ${RUN_SPAN} AND key < (? + 1) * ${RUN_SPAN})`,
    )
    .run(number, number, number);
  ledger.exec('COMMIT');
}

/** @param inTransaction runs each batch; other processes can write between two batches */
export function removeRowsOf(
  ledger: DatabaseSync,
  number: number,
  which = 'true',
  inTransaction: (work: () => void) => void = (work) => work(),
): void {
  const next = ledger.prepare(
    `SELECT max(key) AS last FROM (SELECT key FROM main.rows WHERE key > ? AND key < ? ORDER BY key LIMIT ${ROWS_AT_ONCE})`,
  );
  const remove = ledger.prepare(`DELETE FROM main.rows WHERE key > ? AND key <= ? AND ${which}`);
  const end = (number + 1) * RUN_SPAN;
  for (let from = number * RUN_SPAN; ; ) {
    const { last } = next.get(from, end)!;
    if (last === null) return;
    inTransaction(() => void remove.run(from, Number(last)));
    from = Number(last);
  }
}
