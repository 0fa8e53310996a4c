import type { Listed } from '../../listing/page.ts';
import type { Verified } from '../ledger/header.ts';
import type { Journal } from '../ledger/journal.ts';
import { rowsIn } from '../report/words.ts';

/** Codes that are named. */
const NAMED = 10;

/** A row that was created and has a code to be found by. */
const CREATED = "FROM rows WHERE state = 'created' AND code IS NOT NULL";

/**
 * What the list shows after a run: rows of ours, and strangers, which carry a code of ours and are
 * neither ours nor were there before.
 */
export class Seen {
  readonly #database: Journal['database'];
  readonly #ours: (code: string) => readonly string[];
  readonly #wasThere: (id: string) => boolean;
  readonly #show: (id: string) => void;
  readonly #strangers = new Map<string, string[]>();

  constructor({ database }: Journal) {
    this.#database = database;
    // On disk, as a list may have a million rows.
    database.exec(
      'DROP TABLE IF EXISTS temp.shown; CREATE TEMP TABLE shown (id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID',
    );
    const ours = database.prepare("SELECT id FROM rows WHERE code = ? AND state = 'created'");
    const before = database.prepare('SELECT 1 FROM catalogue WHERE id = ?');
    const show = database.prepare('INSERT OR IGNORE INTO temp.shown VALUES (?)');
    this.#ours = (code) => ours.all(code).map(({ id }) => id as string);
    this.#wasThere = (id) => before.get(id) !== undefined;
    this.#show = (id) => show.run(id);
  }

  look(rows: readonly Listed[]): void {
    for (const { id, code } of rows) {
      if (code === null || id === undefined) continue;
      const ours = this.#ours(code);
      if (ours.includes(id)) this.#show(id);
      else if (ours.length > 0 && !this.#wasThere(id)) this.#note(code, id, ours);
    }
  }

  /** Whether a row of ours was shown with its code. */
  hasOurs(): boolean {
    return this.#database.prepare('SELECT 1 FROM temp.shown LIMIT 1').get() !== undefined;
  }

  /** @param isComplete the list was read to a verified end: only then a row is surely not in it */
  verdict(isComplete: boolean): Verified {
    const named = [...this.#strangers].slice(0, NAMED).map(([code, ids]) => ({ code, ids }));
    const found = { twice: this.#strangers.size, named };
    if (!isComplete) return { isComplete, ...found };
    const hidden = `${CREATED} AND id NOT IN (SELECT id FROM temp.shown)`;
    const { n } = this.#database.prepare(`SELECT count(*) AS n ${hidden}`).get() as { n: number };
    if (n === 0) return { isComplete, ...found };
    const notListed = this.#database
      .prepare(`SELECT code, id ${hidden} ORDER BY row LIMIT ?`)
      .all(NAMED) as unknown as NonNullable<Verified['notListed']>;
    return { isComplete: false, ...found, hidden: n, notListed };
  }

  #note(code: string, id: string, ours: readonly string[]): void {
    const ids = this.#strangers.get(code);
    if (ids === undefined) this.#strangers.set(code, [...ours, id]);
    else if (!ids.includes(id)) ids.push(id);
  }
}

/** The warning that names codes which exist more than once; undefined if there are none. */
export function twiceText({ twice, named }: Verified): string | undefined {
  if (twice === 0) return undefined;
  const shown = named.slice(0, 3).map(({ code, ids }) => `${code} (${ids.join(', ')})`);
  return `${rowsIn(twice, 'code now exists', 'codes now exist')} more than once, as something else created the same meanwhile: ${someOf(shown, twice)}`;
}

/** The same of rows that were created and that the list does not show. */
export function hiddenText({ hidden = 0, notListed = [] }: Verified): string | undefined {
  if (hidden === 0) return undefined;
  return `the list does not show ${rowsIn(hidden, 'created row', 'created rows')} under the code that was sent: ${someCodes(notListed, hidden)}`;
}

/** `AR-1 (itm-1), AR-2 (itm-2), …` */
export function someCodes(
  rows: readonly { readonly code: string; readonly id: string }[],
  count: number,
): string {
  return someOf(
    rows.slice(0, 3).map(({ code, id }) => `${code} (${id})`),
    count,
  );
}

function someOf(shown: readonly string[], count: number): string {
  return `${shown.join(', ')}${count > shown.length ? ', …' : ''}`;
}
