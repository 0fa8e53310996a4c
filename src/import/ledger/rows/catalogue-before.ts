import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Listed } from '../../../listing/page.ts';

/** Number of codes in one batch. */
export const CODES_PER_BATCH = 5_000;

/** The field by which a row is found in the list. */
export type Key = 'code' | 'name';

/** The records that existed before the first request of the run, which it did not create. */
export class Catalogue {
  readonly #database: DatabaseSync;
  #has: StatementSync | undefined;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Must be called in a transaction. Names are stored only for records without a code. */
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

  /** All codes, in batches. */
  *codes(): Generator<readonly string[]> {
    const statement = this.#database.prepare(
      `SELECT max(id) AS last, json_group_array(code) AS codes FROM (
        SELECT id, code FROM catalogue WHERE id > ? AND code IS NOT NULL
          ORDER BY id LIMIT ${CODES_PER_BATCH})`,
    );
    for (let last: unknown = ''; ; ) {
      const batch = statement.get(last as string)!;
      if (batch.last === null) return;
      last = batch.last;
      yield JSON.parse(batch.codes as string) as string[];
    }
  }

  idsOf(key: Key, value: string): string[] {
    return this.#database
      .prepare(`SELECT id FROM catalogue WHERE ${key} = ?`)
      .all(value)
      .map(({ id }) => id as string);
  }

  /** Number of records, and of those with a code. */
  counts(): { readonly all: number; readonly coded: number } {
    return this.#database
      .prepare('SELECT count(*) AS "all", count(code) AS coded FROM catalogue')
      .get() as { all: number; coded: number };
  }

  /** Called once all records are added. */
  addIndexes(): void {
    this.#database.exec(
      'CREATE INDEX IF NOT EXISTS catalogue_by_code ON catalogue (code); CREATE INDEX IF NOT EXISTS catalogue_by_name ON catalogue (name) WHERE name IS NOT NULL',
    );
  }
}
