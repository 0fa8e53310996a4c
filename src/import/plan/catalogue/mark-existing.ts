import { spellingsOf, storedCode } from '../../../core/service/code-change.ts';
import type { Listing } from '../../../listing/listing.ts';
import type { Listed } from '../../../listing/page.ts';
import { scanInBatches } from '../../../listing/scan.ts';
import { Search } from '../../../listing/search.ts';
import type { Baseline } from '../../ledger/header.ts';
import type { Journal } from '../../ledger/journal.ts';
import type { RowState } from '../../ledger/rows/transitions.ts';
import { foldSpelling } from '../spelling-index.ts';

/** A list up to this length is read as a whole. */
const SHORT_LIST = 2_000;

export interface RecordSink {
  take(records: readonly Listed[]): void;
  /** Drops all records: proc is about to read the list in another way. */
  restart(): void;
}

export function catalogueSink(journal: Journal, nameField: string): RecordSink {
  return {
    take(records) {
      journal.commit(() => {
        journal.rows.catalogue.add(records);
        journal.rows.catalogue.compareNames(records, nameField);
      });
    },
    restart: () => journal.commit(() => journal.rows.catalogue.clear()),
  };
}

interface CatalogueReading {
  readonly journal: Journal;
  readonly listing: Listing;
  readonly sink: RecordSink;
  readonly onProgress: (what: 'rows read' | 'codes looked up', count: number) => void;
  /** The states of the rows to look for. */
  readonly states: readonly RowState[];
}

/**
 * Searches the list for the code of each row if {@link isWorthSearching}. Otherwise, or if the search
 * fails, reads the whole list.
 *
 * @returns how reliable the result is
 */
export async function readCatalogue(reading: CatalogueReading): Promise<Baseline> {
  const { journal, listing, sink, states } = reading;
  const search = new Search(listing);
  if (await isWorthSearching(journal, search, states)) {
    const keys = keysOf(journal, states);
    if (search.isCheaperFor(keys.size)) {
      if (await searchAll(keys, search, reading)) return 'searched';
      sink.restart();
    }
  }
  return (await readAll(reading)) ? 'complete' : 'unproved';
}

export async function isWorthSearching(
  journal: Journal,
  search: Search,
  states: readonly RowState[],
): Promise<boolean> {
  if (!(await search.isUsable()) || search.size <= SHORT_LIST) return false;
  const counts = states.map((state) => journal.rows.planned.keyCounts(state));
  // A row without a code can only be found by its name, in the whole list.
  if (counts.some(({ names }) => names > 0)) return false;
  return search.isCheaperFor(counts.reduce((sum, { codes }) => sum + codes, 0));
}

/**
 * The codes to search for: as the rows have them, in other spellings, and as the service stores them, if that is
 * known. Sorted, so that a search begins near the last one.
 */
function keysOf(journal: Journal, states: readonly RowState[]): ReadonlySet<string> {
  const change = journal.codeChange;
  const keys = new Set<string>();
  for (const code of states.flatMap((state) => journal.rows.planned.codesIn(state))) {
    for (const one of spellingsOf(code)) keys.add(one);
    keys.add(storedCode(change, code));
  }
  return keys;
}

/** Also takes the records beside them whose codes look like one of the codes. */
async function searchAll(
  keys: ReadonlySet<string>,
  search: Search,
  { sink, onProgress }: CatalogueReading,
): Promise<boolean> {
  const found = new Map<string, Listed>();
  const wanted = new Set([...keys].map(foldSpelling));
  let count = 0;
  for (const key of keys) {
    const result = await search.find(key, (rows) => {
      for (const row of rows) {
        const isWanted = row.code !== null && wanted.has(foldSpelling(row.code));
        if (isWanted && row.id !== undefined) found.set(row.id, row);
      }
    });
    if (result.kind === 'unproved') return false;
    for (const row of result.rows) found.set(row.id!, row);
    onProgress('codes looked up', ++count);
  }
  sink.take([...found.values()]);
  return true;
}

async function readAll({ listing, sink, onProgress }: CatalogueReading): Promise<boolean> {
  let total = 0;
  return scanInBatches(listing, 5_000, (rows) => {
    sink.take(rows);
    total += rows.length;
    onProgress('rows read', total);
  });
}

export function noteExisting(journal: Journal, rows: Iterable<Listed>): void {
  journal.commit(() => journal.rows.catalogue.add(rows));
}

/** Before the first request: rows that staging rejected exist if their code does. */
export function findRejected(journal: Journal): void {
  const { catalogue, planned } = journal.rows;
  if (catalogue.isEmpty) return;
  journal.commit(() => {
    catalogue.addIndexes();
    planned.findRejected();
  });
}

/**
 * @param isFinal false: the rows stay pending, and are only counted
 * @returns the number of pending rows that exist
 */
export function markExisting(journal: Journal, isFinal = true): number {
  const { catalogue, planned } = journal.rows;
  if (catalogue.isEmpty) return 0;
  return journal.commit(() => {
    catalogue.addIndexes();
    return isFinal ? planned.markInCatalogue() : planned.countInCatalogue();
  });
}
