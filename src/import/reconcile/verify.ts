import type { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { cannotUse } from '../../core/errors.ts';
import { foldCode } from '../../core/fold-code.ts';
import type { Clock } from '../../core/io.ts';
import type { RunLedger } from '../../ledger/run-ledger.ts';
import type { Listed, Listing } from '../../listing/listing.ts';
import { scan } from '../../listing/scan.ts';
import { Search } from '../../listing/search.ts';
import { Scratch } from '../draft/draft.ts';
import type { FaultyRows, Findings } from '../ended-run.ts';

/** A shorter list is read as a whole. */
const SHORT_LIST = 2_000;
const NAMED = 10;
/** A service that stores more names than these differently has a habit, and did not take one row for another. */
const MOST_NAMES = 1_000;
/** Some lists show new rows late. proc reads the list again after this pause, and then doubles the pause each time. */
const FIRST_PAUSE_MS = 1_000;

export interface Verification {
  readonly ledger: Pick<RunLedger, 'created'>;
  /** Of the run. */
  readonly number: number;
  /** How many rows the run has created. */
  readonly created: number;
  /** A new one for each reading. */
  listing(): Listing;
  /** The form in which codes are compared. */
  fold(code: string): string;
  /** What the list shows of a body that was sent, JSON text: its code, and its name. */
  shownOf(body: string): readonly (string | null)[];
  /** For a temporary database. */
  readonly folder: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** How long the service may take to show a record. */
  readonly settleMs: number;
}

/**
 * Reads the list after the last row: each created row must be in it under its id, with its code and name, and no other
 * record may have its code.
 *
 * @throws ProcError if the list cannot be read
 */
export async function verify(run: Verification): Promise<Findings> {
  const { created, clock, signal, settleMs } = run;
  if (created === 0) return { verified: true };
  let findings = await readOnce(run);
  let pause = Math.min(FIRST_PAUSE_MS, settleMs);
  for (let waited = 0; findings.missing !== undefined && waited < settleMs; pause *= 2) {
    await clock.sleep(pause, signal);
    waited += pause;
    findings = await readOnce(run);
  }
  return findings;
}

/** SQLite sorts an index in memory of 250 pages. */
const TABLES = `
PRAGMA page_size = 4096; PRAGMA main.cache_size = -1024;
CREATE TABLE own (row INTEGER PRIMARY KEY, id TEXT, code TEXT, key TEXT, name TEXT);
CREATE TABLE shown (id TEXT, code TEXT, key TEXT, name TEXT);
BEGIN`;

/** Once all is there, so that they are built once. */
const INDEXES = `
CREATE INDEX shown_by_id ON shown (id);
CREATE INDEX shown_by_key ON shown (key) WHERE key IS NOT NULL`;

const MISSING = `SELECT row, code, id FROM own WHERE NOT EXISTS (SELECT 1 FROM shown WHERE shown.id = own.id) ORDER BY row`;
const DIFFERING = `SELECT own.row, own.code, own.id, own.key, own.name, shown.code AS shownCode, shown.key AS shownKey,
    shown.name AS shownName FROM own JOIN shown USING (id)
  WHERE own.key IS NOT shown.key OR own.name IS NOT shown.name GROUP BY own.row ORDER BY own.row`;
const DOUBLED = `SELECT own.row, own.code, own.id, min(shown.id) AS other FROM own JOIN shown USING (key)
  WHERE shown.id <> own.id GROUP BY own.row ORDER BY own.row`;

/** On the disk, so that memory does not grow with the list. */
async function readOnce(run: Verification): Promise<Findings> {
  let scratch: Scratch | undefined;
  try {
    scratch = new Scratch(run.folder, TABLES);
    return await compared(run, scratch.database);
  } catch (thrown) {
    // Rows were sent: a full disk is told as what could not be verified.
    throw cannotUse(run.folder, thrown);
  } finally {
    scratch?.close();
  }
}

async function compared(run: Verification, database: DatabaseSync): Promise<Findings> {
  const { ledger, number, fold, shownOf } = run;
  const own = database.prepare('INSERT INTO own VALUES (?, ?, ?, ?, ?)');
  for await (const rows of ledger.created(number)) {
    for (const { row, id, body } of rows) {
      // An earlier end of the run has verified it, and removed its body.
      if (body === null) continue;
      const [code = null, name] = shownOf(body);
      own.run(row, id, code, code === null ? null : fold(code), name ?? '');
    }
    // SQLite answers without a break. So signals are heard, and V8 collects garbage meanwhile.
    await setImmediate();
  }
  const shown = database.prepare('INSERT INTO shown VALUES (?, ?, ?, ?)');
  const listing = run.listing();
  const isComplete = await readRows(run, listing, (rows) => {
    for (const { id, code, name } of rows) {
      const text = code === '' ? null : code;
      if (id !== undefined) shown.run(id, text, text === null ? null : fold(text), name ?? '');
    }
  });
  database.exec(INDEXES);
  const found = {
    missing: faultsIn(database.prepare(MISSING).iterate()),
    differing: differingIn(database),
    doubled: faultsIn(database.prepare(DOUBLED).iterate()),
  };
  // Any reading proves that a record is there; only a whole one proves that it is not.
  const isUnread = !isComplete && found.missing !== undefined;
  const faults = isUnread ? { ...found, missing: undefined } : found;
  return {
    verified: !isUnread && Object.values(faults).every((one) => one === undefined),
    ...(isUnread ? { unread: listing.fault ?? 'the list may be incomplete' } : {}),
    ...faults,
  };
}

type Faulty = FaultyRows['rows'][number];

function faultsIn(faulty: Iterable<unknown>): FaultyRows | undefined {
  const rows: Faulty[] = [];
  let count = 0;
  for (const one of faulty as Iterable<Faulty>) if (++count <= NAMED) rows.push({ ...one });
  return count === 0 ? undefined : { count, rows };
}

function differingIn(database: DatabaseSync): FaultyRows | undefined {
  const names: Faulty[] = [];
  const codes: Faulty[] = [];
  for (const one of database.prepare(DIFFERING).iterate()) {
    const { row, code, id, key, name, shownCode, shownKey, shownName } = one;
    const faulty = { row, code, id } as unknown as Faulty;
    if (key !== shownKey) codes.push({ ...faulty, other: String(shownCode ?? '') });
    else if (names.length < MOST_NAMES && !isSameName(String(name), String(shownName)))
      names.push({ ...faulty, other: String(shownName) });
  }
  const all = names.length < MOST_NAMES ? [...codes, ...names] : codes;
  return faultsIn(all.sort((one, other) => one.row - other.row));
}

/** @returns whether all records were read that can be those of the run, or have their codes */
async function readRows(
  { ledger, number, created, shownOf }: Verification,
  listing: Listing,
  add: (rows: readonly Listed[]) => void,
): Promise<boolean> {
  const search = new Search(listing);
  const isSearched =
    created < SHORT_LIST &&
    (await search.isUsable()) &&
    listing.size > SHORT_LIST &&
    (await search.isCheaperFor(created));
  if (!isSearched) return scan(listing, add);
  for await (const rows of ledger.created(number)) {
    for (const { body } of rows) {
      if (body === null) continue;
      const [code = null] = shownOf(body);
      const found = code === null ? undefined : await search.find(code);
      // A row without a code is somewhere in the list.
      if (found === undefined) return scan(listing, add);
      add([...found.values()]);
    }
  }
  return true;
}

/** Columns cut long names off, and some services add to them. */
function isSameName(sent: string, stored: string): boolean {
  const [one, other] = [foldCode(sent), foldCode(stored)];
  return (
    one === other ||
    (one !== '' && other !== '' && (one.startsWith(other) || other.startsWith(one)))
  );
}
