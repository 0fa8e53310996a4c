import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** On disk, so that memory stays bounded. */
const TABLES = `
DROP TABLE IF EXISTS temp.defined; DROP TABLE IF EXISTS temp.known;
CREATE TEMP TABLE defined (
  code TEXT PRIMARY KEY, lines INTEGER NOT NULL, row INTEGER NOT NULL, item TEXT NOT NULL, differs INTEGER NOT NULL
) STRICT;
CREATE TEMP TABLE known (
  code TEXT NOT NULL, id TEXT NOT NULL, name TEXT, PRIMARY KEY (code, id)
) STRICT, WITHOUT ROWID`;

/** Items that several lines define, with codes that no existing item has. */
const SHARED =
  'FROM defined WHERE lines > 1 AND NOT EXISTS (SELECT 1 FROM known WHERE known.code = defined.code)';

/** Items that lines define in place, by code, and the existing items with these codes. */
export class LineItems implements Disposable {
  readonly #database: DatabaseSync;
  readonly #define: StatementSync;
  readonly #isDefined: StatementSync;
  readonly #know: StatementSync;
  readonly #lines: StatementSync;
  readonly #known: StatementSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
    database.exec(TABLES);
    this.#define = database.prepare(
      'INSERT INTO defined VALUES (?, 1, ?, ?, 0) ON CONFLICT (code) DO UPDATE SET lines = lines + 1, differs = differs OR item <> excluded.item',
    );
    this.#isDefined = database.prepare('SELECT 1 FROM defined WHERE code = ?');
    this.#know = database.prepare('INSERT OR IGNORE INTO known VALUES (?, ?, ?)');
    this.#lines = database.prepare('SELECT lines FROM defined WHERE code = ?');
    this.#known = database.prepare('SELECT id, name FROM known WHERE code = ? ORDER BY id');
  }

  /** @param item JSON text */
  define(code: string, row: number, item: string): void {
    this.#define.run(code, row, item);
  }

  count(): number {
    return this.#count('FROM defined');
  }

  isDefined(code: string): boolean {
    return this.#isDefined.get(code) !== undefined;
  }

  codes(): string[] {
    return this.#all('SELECT code FROM defined').map(({ code }) => code as string);
  }

  /** In the order of the file. */
  *eachCode(): Generator<string> {
    const rows = this.#database.prepare('SELECT code FROM defined ORDER BY rowid').iterate();
    for (const { code } of rows) yield code as string;
  }

  rowOf(code: string): number {
    return Number(this.#database.prepare('SELECT row FROM defined WHERE code = ?').get(code)!.row);
  }

  linesOf(code: string): number | undefined {
    return this.#lines.get(code)?.lines as number | undefined;
  }

  know(code: string, id: string, name: string | undefined): void {
    this.#know.run(code, id, name ?? null);
  }

  knownWith(code: string): { readonly id: string; readonly name: string | null }[] {
    return this.#known.all(code) as never;
  }

  forgetKnown(): void {
    this.#database.exec('DELETE FROM known');
  }

  countShared(): number {
    return this.#count(SHARED);
  }

  firstShared(max: number): { readonly code: string; readonly lines: number }[] {
    return this.#all(`SELECT code, lines ${SHARED} ORDER BY row LIMIT ?`, max) as never;
  }

  differing(max: number): string[] {
    const rows = this.#all(`SELECT code ${SHARED} AND differs ORDER BY row LIMIT ?`, max);
    return rows.map(({ code }) => code as string);
  }

  /** The first definition of each item in `SHARED`, as JSON text. */
  *shared(): Generator<string> {
    const rows = this.#database.prepare(`SELECT item ${SHARED} ORDER BY row`).iterate();
    for (const { item } of rows) yield item as string;
  }

  #count(from: string): number {
    return Number(this.#database.prepare(`SELECT count(*) AS n ${from}`).get()!.n);
  }

  #all(sql: string, ...values: number[]) {
    return this.#database.prepare(sql).all(...values);
  }

  [Symbol.dispose](): void {
    this.#database.exec('DROP TABLE IF EXISTS temp.defined; DROP TABLE IF EXISTS temp.known');
  }
}
