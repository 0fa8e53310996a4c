import type { Listing } from '../../../listing/listing.ts';
import type { Listed } from '../../../listing/page.ts';
import { scan } from '../../../listing/scan.ts';
import { Search } from '../../../listing/search.ts';
import type { Baseline } from '../../ledger/header.ts';
import type { Journal } from '../../ledger/journal.ts';

/** A search needs about this many pages for one code, in a list of any usual length. */
const PAGES_PER_SEARCH = 12;
/** A list that is not longer is simply read. */
const SHORT_LIST = 2_000;

export type CatalogueProgress = (what: 'rows read' | 'codes looked up', count: number) => void;

/**
 * Notes which of the pending rows exist already: the whole listing, page by page, or each code by a
 * search in the sorted list, whatever needs fewer requests.
 *
 * @returns how much the result proves
 */
export async function readCatalogue(
  journal: Journal,
  listing: Listing,
  onProgress: CatalogueProgress,
): Promise<Baseline> {
  const search = new Search(listing);
  if (await isWorthSearching(journal, search)) {
    if (await searchAll(journal, search, onProgress)) return 'searched';
    journal.commit(() => journal.database.exec('DELETE FROM catalogue'));
  }
  return (await readAll(journal, listing, onProgress)) ? 'complete' : 'unproved';
}

/** Whether looking each code up takes fewer requests than reading the whole list. */
export async function isWorthSearching(
  journal: Journal,
  search: Search,
  state: 'pending' | 'created' = 'pending',
): Promise<boolean> {
  if (!(await search.isUsable()) || search.size <= SHORT_LIST) return false;
  const { codes, names } = journal.database
    .prepare('SELECT count(DISTINCT code) AS codes, count(name) AS names FROM rows WHERE state = ?')
    .get(state) as { codes: number; names: number };
  // Without a code there is nothing to search for, only names in the whole of it.
  return names === 0 && codes * PAGES_PER_SEARCH < search.size / 100;
}

async function searchAll(
  journal: Journal,
  search: Search,
  onProgress: CatalogueProgress,
): Promise<boolean> {
  const codes = journal.database
    .prepare(
      "SELECT DISTINCT code FROM rows WHERE state = 'pending' AND code IS NOT NULL ORDER BY code",
    )
    .all();
  const found: Listed[] = [];
  for (const [index, row] of codes.entries()) {
    const code = row.code as string;
    const result = await search.find(code);
    if (result.kind === 'unproved') return false;
    for (const id of result.ids) found.push({ id, code, name: null });
    onProgress('codes looked up', index + 1);
  }
  noteExisting(journal, found);
  return true;
}

async function readAll(
  journal: Journal,
  listing: Listing,
  onProgress: CatalogueProgress,
): Promise<boolean> {
  let waiting: Listed[] = [];
  let total = 0;
  const flush = () => {
    noteExisting(journal, waiting);
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

/** Names are kept only of what has no code: they recognise nothing else. */
export function noteExisting(journal: Journal, rows: Iterable<Listed>): void {
  const insert = journal.database.prepare(
    'INSERT OR IGNORE INTO catalogue (id, code, name) VALUES (?, ?, ?)',
  );
  journal.commit(() => {
    for (const { id, code, name } of rows) {
      if (id !== undefined) insert.run(id, code, code === null || code === '' ? name : null);
    }
  });
}

/**
 * Marks the pending rows that exist. With `create` they stay pending, and the catalogue tells later
 * which ids are not ours; with `fail` the plan is refused where there are any.
 *
 * @returns how many there are
 */
export function markExisting(journal: Journal, onExisting: 'skip' | 'fail' | 'create'): number {
  const { database } = journal;
  if (database.prepare('SELECT 1 FROM catalogue LIMIT 1').get() === undefined) return 0;
  const match = `(rows.code IS NOT NULL AND rows.code = c.code) OR (rows.name IS NOT NULL AND rows.name = c.name)`;
  return journal.commit(() => {
    database.exec(
      'CREATE INDEX IF NOT EXISTS catalogue_by_code ON catalogue (code); CREATE INDEX IF NOT EXISTS catalogue_by_name ON catalogue (name) WHERE name IS NOT NULL',
    );
    const where = `state = 'pending' AND EXISTS (SELECT 1 FROM catalogue c WHERE ${match})`;
    if (onExisting === 'create') {
      return Number(database.prepare(`SELECT count(*) AS n FROM rows WHERE ${where}`).get()!.n);
    }
    const result = database
      .prepare(
        `UPDATE rows SET state = 'existing', id = (SELECT min(c.id) FROM catalogue c WHERE ${match}) WHERE ${where}`,
      )
      .run();
    return Number(result.changes);
  });
}
