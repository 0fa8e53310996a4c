import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type CodeChange, storedCode } from '../../../core/service/code-change.ts';
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
 * What the list shows after the run: the created rows, and other new records. On disk, because a
 * list may have a million rows.
 */
export class ShownRows {
  readonly #database: DatabaseSync;
  /** A preview cannot write to the file, but it needs the temporary tables. */
  readonly #isQueryOnly: boolean;
  readonly #created: Readonly<Record<Key, StatementSync>>;
  readonly #open: Readonly<Record<Key, StatementSync>>;
  readonly #add: StatementSync;
  readonly #addOther: StatementSync;
  readonly #has: StatementSync;
  readonly #change: CodeChange | undefined;
  #codeOf: StatementSync | undefined;
  #refused: ReadonlyMap<string, string> | undefined;

  /** @param change how the service stores codes */
  constructor(database: DatabaseSync, change: CodeChange | undefined) {
    this.#change = change;
    this.#database = database;
    this.#isQueryOnly = isQueryOnly(database);
    this.#write(() =>
      database.exec(
        'DROP TABLE IF EXISTS temp.shown; CREATE TEMP TABLE shown (id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;' +
          'DROP TABLE IF EXISTS temp.others; CREATE TEMP TABLE others (id TEXT PRIMARY KEY, is_explained INTEGER NOT NULL) STRICT, WITHOUT ROWID',
      ),
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
    this.#add = this.#database.prepare('INSERT OR IGNORE INTO temp.shown VALUES (?)');
    this.#has = this.#database.prepare('SELECT 1 FROM temp.shown WHERE id = ?');
    this.#addOther = this.#database.prepare('INSERT OR IGNORE INTO temp.others VALUES (?, ?)');
  }

  createdWith(key: Key, value: string): string[] {
    return this.#created[key].all(value).map(({ id }) => id as string);
  }

  /**
   * The key of a created row, as it was sent, if the list shows the row under its key.
   *
   * @param value the key that the list shows
   */
  sentAs(key: Key, value: string, id: string): string | undefined {
    if (this.#change === undefined || key === 'name') {
      return this.createdWith(key, value).includes(id) ? value : undefined;
    }
    const sent = this.#codeSent(id);
    return sent !== undefined && storedCode(this.#change, sent) === value ? sent : undefined;
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

  #codeSent(id: string): string | undefined {
    this.#codeOf ??= this.#database.prepare(
      "SELECT code FROM rows WHERE id = ? AND state = 'created' AND id IS NOT NULL AND code IS NOT NULL",
    );
    return this.#codeOf.get(id)?.code as string | undefined;
  }

  isOpen(key: Key, value: string): boolean {
    return this.#open[key].get(value) !== undefined;
  }

  has(id: string): boolean {
    return this.#has.get(id) !== undefined;
  }

  add(id: string): void {
    this.#write(() => this.#add.run(id));
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
    const missing = `FROM rows r WHERE ${CREATED_BY_THIS_RUN} AND (${of}) AND ifnull(sent_at, 0) <= ? AND id NOT IN (SELECT id FROM temp.shown)`;
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

  #write(work: () => void): void {
    writeTemporary(this.#database, this.#isQueryOnly, work);
  }
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
