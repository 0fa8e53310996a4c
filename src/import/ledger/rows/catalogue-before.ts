import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Listed } from '../../../listing/page.ts';

/** The part of a row by which the list recognises it. */
export type Key = 'code' | 'name';

/** What existed before the first request of the run: an id in it was not created by us. */
export class Catalogue {
  readonly #database: DatabaseSync;
  #has: StatementSync | undefined;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** In a transaction of the journal. Names are kept only of what has no code: they recognise nothing else. */
  add(rows: Iterable<Listed>): void {
    const insert = this.#database.prepare(
      'INSERT OR IGNORE INTO catalogue (id, code, name) VALUES (?, ?, ?)',
    );
    for (const { id, code, name } of rows) {
      if (id !== undefined) insert.run(id, code, code === null || code === '' ? name : null);
    }
  }

  clear(): void {
    this.#database.exec('DELETE FROM catalogue');
  }

  get isEmpty(): boolean {
    return this.#database.prepare('SELECT 1 FROM catalogue LIMIT 1').get() === undefined;
  }

  has(id: string): boolean {
    this.#has ??= this.#database.prepare('SELECT 1 FROM catalogue WHERE id = ?');
    return this.#has.get(id) !== undefined;
  }

  idsOf(key: Key, value: string): string[] {
    return this.#database
      .prepare(`SELECT id FROM catalogue WHERE ${key} = ?`)
      .all(value)
      .map(({ id }) => id as string);
  }

  /** How many there are, and how many of them have a code. */
  counts(): { readonly all: number; readonly coded: number } {
    return this.#database
      .prepare('SELECT count(*) AS "all", count(code) AS coded FROM catalogue')
      .get() as { all: number; coded: number };
  }

  /** Made once it is filled. */
  addIndexes(): void {
    this.#database.exec(
      'CREATE INDEX IF NOT EXISTS catalogue_by_code ON catalogue (code); CREATE INDEX IF NOT EXISTS catalogue_by_name ON catalogue (name) WHERE name IS NOT NULL',
    );
  }
}
