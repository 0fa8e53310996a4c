import { isChangedCode } from '../../../core/service/code-change.ts';
import type { Listed } from '../../../listing/listing.ts';
import type { Queries } from '../queries.ts';

export const CODES_PER_BATCH = 5_000;

/** The field by which a row is found in the list. */
export type Key = 'code' | 'name';

/** A row whose code exists in the catalogue under another name. */
interface OtherName {
  readonly row: number;
  readonly line: number | null;
  readonly code: string;
  readonly name: string;
  readonly catalogueName: string;
  readonly id: string;
}

export interface OtherNames {
  readonly count: number;
  readonly samples: readonly OtherName[];
}

/**
 * The records that existed before the first request of the run. Records that others create during
 * the run are added if a row of the run has the same key.
 */
export class Catalogue {
  readonly #sql: Queries;

  constructor(sql: Queries) {
    this.#sql = sql;
  }

  /** Must be called in a transaction. Names are stored only for records without a code. */
  add(rows: Iterable<Listed>): void {
    const insert = this.#sql.prepare(
      'INSERT OR IGNORE INTO catalogue (id, code, name) VALUES (?, ?, ?)',
    );
    for (const { id, code, name } of rows) {
      if (id !== undefined) insert.run(id, code, code === null || code === '' ? name : null);
    }
  }

  clear(): void {
    this.#sql.exec('DELETE FROM catalogue; DROP TABLE IF EXISTS temp.compared_names');
  }

  /**
   * Compares the name of each record with the names of the pending rows that have the same code.
   * Must be called in a transaction, before rows are marked as existing.
   */
  compareNames(rows: Iterable<Listed>, nameField: string): void {
    this.#sql.exec(
      'CREATE TEMP TABLE IF NOT EXISTS compared_names (row INTEGER PRIMARY KEY, id TEXT, name TEXT, is_same INTEGER) STRICT',
    );
    // Several records may have the code of a row. It is enough if one record also has the name of
    // the row.
    const compare = this.#sql.prepare(
      `INSERT INTO compared_names
        SELECT r.row, ?, ?, b.body ->> ? = ? FROM rows r JOIN records b ON b.row = r.row
          WHERE r.code = ? AND r.state = 'pending' AND b.body ->> ? IS NOT NULL
        ON CONFLICT (row) DO UPDATE SET is_same = max(is_same, excluded.is_same)`,
    );
    const path = `$.${JSON.stringify(nameField)}`;
    for (const { id, code, name } of rows) {
      const trimmed = name?.trim() ?? '';
      if (id !== undefined && code !== null && code !== '') {
        compare.run(id, trimmed, path, trimmed, code, path);
      }
    }
  }

  otherNames(nameField: string, max: number): OtherNames | undefined {
    if (!this.#sql.has("FROM temp.sqlite_schema WHERE name = 'compared_names'")) return undefined;
    const other = 'compared_names n WHERE n.is_same = 0';
    const count = this.#sql.count(`FROM ${other}`);
    if (count === 0) return undefined;
    const samples = this.#sql.all<OtherName>(
      `SELECT n.row, b.line, (SELECT code FROM rows WHERE row = n.row) AS code, b.body ->> ? AS name,
            n.name AS catalogueName, n.id
          FROM compared_names n JOIN records b ON b.row = n.row WHERE n.is_same = 0 ORDER BY n.row LIMIT ?`,
      `$.${JSON.stringify(nameField)}`,
      max,
    );
    return { count, samples };
  }

  get isEmpty(): boolean {
    return !this.#sql.has('FROM catalogue');
  }

  has(id: string): boolean {
    return this.#sql.get('SELECT 1 FROM catalogue WHERE id = ?', id) !== undefined;
  }

  /** The code of the record, empty if it has none. Undefined if the catalogue does not have the record. */
  codeOf(id: string): string | undefined {
    const found = this.#sql.get<{ code: string | null }>(
      'SELECT code FROM catalogue WHERE id = ?',
      id,
    );
    return found === undefined ? undefined : (found.code ?? '');
  }

  /** Whether the catalogue has the record, under this code or a form of it. */
  shows(id: string, code: string | null): boolean {
    const stored = this.codeOf(id);
    if (stored === undefined) return false;
    return code === null || stored === code || isChangedCode(code, stored);
  }

  /** Must be called in a transaction. From now on, no answer can give these ids to a row. */
  addTakenIds(rows: Iterable<Listed>): void {
    const insert = this.#sql.prepare('INSERT OR IGNORE INTO taken_ids VALUES (?)');
    for (const { id } of rows) if (id !== undefined) insert.run(id);
  }

  codes(): Generator<readonly string[]> {
    return this.#sql.texts(
      `SELECT max(id) AS last, json_group_array(code) AS texts FROM (
        SELECT id, code FROM catalogue WHERE id > ? AND code IS NOT NULL
          ORDER BY id LIMIT ${CODES_PER_BATCH})`,
      '',
    );
  }

  idsOf(key: Key, value: string): string[] {
    return this.#sql.values(`SELECT id FROM catalogue WHERE ${key} = ?`, value);
  }

  count(): number {
    return this.#sql.count('FROM catalogue');
  }

  /**
   * Must be called after the list is read, because adding records to an indexed table takes longer.
   */
  addIndexes(): void {
    const index = 'CREATE INDEX IF NOT EXISTS catalogue_by';
    this.#sql.exec(
      `${index}_code ON catalogue (code); ${index}_name ON catalogue (name) WHERE name IS NOT NULL`,
    );
  }
}
