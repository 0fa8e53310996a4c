import type { Queries } from '../queries.ts';
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
  readonly #sql: Queries;

  constructor(sql: Queries) {
    this.#sql = sql;
    sql.exec(TABLES);
  }

  /**
   * @param item JSON text
   * @param stored the code as the service is expected to store it
   */
  define(code: string, row: number, item: string, stored: string): void {
    this.#sql.run(
      'INSERT INTO defined VALUES (?, 1, ?, ?, 0, ?) ON CONFLICT (code) DO UPDATE SET lines = lines + 1, differs = differs OR item <> excluded.item',
      ...[code, row, item, stored],
    );
  }

  count(): number {
    return this.#sql.count('FROM defined');
  }

  isDefined(code: string): boolean {
    return this.#sql.get('SELECT 1 FROM defined WHERE code = ?', code) !== undefined;
  }

  /** Codes to look up: as the lines have them, and as the service is expected to store them. */
  wanted(): string[] {
    return this.#sql.values('SELECT code FROM defined UNION SELECT stored FROM defined');
  }

  isWanted(code: string): boolean {
    return (
      this.isDefined(code) ||
      this.#sql.get('SELECT 1 FROM defined WHERE stored = ?', code) !== undefined
    );
  }

  clashes(_stored: unknown, max: number): Clashes {
    const count = this.#sql.count(`FROM (${CLASHES})`);
    const samples = count === 0 ? [] : this.#sql.all<Clash>(`${CLASHES} ORDER BY row LIMIT ?`, max);
    return { count, samples };
  }

  longerThan(length: number, max: number) {
    const from = `FROM defined WHERE ${IS_NEW} AND length(code) > ${length}`;
    const codes = this.#sql.values(`SELECT code ${from} ORDER BY row LIMIT ?`, max);
    return { count: this.#sql.count(from), codes };
  }

  /** In the order of the file. */
  *eachCode(): Generator<string> {
    const rows = this.#sql.each<{ code: string }>('SELECT code FROM defined ORDER BY rowid');
    for (const { code } of rows) yield code;
  }

  rowOf(code: string): number {
    return this.#sql.get<{ row: number }>('SELECT row FROM defined WHERE code = ?', code)!.row;
  }

  linesOf(code: string): number | undefined {
    return this.#sql.get<{ lines: number }>('SELECT lines FROM defined WHERE code = ?', code)
      ?.lines;
  }

  know(code: string, id: string, name: string | undefined): void {
    this.#sql.run('INSERT OR IGNORE INTO known VALUES (?, ?, ?)', code, id, name ?? null);
  }

  knownWith(code: string): { readonly id: string; readonly name: string | null }[] {
    return this.#sql.all('SELECT id, name FROM known WHERE code = ? ORDER BY id', code);
  }

  forgetKnown(): void {
    this.#sql.exec('DELETE FROM known');
  }

  countShared(): number {
    return this.#sql.count(SHARED);
  }

  firstShared(max: number): { readonly code: string; readonly lines: number }[] {
    return this.#sql.all(`SELECT code, lines ${SHARED} ORDER BY row LIMIT ?`, max);
  }

  differing(max: number): string[] {
    return this.#sql.values(`SELECT code ${SHARED} AND differs ORDER BY row LIMIT ?`, max);
  }

  /** The first definition of each item in `SHARED`, as JSON text. */
  *shared(): Generator<string> {
    const rows = this.#sql.each<{ item: string }>(`SELECT item ${SHARED} ORDER BY row`);
    for (const { item } of rows) yield item;
  }

  [Symbol.dispose](): void {
    this.#sql.exec('DROP TABLE IF EXISTS temp.defined; DROP TABLE IF EXISTS temp.known');
  }
}
