import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { RunRows } from './run-rows.ts';

const CREATED = "FROM rows WHERE state = 'created' AND code IS NOT NULL";

/**
 * The created rows that the list of the service shows. Stored on disk, because a list may have a
 * million rows.
 */
export class ShownRows {
  readonly #database: DatabaseSync;
  readonly #created: StatementSync;
  readonly #add: StatementSync;

  constructor({ database }: RunRows) {
    this.#database = database;
    database.exec(
      'DROP TABLE IF EXISTS temp.shown; CREATE TEMP TABLE shown (id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID',
    );
    this.#created = database.prepare(
      "SELECT r.id FROM keys k JOIN rows r ON r.key = k.key WHERE k.code = ? AND r.state = 'created'",
    );
    this.#add = database.prepare('INSERT OR IGNORE INTO temp.shown VALUES (?)');
  }

  createdWith(code: string): string[] {
    return this.#created.all(code).map(({ id }) => id as string);
  }

  add(id: string): void {
    this.#add.run(id);
  }

  get isEmpty(): boolean {
    return this.#database.prepare('SELECT 1 FROM temp.shown LIMIT 1').get() === undefined;
  }

  /** Created rows with a code that the list does not show: their number, and the first of them. */
  missing(max: number): {
    readonly count: number;
    readonly first: readonly { readonly code: string; readonly id: string }[];
  } {
    const missing = `${CREATED} AND id NOT IN (SELECT id FROM temp.shown)`;
    const { n } = this.#database.prepare(`SELECT count(*) AS n ${missing}`).get() as { n: number };
    const first =
      n === 0
        ? []
        : this.#database.prepare(`SELECT code, id ${missing} ORDER BY key LIMIT ?`).all(max);
    return { count: n, first: first as never };
  }
}
