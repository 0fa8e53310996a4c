import type { Clock } from '../../core/ports.ts';
import { foldCode } from '../../core/text/fold-code.ts';
import type { RunLedger } from '../../ledger/run-ledger.ts';
import type { Listed, Listing } from '../../listing/listing.ts';
import { PairIndex, SeenKeys } from '../../listing/pair-index.ts';
import { scan } from '../../listing/scan.ts';
import { Search } from '../../listing/search.ts';
import type { FaultyRows, Findings } from '../ended-run.ts';

const AT_ONCE = 2_000;
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
  /** What the list shows of a body that was sent, JSON text. */
  shownOf(body: string): { readonly code: string | null; readonly name: string | null };
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

async function readOnce(run: Verification): Promise<Findings> {
  const { ledger, number, created, fold, shownOf } = run;
  const codeById = new PairIndex(created);
  const nameById = new PairIndex(created);
  const idByCode = new PairIndex(created);
  for await (const rows of ledger.created(number, AT_ONCE)) {
    for (const { id, body } of rows) {
      const { code, name } = shownOf(body);
      codeById.add(id!, code === null ? '' : fold(code));
      nameById.add(id!, foldCode(name ?? ''));
      if (code !== null) idByCode.add(fold(code), id!);
    }
  }
  const shown = new SeenKeys();
  let count = 0;
  /** Records with the id of a row and another code or name, and records of others with the code of a row. */
  const other = new Map<string, Listed>();
  const foreign = new Map<string, string>();
  const add = (rows: readonly Listed[]) => {
    for (const row of rows) {
      const { id, code, name } = row;
      if (id === undefined) continue;
      const folded = code === null ? '' : fold(code);
      const seen = codeById.look(id, folded);
      if (seen !== 'new') {
        if (shown.add(id)) count++;
        const isNamed = nameById.look(id, foldCode(name ?? '')) === 'known';
        if (seen === 'other' || (!isNamed && other.size < MOST_NAMES)) other.set(id, row);
      } else if (code !== null && idByCode.look(folded, id) === 'other') foreign.set(folded, id);
    }
  };
  const listing = run.listing();
  const isComplete = await readRows(run, listing, add);
  const faults = { missing: new Faults(), differing: new Faults(), doubled: new Faults() };
  if (count < created || other.size > 0 || foreign.size > 0)
    for await (const rows of ledger.created(number, AT_ONCE)) {
      for (const { row, id, body } of rows) {
        const { code, name } = shownOf(body);
        const record = other.get(id!);
        const faulty = { row, code, id };
        if (!shown.has(id!)) faults.missing.add(faulty);
        else if (record !== undefined) {
          const isCoded =
            (record.code ?? '') === '' ? code === null : fold(record.code!) === fold(code ?? '');
          const isNamed = isSameName(name ?? '', record.name ?? '') || other.size >= MOST_NAMES;
          if (!isCoded) faults.differing.add({ ...faulty, other: record.code ?? '' });
          else if (!isNamed) faults.differing.add({ ...faulty, other: record.name ?? '' });
        }
        const double = code === null ? undefined : foreign.get(fold(code));
        if (double !== undefined) faults.doubled.add({ ...faulty, other: double });
      }
    }
  const found = { differing: faults.differing.found, doubled: faults.doubled.found };
  // Any reading proves that a record is there; only a whole one proves that it is not.
  const isUnread = !isComplete && faults.missing.found !== undefined;
  const missing = isUnread ? undefined : faults.missing.found;
  const isFine = [missing, ...Object.values(found)].every((one) => one === undefined);
  return {
    verified: isFine && !isUnread,
    ...(isUnread ? { unread: listing.fault ?? 'the list may be incomplete' } : {}),
    missing,
    ...found,
  };
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
    search.size > SHORT_LIST &&
    search.isCheaperFor(created);
  if (!isSearched) return scan(listing, add);
  for await (const rows of ledger.created(number, AT_ONCE)) {
    for (const { body } of rows) {
      const { code } = shownOf(body);
      const found = code === null ? undefined : await search.find(code);
      // A row without a code is somewhere in the list.
      if (found?.kind !== 'proved') return scan(listing, add);
      add(found.rows);
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

class Faults {
  #count = 0;
  readonly #rows: FaultyRows['rows'][number][] = [];

  add(row: FaultyRows['rows'][number]): void {
    this.#count++;
    if (this.#rows.length < NAMED) this.#rows.push(row);
  }

  get found(): FaultyRows | undefined {
    return this.#count === 0 ? undefined : { count: this.#count, rows: this.#rows };
  }
}
