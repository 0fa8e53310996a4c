import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type CodeChange, storedCode } from '../../../core/service/code-change.ts';
import type { Listed } from '../../../listing/listing.ts';
import type { Key } from './catalogue-before.ts';

/** A row that this run created. Its key is its code; without a code, its name. */
export interface CreatedRow {
  readonly key: string;
  readonly id: string;
}

/** Kept in memory. */
const MOST_REFUSED = 100_000;

const CREATED_BY_THIS_RUN = "state = 'created' AND repaired_by IS NULL";

const OF_KEY: Readonly<Record<Key, string>> = {
  code: 'r.code IS NOT NULL',
  name: 'r.code IS NULL AND r.name IS NOT NULL',
};

/**
 * What the list shows after the run: the created rows, and other new records. A list may have a million
 * rows, so the created ones are a bit each, and the others are on disk.
 */
export class ShownRows {
  readonly #database: DatabaseSync;
  /** A preview cannot write to the file, but it needs the temporary table. */
  readonly #isQueryOnly: boolean;
  readonly #byId: StatementSync;
  readonly #created: Readonly<Record<Key, StatementSync>>;
  readonly #open: Readonly<Record<Key, StatementSync>>;
  readonly #addOther: StatementSync;
  readonly #change: CodeChange | undefined;
  /** One bit for each row of the run. */
  #shown = new Uint8Array(8_192);
  #refused: ReadonlyMap<string, string> | undefined;

