import type { StoredProblem } from '../../../core/problem/row-problem.ts';
import { type CodeChange, storedCode } from '../../../core/service/code-change.ts';
import type { RowPlace } from '../../map/locate.ts';
import type { Queries } from '../queries.ts';
import { CODES_PER_BATCH, type Key } from './catalogue-before.ts';
import type { RowWriter } from './row-writer.ts';
import type { RowState } from './transitions.ts';

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

/** Two codes that the service will store as one. */
export interface Clash {
  readonly row: number;
  readonly code: string;
  readonly stored: string;
  readonly other: string;
  /** Null if `other` is the code of an existing record. */
  readonly otherRow: number | null;
}

export interface Clashes {
  readonly count: number;
  readonly samples: readonly Clash[];
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

  pendingWith(code: string): number[] {
    return this.#sql.values("SELECT row FROM rows WHERE code = ? AND state = 'pending'", code);
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

  /**
   * Pending rows whose codes will be stored as the code of an existing record or of an earlier row, although now
   * they differ.
   *
   * @param stored the code as the service will store it
   */
  clashes(stored: (code: string) => string, max: number): Clashes {
    const { database } = this.#sql;
    database.function('expected_code', { deterministic: true }, (code) => stored(String(code)));
    this.#sql.temporary(() =>
      this.#sql.exec(
        `DROP TABLE IF EXISTS temp.expected_codes;
         CREATE TEMP TABLE expected_codes AS SELECT row, code, expected_code(code) AS stored
           FROM rows WHERE state = 'pending' AND code IS NOT NULL;
         CREATE INDEX temp.expected_codes_by_stored ON expected_codes (stored)`,
      ),
    );
    const found = `SELECT e.row, e.code, e.stored, c.code AS other, NULL AS otherRow
        FROM temp.expected_codes e JOIN catalogue c ON c.code = e.stored AND c.code <> e.code
      UNION ALL SELECT e.row, e.code, e.stored, o.code, min(o.row)
        FROM temp.expected_codes e JOIN temp.expected_codes o
          ON o.stored = e.stored AND o.row < e.row AND o.code <> e.code GROUP BY e.row`;
    const samples = this.#sql.all<Clash>(`SELECT * FROM (${found}) ORDER BY row LIMIT ?`, max);
    return { count: this.#sql.count(`FROM (${found})`), samples };
  }

  /** The longest code of a pending row, with the number of codes longer than `length`. */
  longerThan(
    length: number,
    max: number,
  ): { readonly count: number; readonly codes: readonly string[] } {
    const where = "FROM rows WHERE state = 'pending' AND length(code) > ?";
    const codes = this.#sql.values(`SELECT code ${where} ORDER BY row LIMIT ?`, length, max);
    return { count: this.#sql.count(where, length), codes };
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

  keyOf(row: number, column: 'code' | 'fingerprint'): string | null {
    return this.#sql.values<string | null>(`SELECT ${column} FROM rows WHERE row = ?`, row)[0]!;
  }

  /** JSON text. */
  bodyOf(row: number): string {
    return this.#sql.get<StoredBody>('SELECT body FROM records WHERE row = ?', row)!.body;
  }

  /** In the order of the rows. */
  pendingCodes(): Generator<readonly string[]> {
    return this.#sql.texts(
      `SELECT max(row) AS last, json_group_array(code) AS texts FROM (
        SELECT row, code FROM rows WHERE row > ? AND state = 'pending' AND code IS NOT NULL
          ORDER BY row LIMIT ${CODES_PER_BATCH})`,
      0,
    );
  }

  lineOf(row: number): number | null {
    return this.#sql.get<Sample>('SELECT line FROM records WHERE row = ?', row)?.line ?? null;
  }

  /** Where the row and its values stand in the source. */
  rowPlace(row: number): RowPlace {
    const found = this.#sql.get<{ readonly line: number | null; readonly places: string | null }>(
      'SELECT line, places FROM records WHERE row = ?',
      row,
    );
    const places = found?.places ?? null;
    return { row, line: found?.line, ...(places === null ? {} : { places: JSON.parse(places) }) };
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
    return this.#writer.find(
      `EXISTS (SELECT 1 FROM ${this.#inCatalogue})`,
      `(SELECT min(c.id) FROM ${this.#inCatalogue})`,
    );
  }

  markInCatalogue(): number {
    return this.#writer.exist(
      `EXISTS (SELECT 1 FROM ${this.#inCatalogue})`,
      `(SELECT min(c.id) FROM ${this.#inCatalogue})`,
    );
  }

  /** In batches, so that no query is open while the journal is written. */
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

  /** Keeps the original record for the rejected file. */
  replaceBody(row: number, body: string): void {
    this.#sql.run(
      'UPDATE records SET fields = coalesce(fields, body), body = ? WHERE row = ?',
      ...[body, row],
    );
  }
}
