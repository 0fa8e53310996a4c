import type { StoredProblem } from '../../core/problem/row-problem.ts';
import { type CodeChange, isChangedCode, storedCode } from '../../core/service/code-change.ts';
import type { Listed } from '../../listing/listing.ts';
import {
  countLines,
  type LineCounts,
  NO_LINES,
  type WithLines,
} from '../../nouns/shared/items-in-place.ts';
import type { RowPlace } from '../map/locate.ts';
import type { OtherName, OtherNames } from './facts.ts';
import type { Queries } from './run-database.ts';
import type { RowState, RowWriter } from './transitions.ts';

/**
 * The column that identifies rows. For nouns without a list, it is the fingerprint of the body.
 */
export type KeyColumn = Key | 'fingerprint';

export interface Sample {
  readonly row: number;
  /** Line of the source on which the row starts; null if not known. */
  readonly line: number | null;
  readonly code: string | null;
  readonly reason: StoredProblem | null;
  /** Id of the existing record. */
  readonly id?: string;
}

/** One of several pending rows with the same key. */
export interface KeyMember {
  readonly row: number;
  /** 1 if its body equals the body of the first of these rows. */
  readonly isSame: 0 | 1;
}

interface KeyHolder {
  readonly row: number;
  readonly state: 'pending' | 'sending' | 'created' | 'unconfirmed';
  readonly id: string | null;
}

export interface StoredBody {
  readonly row: number;
  /** JSON text. */
  readonly body: string;
}

const PER_BATCH = 2_000;

/** A pending row that may define an item in place. */
const DEFINING = `state = 'pending' AND instr(body, '"item":{') > 0`;

const STORED_KEYS = 'temp.stored_keys';

const HOLDING = "r.state IN ('pending', 'sending', 'created', 'unconfirmed')";

const HOLDERS = {
  code: `SELECT r.row, r.state, r.id FROM rows r WHERE r.code = ? AND ${HOLDING}`,
  name: `SELECT r.row, r.state, r.id FROM rows r WHERE r.name = ? AND ${HOLDING}`,
  stored: `SELECT r.row, r.state, r.id FROM ${STORED_KEYS} k CROSS JOIN rows r ON r.row = k.row
    WHERE k.code = ? AND ${HOLDING}`,
} as const;

const SAMPLE =
  'SELECT r.row, (SELECT line FROM records WHERE row = r.row) AS line, r.code, r.reason, r.id FROM rows r';

export class PlannedRows {
  readonly #sql: Queries;
  readonly #writer: RowWriter;
  /** The code of a row as the service stores it, in SQL. */
  #code = 'rows.code';

  constructor(sql: Queries, writer: RowWriter) {
    this.#sql = sql;
    this.#writer = writer;
  }

  hasPending({ withCode = false } = {}): boolean {
    const code = withCode ? 'AND code IS NOT NULL' : '';
    return this.#sql.has(`FROM rows WHERE state = 'pending' ${code}`);
  }

