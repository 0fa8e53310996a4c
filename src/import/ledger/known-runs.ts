import type { DatabaseSync } from 'node:sqlite';
import { serviceOf } from '../../core/scope.ts';
import { RUN_SPAN } from '../../ledger/ledger-schema.ts';
import { openLedger } from '../../ledger/open-ledger.ts';
import type { RunHeader } from './header.ts';

/** Rows of one transaction: others write in between. */
export const ROWS_AT_ONCE = 5_000;

/** A run as the ledger knows it. */
export interface KnownRun {
  readonly number: number;
  readonly name: string;
  /** Its rows are in the ledger: something of it may have been sent. */
  readonly isEntered: boolean;
  /** Only rows are left of it by which a repeat is recognised. */
  readonly isDiscarded: boolean;
  /** Undefined if its file cannot be read by this version. */
  readonly header: RunHeader | undefined;
}

const COLUMNS = 'number, name, is_entered, is_discarded, header';

/** All runs, also those that are discarded. */
export function knownRuns(database: DatabaseSync): KnownRun[] {
  return database.prepare(`SELECT ${COLUMNS} FROM runs`).all().map(knownOf);
}

/** Undefined if there is none. */
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

/** Notes a new run. @returns its number */
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

/** By which a repeat is recognised; all else of a discarded run goes. */
const IS_KEPT = `fingerprint IS NOT NULL AND repaired_by IS NULL
  AND (state IN ('sending', 'unconfirmed') AND sent_at IS NOT NULL OR state IN ('created', 'dropped'))`;

/**
 * Takes a run out of the ledger. Of what it sent where nothing can be listed, it stays known that it was
 * sent.
 *
 * @param removeItsFile once the ledger knows that the run goes
 */
export function forgetRun(
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

/** Ends what a process that was killed began. */
export function endForgetting(stateFolder: string, removeFile: (run: string) => void): void {
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
      `DELETE FROM runs WHERE number = ?1
        AND NOT EXISTS (SELECT 1 FROM rows WHERE key > ?1 * ${RUN_SPAN} AND key < (?1 + 1) * ${RUN_SPAN})`,
    )
    .run(number);
  ledger.exec('COMMIT');
}

/** In small transactions. */
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