  /** @param change how the service stores codes */
  constructor(database: DatabaseSync, change: CodeChange | undefined) {
    this.#change = change;
    this.#database = database;
    this.#isQueryOnly = isQueryOnly(database);
    this.#write(() =>
      database.exec(
        'DROP TABLE IF EXISTS temp.others; CREATE TEMP TABLE others (id TEXT PRIMARY KEY, is_explained INTEGER NOT NULL) STRICT, WITHOUT ROWID',
      ),
    );
    database.function('is_shown', (row) => (this.#isShown(Number(row)) ? 1 : 0));
    this.#byId = database.prepare(
      `SELECT r.id, r.row, r.code, r.name FROM json_each(?) j CROSS JOIN rows r ON r.id = j.value
        WHERE r.state = 'created' AND r.id IS NOT NULL`,
    );
    const created = (key: Key) =>
      this.#database.prepare(
        `SELECT r.id FROM rows r WHERE r.${key} = ? AND ${OF_KEY[key]} AND r.state = 'created'`,
      );
    const open = (key: Key) =>
      this.#database.prepare(
        `SELECT 1 FROM rows r WHERE r.${key} = ? AND r.state IN ('unconfirmed', 'sending') LIMIT 1`,
      );
    this.#open = { code: open('code'), name: open('name') };
    this.#created = { code: created('code'), name: created('name') };
    this.#addOther = this.#database.prepare('INSERT OR IGNORE INTO temp.others VALUES (?, ?)');
  }

  createdWith(key: Key, value: string): string[] {
    return this.#created[key].all(value).map(({ id }) => id as string);
  }

  /** @returns by id, the keys of the created rows that the list shows under their keys, as they were sent */
  add(rows: readonly Listed[]): ReadonlyMap<string, string> {
    const ids = rows.flatMap(({ id }) => id ?? []);
    const created = new Map(
      this.#byId.all(JSON.stringify(ids)).map((found) => [found.id as string, found]),
    );
    const shown = new Map<string, string>();
    for (const listed of rows) {
      const { key, value } = keyOf(listed);
      const found = listed.id === undefined ? undefined : created.get(listed.id);
      if (value === null || found === undefined) continue;
      if (key === 'name' && found.code !== null) continue;
      const sent = found[key] as string | null;
      if (sent === null) continue;
      if ((key === 'code' ? storedCode(this.#change, sent) : sent) !== value) continue;
      this.#note(Number(found.row));
      shown.set(listed.id!, sent);
    }
    return shown;
  }

  /** The code of a row that the service refused, if the list shows it as the code of a record. */
  refusedAs(value: string): string | undefined {
    this.#refused ??= new Map(
      this.#database
        .prepare(
          `SELECT code FROM rows WHERE state = 'rejected' AND sent_at IS NOT NULL
             AND code IS NOT NULL LIMIT ${MOST_REFUSED}`,
        )
        .all()
        .map(({ code }) => [storedCode(this.#change, String(code)), String(code)]),
    );
    return this.#refused.get(value);
  }

  isOpen(key: Key, value: string): boolean {
    return this.#open[key].get(value) !== undefined;
  }

  /** Whether the list shows one of these created rows under its key. */
  hasOneOf(ids: readonly string[]): boolean {
    return this.#byId.all(JSON.stringify(ids)).some(({ row }) => this.#isShown(Number(row)));
  }

  /** @param isExplained whether an unconfirmed row has the key of the record */
  addOther(id: string, isExplained: boolean): void {
    this.#write(() => this.#addOther.run(id, isExplained ? 1 : 0));
  }

  /**
   * Created rows that the list does not show under their key.
   *
   * @param sentUntil only rows that were sent until this time, ms
   */
  missing(
    keys: readonly Key[],
    max: number,
    sentUntil = Number.MAX_SAFE_INTEGER,
  ): { readonly count: number; readonly first: readonly CreatedRow[] } {
    const of = keys.map((key) => `(${OF_KEY[key]})`).join(' OR ');
    const missing = `FROM rows r WHERE ${CREATED_BY_THIS_RUN} AND (${of}) AND ifnull(sent_at, 0) <= ? AND NOT is_shown(r.row)`;
    const { n } = this.#database.prepare(`SELECT count(*) AS n ${missing}`).get(sentUntil) as {
      n: number;
    };
    const first =
      n === 0
        ? []
        : this.#database
            .prepare(`SELECT coalesce(code, name) AS key, id ${missing} ORDER BY r.row LIMIT ?`)
            .all(sentUntil, max);
    return { count: n, first: first as never };
  }

  /** Whether the list shows a created row, but under another key. */
  hasChanged(key: Key): boolean {
    return (
      this.#database
        .prepare(
          `SELECT 1 FROM rows r JOIN temp.others o ON o.id = r.id WHERE ${CREATED_BY_THIS_RUN} AND ${OF_KEY[key]} LIMIT 1`,
        )
        .get() !== undefined
    );
  }

  /** New records that no row created, and whose key no unconfirmed row has. */
  strangers(max: number): { readonly count: number; readonly first: readonly string[] } {
    const strangers =
      "FROM temp.others WHERE is_explained = 0 AND id NOT IN (SELECT id FROM rows WHERE state = 'created' AND id IS NOT NULL)";
    const { n } = this.#database.prepare(`SELECT count(*) AS n ${strangers}`).get() as {
      n: number;
    };
    const first = this.#database.prepare(`SELECT id ${strangers} ORDER BY id LIMIT ?`).all(max);
    return { count: n, first: first.map(({ id }) => id as string) };
  }

  #note(row: number): void {
    const at = row >> 3;
    if (at >= this.#shown.length) {
      const grown = new Uint8Array(2 * at);
      grown.set(this.#shown);
      this.#shown = grown;
    }
    this.#shown[at]! |= 1 << (row & 7);
  }

  #isShown(row: number): boolean {
    return ((this.#shown[row >> 3] ?? 0) & (1 << (row & 7))) !== 0;
  }

  #write(work: () => void): void {
    writeTemporary(this.#database, this.#isQueryOnly, work);
  }
}

/** The key of a record in the list: its code; without a code, its name. */
export function keyOf({ code, name }: Listed): {
  readonly key: Key;
  readonly value: string | null;
} {
  return code === null || code === '' ? { key: 'name', value: name } : { key: 'code', value: code };
}

export function isQueryOnly(database: DatabaseSync): boolean {
  return database.prepare('PRAGMA query_only').get()!.query_only === 1;
}

/** Writes temporary tables. A preview may do so too, although it cannot write to the file of the run. */
export function writeTemporary(database: DatabaseSync, isPreview: boolean, work: () => void): void {
  if (isPreview) database.exec('PRAGMA query_only = 0');
  try {
    work();
  } finally {
    if (isPreview) database.exec('PRAGMA query_only = 1');
  }
}