  /** Whether staging rejected a row that has a code. */
  hasRejectedCode(): boolean {
    return this.#sql.has(
      "FROM rows WHERE state = 'rejected' AND sent_at IS NULL AND code IS NOT NULL",
    );
  }

  /** Pending rows with the key of a record. Empty if this run may have created the record. */
  pendingLike(key: Key, value: string, id: string): number[] {
    const isStored = key === 'code' && this.#code !== 'rows.code';
    const holders = this.#sql.all<KeyHolder>(HOLDERS[isStored ? 'stored' : key], value);
    const mayBeOurs = ({ state, id: own }: KeyHolder) =>
      state === 'sending' || state === 'unconfirmed' || (state === 'created' && own === id);
    if (holders.some(mayBeOurs)) return [];
    return holders.filter(({ state }) => state === 'pending').map(({ row }) => row);
  }

  /** From now on, codes are compared with the list as the service stores them. */
  storeAs(change: CodeChange): void {
    this.#writer.defineStored((code) => storedCode(change, code));
    this.#code = 'stored_code(rows.code)';
    this.#sql.temporary(() =>
      this.#sql.exec(
        `DROP TABLE IF EXISTS ${STORED_KEYS};
         CREATE TEMP TABLE stored_keys AS SELECT row, ${this.#code} AS code FROM rows WHERE code IS NOT NULL;
         CREATE INDEX temp.stored_keys_by_code ON stored_keys (code)`,
      ),
    );
  }

  /** `pending` counts only rows that have a code or name. */
  recognisable(): { readonly pending: number; readonly existing: number } {
    return this.#sql.get(`SELECT count(*) FILTER (WHERE state = 'pending' AND (code IS NOT NULL OR name IS NOT NULL)) AS pending,
          count(*) FILTER (WHERE state = 'existing') AS existing FROM rows`)!;
  }

  samples(state: RowState, max: number): Sample[] {
    const sql = `${SAMPLE} WHERE r.state = ? ORDER BY r.row LIMIT ?`;
    const rows = this.#sql.all<Sample & { readonly id: string | null }>(sql, state, max);
    return rows.map(({ id, ...sample }) => (id === null ? sample : { ...sample, id }));
  }

  /** The first and the last rows in a state, in their order. */
  ends(
    state: RowState,
    first: number,
    last: number,
  ): readonly { readonly row: number; readonly line: number | null; readonly body: string }[] {
    const rows =
      'SELECT r.row, b.line, b.body FROM rows r JOIN records b USING (row) WHERE state = ?';
    return this.#sql.all(
      `SELECT * FROM (${rows} ORDER BY r.row LIMIT ?)
        UNION SELECT * FROM (${rows} ORDER BY r.row DESC LIMIT ?) ORDER BY row`,
      ...[state, first, state, last],
    );
  }

  /**
   * Keys that several rows have, in any state. The query ignores states, so it reads only an index.
   */
  repeatedKeys(column: KeyColumn): string[] {
    return this.#sql.values(
      `SELECT ${column} FROM rows WHERE ${column} IS NOT NULL GROUP BY ${column} HAVING count(*) > 1`,
    );
  }

  members(column: KeyColumn): (key: string) => Iterable<KeyMember> {
    const pending = `FROM rows r WHERE r.${column} = ? AND r.state = 'pending'`;
    // Not shared: the caller may read the members of two keys at once.
    const members = this.#sql.database.prepare(
      `SELECT r.row, b.body IS (SELECT body FROM records WHERE row = (SELECT min(r.row) ${pending})) AS isSame FROM rows r JOIN records b USING (row) WHERE r.${column} = ? AND r.state = 'pending' ORDER BY r.row`,
    );
    return (key) => members.iterate(key, key) as Iterable<unknown> as Iterable<KeyMember>;
  }

  /** Where the row and its values stand in the source. */
  rowPlace(row: number): RowPlace {
    const { line, places } = this.#sql.get<{ line: number | null; places: string | null }>(
      'SELECT line, places FROM records WHERE row = ?',
      row,
    )!;
    return { row, line, places: places === null ? undefined : JSON.parse(places) };
  }

  codesIn(state: RowState): string[] {
    return this.#sql.values(
      'SELECT DISTINCT code FROM rows WHERE state = ? AND code IS NOT NULL ORDER BY code',
      state,
    );
  }

  keyCounts(state: RowState): { readonly codes: number; readonly names: number } {
    return this.#sql.get(
      'SELECT count(DISTINCT code) AS codes, count(name) AS names FROM rows WHERE state = ?',
      state,
    )!;
  }

  countInCatalogue(): number {
    return this.#sql.count(`FROM ${this.#shown}`);
  }

  /** Existing rows whose record has left the catalogue or changed its code. */
  vanished(max: number): { readonly count: number; readonly rows: readonly Sample[] } {
    const gone = `r.state = 'existing' AND r.id IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM catalogue c WHERE c.id = r.id AND (r.code IS NULL OR c.code = ${this.#code.replace('rows.', 'r.')}))`;
    const rows = this.#sql.all<Sample>(`${SAMPLE} WHERE ${gone} ORDER BY r.row LIMIT ?`, max);
    return { count: this.#sql.count(`FROM rows r WHERE ${gone}`), rows };
  }

  inCatalogue(max: number): number[] {
    return this.#sql.values(`SELECT row FROM ${this.#shown} ORDER BY row LIMIT ?`, max);
  }

  /** Pending rows that the list shows. */
  get #shown(): string {
    return `rows WHERE state = 'pending' AND EXISTS (SELECT 1 FROM ${this.#inCatalogue})`;
  }

  get #inCatalogue(): string {
    return `catalogue c WHERE (rows.code IS NOT NULL AND ${this.#code} = c.code) OR (rows.name IS NOT NULL AND rows.name = c.name)`;
  }

  /** For a run that has sent nothing: rejected rows whose code exists. */
  findRejected(): number {
    return this.#writer.exist('find', this.#inCatalogue);
  }

  markInCatalogue(): number {
    return this.#writer.exist('exist', this.#inCatalogue);
  }

  /** In batches, so that no query is open while the file is written. */
  bodiesIn(state: RowState): Generator<StoredBody[]> {
    return this.#bodies(`state = '${state}'`);
  }

  bodiesWithItems(): Generator<StoredBody[]> {
    return this.#bodies(DEFINING);
  }

  #bodies(where: string): Generator<StoredBody[]> {
    return this.#sql.batches(
      `SELECT row, body FROM rows JOIN records USING (row)
        WHERE row > ? AND ${where} AND body IS NOT NULL ORDER BY row LIMIT ${PER_BATCH}`,
    );
  }

  /** The order lines that the bodies of these rows contain. */
  countLines(state: RowState): LineCounts {
    let counts = NO_LINES;
    for (const batch of this.bodiesIn(state)) {
      for (const { body } of batch) counts = countLines(JSON.parse(body) as WithLines, counts);
    }
    return counts;
  }

  /** Keeps the original record for the rejected file. */
  replaceBody(row: number, body: string): void {
    this.#sql.run(
      'UPDATE records SET fields = coalesce(fields, body), body = ? WHERE row = ?',
      ...[body, row],
    );
  }
}

