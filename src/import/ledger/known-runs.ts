import type { DatabaseSync } from 'node:sqlite';
import { serviceOf } from '../../core/scope.ts';
import { RUN_SPAN } from '../../ledger/ledger-schema.ts';
import { openLedger } from '../../ledger/open-ledger.ts';
import type { RunHeader } from './header.ts';

/** Number of rows in one transaction. Between two transactions, other processes can write. */
export const ROWS_AT_ONCE = 5_000;

export interface KnownRun {
  readonly number: number;
  readonly name: string;
  /** The rows are in the ledger, so some may have been sent. */
  readonly isEntered: boolean;
  /** Of a discarded run, the ledger keeps only rows that a later write could repeat. */
  readonly isDiscarded: boolean;
  /**
   * Undefined if the run is completely discarded. Also undefined if the ledger copied an earlier
   * state folder and could not read the file of the run.
   */
  readonly header: RunHeader | undefined;
}

const COLUMNS = 'number, name, is_entered, is_discarded, header';

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
    isEntered: isEntered === 1,
    isDiscarded: isDiscarded === 1,
    header: header === null ? undefined : (JSON.parse(header as string) as RunHeader),
  };
}

export function registerRun(stateFolder: string, header: RunHeader): number {
  const ledger = openLedger(stateFolder);
  try {
    const { run, noun, baseUrl, organization = null } = header;
    const { lastInsertRowid } = ledger
      .prepare(
        'INSERT INTO runs (name, noun, service, organization, header) VALUES (?, ?, ?, ?, ?)',
      )
      .run(run, noun, serviceOf(baseUrl), organization, JSON.stringify(header));
    return Number(lastInsertRowid);
  } finally {
    ledger.close();
  }
}

/** Rows that stay after a run is discarded. So proc notices if a later write repeats them. */
const IS_KEPT = `fingerprint IS NOT NULL AND repaired_by IS NULL
  AND (state IN ('sending', 'unconfirmed') AND sent_at IS NOT NULL OR state IN ('created', 'dropped'))`;

/**
 * If the service has no list of the noun, sent rows stay in the ledger. An entered run is first
 * marked as discarded: after a kill, `completeDiscards` does the rest.
 */
export function discardRun(
  stateFolder: string,
  name: string,
  removeItsFile: () => void = () => undefined,
): void {
  const ledger = openLedger(stateFolder);
  try {
    const found = ledger.prepare('SELECT number, is_entered FROM runs WHERE name = ?').get(name);
    if (found === undefined) {
      removeItsFile();
      return;
    }
    ledger.prepare('UPDATE runs SET is_discarded = is_entered WHERE name = ?').run(name);
    removeItsFile();
    removeRows(ledger, Number(found.number), found.is_entered === 1);
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

export function removeRowsOf(ledger: DatabaseSync, number: number, which = 'true'): void {
  const next = ledger.prepare(
    `SELECT max(key) AS last FROM (SELECT key FROM main.rows WHERE key > ? AND key < ? ORDER BY key LIMIT ${ROWS_AT_ONCE})`,
  );
  const remove = ledger.prepare(`DELETE FROM main.rows WHERE key > ? AND key <= ? AND ${which}`);
  const end = (number + 1) * RUN_SPAN;
  for (let from = number * RUN_SPAN; ; ) {
    const { last } = next.get(from, end)!;
    if (last === null) return;
    remove.run(from, Number(last));
    from = Number(last);
  }
}
