import type { Context } from '../../core/command.ts';
import { ProcError } from '../../core/errors.ts';
import type { ImportTarget } from '../../resources/import-target.ts';
import type { Verified } from '../journal/header.ts';
import type { Journal } from '../journal/journal.ts';
import type { Listing } from '../listing/listing.ts';
import type { Listed } from '../listing/page.ts';
import { scan } from '../listing/scan.ts';
import { Search } from '../listing/search.ts';
import { isWorthSearching } from '../plan/catalogue.ts';
import type { Progress } from '../report/progress.ts';
import { rowsIn } from '../report/words.ts';
import { listingFor } from './open.ts';

/** Codes that are named. */
const NAMED = 10;

/**
 * Reads the list once more after rows were created: whoever imported the same codes meanwhile, from
 * another machine, could not be seen before. If the list has grown by just what was created, its end
 * tells so in two requests; else each code is searched for, or the list is read, whatever needs fewer.
 */
export async function checkCreated(
  journal: Journal,
  target: ImportTarget,
  ctx: Context,
  progress: Progress,
): Promise<void> {
  if (target.listing === undefined || journal.counts().created === 0) return;
  let verified: Verified;
  try {
    progress.step('Reading the list once more', { step: 'verify' });
    verified = await verify(
      journal,
      await listingFor(target, journal, ctx, { connections: CONNECTIONS }),
    );
  } catch (thrown) {
    if (!(thrown instanceof ProcError)) throw thrown;
    ctx.say({ kind: 'warning', text: `the list could not be read once more: ${thrown.message}` });
    verified = { isComplete: false, twice: 0, named: [] };
  }
  journal.note({ verified });
}

const CONNECTIONS = 6;

async function verify(journal: Journal, listing: Listing): Promise<Verified> {
  const baseline = journal.get('baseline');
  if (journal.get('codesAltered') === true) return { isComplete: false, twice: 0, named: [] };
  const { created, unknown, sent } = journal.counts();
  if (baseline === 'complete' && unknown + sent === 0) {
    const { n } = journal.database.prepare('SELECT count(*) AS n FROM catalogue').get()!;
    if (await listing.endsAfter(Number(n) + created)) {
      return { isComplete: true, twice: 0, named: [] };
    }
  }
  const strangers = new Strangers(journal);
  const search = new Search(listing);
  const isSearched = await isWorthSearching(journal, search, 'created');
  const isComplete = isSearched
    ? await searchAll(journal, search, strangers)
    : await scan(listing, (rows) => strangers.look(rows));
  return { isComplete, twice: strangers.count, named: strangers.named() };
}

async function searchAll(journal: Journal, search: Search, strangers: Strangers): Promise<boolean> {
  const codes = journal.database
    .prepare("SELECT DISTINCT code FROM rows WHERE state = 'created' AND code IS NOT NULL")
    .all();
  let isComplete = true;
  for (const row of codes) {
    const code = row.code as string;
    const found = await search.find(code);
    if (found.kind === 'unproved') isComplete = false;
    else strangers.look(found.ids.map((id) => ({ id, code, name: null })));
  }
  return isComplete;
}

/** Rows of the list with a code of ours that are neither ours nor were there before. */
class Strangers {
  readonly #ours: (code: string) => readonly string[];
  readonly #wasThere: (id: string) => boolean;
  readonly #found = new Map<string, string[]>();

  constructor({ database }: Journal) {
    const ours = database.prepare("SELECT id FROM rows WHERE code = ? AND state = 'created'");
    const before = database.prepare('SELECT 1 FROM catalogue WHERE id = ?');
    this.#ours = (code) => ours.all(code).map(({ id }) => id as string);
    this.#wasThere = (id) => before.get(id) !== undefined;
  }

  get count(): number {
    return this.#found.size;
  }

  named(): Verified['named'] {
    return [...this.#found].slice(0, NAMED).map(([code, ids]) => ({ code, ids }));
  }

  look(rows: readonly Listed[]): void {
    for (const { id, code } of rows) {
      if (code === null || id === undefined) continue;
      const ours = this.#ours(code);
      if (ours.length === 0 || ours.includes(id) || this.#wasThere(id)) continue;
      const ids = this.#found.get(code);
      if (ids === undefined) this.#found.set(code, [...ours, id]);
      else if (!ids.includes(id)) ids.push(id);
    }
  }
}

/** What a person is told of it; nothing if all is well. */
export function twiceText({ twice, named }: Verified): string | undefined {
  if (twice === 0) return undefined;
  const shown = named.slice(0, 3).map(({ code, ids }) => `${code} (${ids.join(', ')})`);
  const more = twice > shown.length ? ', …' : '';
  return `${rowsIn(twice, 'code now exists', 'codes now exist')} more than once, as something else created the same meanwhile: ${shown.join(', ')}${more}`;
}