/** The field by which a row is found in the list. */
export type Key = 'code' | 'name';

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

/** On disk, so that memory stays bounded. */
const TABLES = `
CREATE TEMP TABLE defined (
  code TEXT PRIMARY KEY, lines INTEGER NOT NULL, row INTEGER NOT NULL, item TEXT NOT NULL, differs INTEGER NOT NULL
) STRICT;
CREATE TEMP TABLE known (
  code TEXT NOT NULL, id TEXT NOT NULL, name TEXT, PRIMARY KEY (code, id)
) STRICT, WITHOUT ROWID`;

const IS_NEW = 'NOT EXISTS (SELECT 1 FROM known WHERE known.code = defined.code)';

/** Items that several lines define, with codes that no existing item has. */
const SHARED_ITEMS = `FROM defined WHERE lines > 1 AND ${IS_NEW}`;

/** Items that lines define in place, by code, and the existing items with these codes. */
export class LineItems implements Disposable {
  readonly #sql: Queries;

  constructor(sql: Queries) {
    this.#sql = sql;
    sql.exec(TABLES);
  }

  /** @param item JSON text */
  define(code: string, row: number, item: string): void {
    this.#sql.run(
      'INSERT INTO defined VALUES (?, 1, ?, ?, 0) ON CONFLICT (code) DO UPDATE SET lines = lines + 1, differs = differs OR item <> excluded.item',
      ...[code, row, item],
    );
  }

  count(): number {
    return this.#sql.count('FROM defined');
  }

  /** The first row that defines the item, and the number of lines that do. Undefined if there is none. */
  at(code: string): { readonly row: number; readonly lines: number } | undefined {
    return this.#sql.get('SELECT row, lines FROM defined WHERE code = ?', code);
  }

  /** Codes to look up. */
  wanted(): string[] {
    return this.#sql.values('SELECT code FROM defined');
  }

  isWanted(code: string): boolean {
    return this.#sql.has('FROM defined WHERE code = ?', code);
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
    return this.#sql.count(SHARED_ITEMS);
  }

  firstShared(max: number): { readonly code: string; readonly lines: number }[] {
    return this.#sql.all(`SELECT code, lines ${SHARED_ITEMS} ORDER BY row LIMIT ?`, max);
  }

  differing(max: number): string[] {
    return this.#sql.values(`SELECT code ${SHARED_ITEMS} AND differs ORDER BY row LIMIT ?`, max);
  }

  /** The first definition of each item in `SHARED_ITEMS`, as JSON text. */
  *shared(): Generator<string> {
    const rows = this.#sql.each<{ item: string }>(`SELECT item ${SHARED_ITEMS} ORDER BY row`);
    for (const { item } of rows) yield item;
  }

  [Symbol.dispose](): void {
    this.#sql.exec('DROP TABLE temp.defined; DROP TABLE temp.known');
  }
}
