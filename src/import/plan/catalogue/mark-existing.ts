import type { Listing } from '../../../listing/listing.ts';
import type { Listed } from '../../../listing/page.ts';
import { scan } from '../../../listing/scan.ts';
import { Search } from '../../../listing/search.ts';
import type { Baseline } from '../../ledger/header.ts';
import type { Journal } from '../../ledger/journal.ts';
import type { RowState } from '../../ledger/rows/states.ts';

/** A list up to this length is read as a whole. */
const SHORT_LIST = 2_000;

export type CatalogueProgress = (what: 'rows read' | 'codes looked up', count: number) => void;

export interface RecordSink {
  take(records: readonly Listed[]): void;
  /** Drops all records: proc is about to read the list in another way. */
  restart(): void;
}

export function catalogueSink(journal: Journal, nameField: string): RecordSink {
  return {
    take(records) {
      journal.commit(() => {
        journal.catalogue.add(records);
        journal.catalogue.compareNames(records, nameField);
      });
    },
    restart: () => journal.commit(() => journal.catalogue.clear()),
  };
}

/**
 * Searches the list for the code of each row if {@link isWorthSearching}. Otherwise, or if the search
 * fails, reads the whole list.
 *
 * @param states the states of the rows to look for
 * @returns how reliable the result is
 */
export async function readCatalogue(
  journal: Journal,
  listing: Listing,
  sink: RecordSink,
  onProgress: CatalogueProgress,
  states: readonly RowState[] = ['pending'],
): Promise<Baseline> {
  const search = new Search(listing);
  if (await isWorthSearching(journal, search, states)) {
    if (await searchAll(journal, search, sink, onProgress, states)) return 'searched';
    sink.restart();
  }
  return (await readAll(listing, sink, onProgress)) ? 'complete' : 'unproved';
}

export async function isWorthSearching(
  journal: Journal,
  search: Search,
  states: readonly RowState[] = ['pending'],
): Promise<boolean> {
  if (!(await search.isUsable()) || search.size <= SHORT_LIST) return false;
  const counts = states.map((state) => journal.planned.keyCounts(state));
  // A row without a code can only be found by its name, in the whole list.
  if (counts.some(({ names }) => names > 0)) return false;
  return search.isCheaperFor(counts.reduce((sum, { codes }) => sum + codes, 0));
}

async function searchAll(
  journal: Journal,
  search: Search,
  sink: RecordSink,
  onProgress: CatalogueProgress,
  states: readonly RowState[],
): Promise<boolean> {
  const found: Listed[] = [];
  const codes = states.flatMap((state) => journal.planned.codesIn(state));
  for (const [index, code] of codes.entries()) {
    const result = await search.find(code);
    if (result.kind === 'unproved') return false;
    for (const row of result.rows) found.push(row);
    onProgress('codes looked up', index + 1);
  }
  sink.take(found);
  return true;
}

async function readAll(
  listing: Listing,
  sink: RecordSink,
  onProgress: CatalogueProgress,
): Promise<boolean> {
  let waiting: Listed[] = [];
  let total = 0;
  const flush = () => {
    sink.take(waiting);
    waiting = [];
    onProgress('rows read', total);
  };
  const isComplete = await scan(listing, (rows) => {
    for (const row of rows) waiting.push(row);
    total += rows.length;
    if (waiting.length >= 5_000) flush();
  });
  flush();
  return isComplete;
}

export function noteExisting(journal: Journal, rows: Iterable<Listed>): void {
  journal.commit(() => journal.catalogue.add(rows));
}

/**
 * @param isFinal false: the rows stay pending, and are only counted
 * @returns the number of pending rows that exist
 */
export function markExisting(journal: Journal, isFinal = true): number {
  const { catalogue, planned } = journal;
  if (catalogue.isEmpty) return 0;
  return journal.commit(() => {
    catalogue.addIndexes();
    return isFinal ? planned.markInCatalogue() : planned.countInCatalogue();
  });
}
