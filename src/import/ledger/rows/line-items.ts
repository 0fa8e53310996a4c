import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Clash, Clashes } from './planned-rows.ts';

/** On disk, so that memory stays bounded. */
const TABLES = `
DROP TABLE IF EXISTS temp.defined; DROP TABLE IF EXISTS temp.known;
CREATE TEMP TABLE defined (
  code TEXT PRIMARY KEY, lines INTEGER NOT NULL, row INTEGER NOT NULL, item TEXT NOT NULL, differs INTEGER NOT NULL,
  stored TEXT NOT NULL
) STRICT;
CREATE INDEX temp.defined_by_stored ON defined (stored);
CREATE TEMP TABLE known (
  code TEXT NOT NULL, id TEXT NOT NULL, name TEXT, PRIMARY KEY (code, id)
) STRICT, WITHOUT ROWID`;

const IS_NEW = 'NOT EXISTS (SELECT 1 FROM known WHERE known.code = defined.code)';

/** Items that several lines define, with codes that no existing item has. */
const SHARED = `FROM defined WHERE lines > 1 AND ${IS_NEW}`;

/** New items that the service will store under the code of an existing item, or of another new one. */
const CLASHES = `WITH new AS (SELECT *, rowid AS nth FROM defined WHERE ${IS_NEW})
  SELECT n.row, n.code, n.stored, k.code AS other, NULL AS otherRow
    FROM new n JOIN known k ON k.code = n.stored AND k.code <> n.code GROUP BY n.code
  UNION ALL SELECT n.row, n.code, n.stored, o.code, min(o.row)
    FROM new n JOIN new o ON o.stored = n.stored AND o.nth < n.nth GROUP BY n.code`;

/** Items that lines define in place, by code, and the existing items with these codes. */
export class LineItems implements Disposable {
  readonly #database: DatabaseSync;
  readonly #define: StatementSync;
  readonly #isDefined: StatementSync;
  readonly #isStored: StatementSync;
  readonly #know: StatementSync;
  readonly #lines: StatementSync;
  readonly #known: StatementSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
    database.exec(TABLES);
    this.#define = database.prepare(
      'INSERT INTO defined VALUES (?, 1, ?, ?, 0, ?) ON CONFLICT (code) DO UPDATE SET lines = lines + 1, differs = differs OR item <> excluded.item',
    );
    this.#isDefined = database.prepare('SELECT 1 FROM defined WHERE code = ?');
    this.#isStored = database.prepare('SELECT 1 FROM defined WHERE stored = ?');
    this.#know = database.prepare('INSERT OR IGNORE INTO known VALUES (?, ?, ?)');
    this.#lines = database.prepare('SELECT lines FROM defined WHERE code = ?');
    this.#known = database.prepare('SELECT id, name FROM known WHERE code = ? ORDER BY id');
  }

  /**
   * @param item JSON text
   * @param stored the code as the service is expected to store it
   */
  define(code: string, row: number, item: string, stored: string): void {
    this.#define.run(code, row, item, stored);
  }

  count(): number {
    return this.#count('FROM defined');
  }

  isDefined(code: string): boolean {
    return this.#isDefined.get(code) !== undefined;
  }

  /** Codes to look up: as the lines have them, and as the service is expected to store them. */
  wanted(): string[] {
    const codes = this.#all('SELECT code FROM defined UNION SELECT stored FROM defined');
    return codes.map(({ code }) => code as string);
  }

  isWanted(code: string): boolean {
    return this.isDefined(code) || this.#isStored.get(code) !== undefined;
  }

  clashes(_stored: unknown, max: number): Clashes {
    const count = this.#count(`FROM (${CLASHES})`);
    const samples = count === 0 ? [] : this.#all(`${CLASHES} ORDER BY row LIMIT ?`, max);
    return { count, samples: samples as unknown as Clash[] };
  }

  longerThan(length: number, max: number) {
    const from = `FROM defined WHERE ${IS_NEW} AND length(code) > ${length}`;
    const codes = this.#all(`SELECT code ${from} ORDER BY row LIMIT ?`, max);
    return { count: this.#count(from), codes: codes.map(({ code }) => code as string) };
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
