import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { StoredProblem } from '../../../core/problem/row-problem.ts';
import { type CodeChange, storedCode } from '../../../core/service/code-change.ts';
import type { RowPlace } from '../../map/locate.ts';
import { CODES_PER_BATCH, type Key } from './catalogue-before.ts';
import type { RowWriter } from './row-writer.ts';
import { isQueryOnly, writeTemporary } from './shown-rows.ts';
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

export class PlannedRows {
  readonly #database: DatabaseSync;
  readonly #writer: RowWriter;
  #pendingWith: StatementSync | undefined;
  readonly #holders: Partial<Record<Key, StatementSync>> = {};
  #body: StatementSync | undefined;
  #replace: StatementSync | undefined;
  /** The code of a row as the service stores it, in SQL. */
  #code = 'rows.code';

  constructor(database: DatabaseSync, writer: RowWriter) {
    this.#database = database;
    this.#writer = writer;
  }

  hasPending({ withCode = false } = {}): boolean {
    const code = withCode ? 'AND code IS NOT NULL' : '';
    const some = `SELECT 1 FROM rows WHERE state = 'pending' ${code} LIMIT 1`;
    return this.#database.prepare(some).get() !== undefined;
  }

  /** Whether staging rejected a row that has a code. */
  hasRejectedCode(): boolean {
    const some =
      "SELECT 1 FROM rows WHERE state = 'rejected' AND sent_at IS NULL AND code IS NOT NULL LIMIT 1";
    return this.#database.prepare(some).get() !== undefined;
  }

  pendingWith(code: string): number[] {
    this.#pendingWith ??= this.#database.prepare(
      "SELECT row FROM rows WHERE code = ? AND state = 'pending'",
    );
    return this.#pendingWith.all(code).map(({ row }) => Number(row));
  }

  /** Pending rows with the key of a record. Empty if this run may have created the record. */
  pendingLike(key: Key, value: string, id: string): number[] {
    const isStored = key === 'code' && this.#code !== 'rows.code';
    this.#holders[key] ??= this.#database.prepare(
      isStored
        ? `SELECT r.row, r.state, r.id FROM ${STORED_KEYS} k CROSS JOIN rows r ON r.row = k.row
            WHERE k.code = ? AND ${HOLDING}`
        : `SELECT r.row, r.state, r.id FROM rows r WHERE r.${key} = ? AND ${HOLDING}`,
    );
    const holders = this.#holders[key].all(value) as unknown as KeyHolder[];
    const mayBeOurs = ({ state, id: own }: KeyHolder) =>
      state === 'sending' || state === 'unconfirmed' || (state === 'created' && own === id);
    if (holders.some(mayBeOurs)) return [];
    return holders.filter(({ state }) => state === 'pending').map(({ row }) => row);
  }

  /** From now on, codes are compared with the list as the service stores them. */
  storeAs(change: CodeChange): void {
    const database = this.#database;
    this.#writer.defineStored((code) => storedCode(change, code));
    this.#code = 'stored_code(rows.code)';
    this.#holders.code = undefined;
    writeTemporary(database, isQueryOnly(database), () =>
      database.exec(
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
    const database = this.#database;
    database.function('expected_code', { deterministic: true }, (code) => stored(String(code)));
    writeTemporary(database, isQueryOnly(database), () =>
      database.exec(
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
    const { n } = database.prepare(`SELECT count(*) AS n FROM (${found})`).get()!;
    const samples =
      n === 0 ? [] : database.prepare(`SELECT * FROM (${found}) ORDER BY row LIMIT ?`).all(max);
    return { count: Number(n), samples: samples as unknown as Clash[] };
  }

  /** The longest code of a pending row, with the number of codes longer than `length`. */
  longerThan(
    length: number,
    max: number,
  ): { readonly count: number; readonly codes: readonly string[] } {
    const where = "FROM rows WHERE state = 'pending' AND length(code) > ?";
    const { n } = this.#database.prepare(`SELECT count(*) AS n ${where}`).get(length)!;
    const codes = this.#database
      .prepare(`SELECT code ${where} ORDER BY row LIMIT ?`)
      .all(length, max);
    return { count: Number(n), codes: codes.map(({ code }) => String(code)) };
  }

  /** `pending` counts only rows that have a code or name. */
  recognisable(): { readonly pending: number; readonly existing: number } {
    return this.#database
      .prepare(
        `SELECT count(*) FILTER (WHERE state = 'pending' AND (code IS NOT NULL OR name IS NOT NULL)) AS pending,
          count(*) FILTER (WHERE state = 'existing') AS existing FROM rows`,
      )
      .get() as { pending: number; existing: number };
  }

  samples(state: RowState, max: number): Sample[] {
    const rows = this.#database
      .prepare(
        'SELECT r.row, (SELECT line FROM records WHERE row = r.row) AS line, r.code, r.reason, r.id FROM rows r WHERE r.state = ? ORDER BY r.row LIMIT ?',
      )
      .all(state, max);
    return rows.map(({ id, ...sample }) =>
      id === null ? sample : { ...sample, id },
    ) as unknown as Sample[];
  }

  /**
   * Keys that several rows have, in any state. The query ignores states, so it reads only an index.
   */
  repeatedKeys(column: KeyColumn): string[] {
    return this.#database
      .prepare(
        `SELECT ${column} AS key FROM rows WHERE ${column} IS NOT NULL GROUP BY ${column} HAVING count(*) > 1`,
      )
      .all()
      .map(({ key }) => key as string);
  }

  members(column: KeyColumn): (key: string) => Iterable<KeyMember> {
    const pending = `FROM rows r WHERE r.${column} = ? AND r.state = 'pending'`;
    const members = this.#database.prepare(
      `SELECT r.row, b.body IS (SELECT body FROM records WHERE row = (SELECT min(r.row) ${pending})) AS isSame FROM rows r JOIN records b USING (row) WHERE r.${column} = ? AND r.state = 'pending' ORDER BY r.row`,
    );
    return (key) => members.iterate(key, key) as Iterable<unknown> as Iterable<KeyMember>;
  }

  keyOf(row: number, column: 'code' | 'fingerprint'): string | null {
    return this.#database.prepare(`SELECT ${column} AS key FROM rows WHERE row = ?`).get(row)!
      .key as string | null;
  }

  /** JSON text. */
  bodyOf(row: number): string {
    this.#body ??= this.#database.prepare('SELECT body FROM records WHERE row = ?');
    return this.#body.get(row)!.body as string;
  }

  /**
   * In the order of the rows. SQLite returns each batch as one JSON text, which is much faster than
   * one row at a time.
   */
  *pendingCodes(): Generator<readonly string[]> {
    const statement = this.#database.prepare(
      `SELECT max(row) AS last, json_group_array(code) AS codes FROM (
        SELECT row, code FROM rows WHERE row > ? AND state = 'pending' AND code IS NOT NULL
          ORDER BY row LIMIT ${CODES_PER_BATCH})`,
    );
    for (let last: unknown = 0; ; ) {
      const batch = statement.get(last as number)!;
      if (batch.last === null) return;
      last = batch.last;
      yield JSON.parse(batch.codes as string) as string[];
    }
  }

  lineOf(row: number): number | null {
    const found = this.#database.prepare('SELECT line FROM records WHERE row = ?').get(row);
    return (found?.line ?? null) as number | null;
  }

  /** Where the row and its values stand in the source. */
  rowPlace(row: number): RowPlace {
    const found = this.#database
      .prepare('SELECT line, places FROM records WHERE row = ?')
      .get(row) as { line: number | null; places: string | null } | undefined;
    const places = found?.places ?? null;
    return { row, line: found?.line, ...(places === null ? {} : { places: JSON.parse(places) }) };
  }

  codesIn(state: RowState): string[] {
    return this.#database
      .prepare('SELECT DISTINCT code FROM rows WHERE state = ? AND code IS NOT NULL ORDER BY code')
      .all(state)
      .map(({ code }) => code as string);
  }

  keyCounts(state: RowState): { readonly codes: number; readonly names: number } {
    return this.#database
      .prepare(
        'SELECT count(DISTINCT code) AS codes, count(name) AS names FROM rows WHERE state = ?',
      )
      .get(state) as { codes: number; names: number };
  }

  countInCatalogue(): number {
    const shown = `state = 'pending' AND EXISTS (SELECT 1 FROM ${this.#inCatalogue})`;
    return Number(this.#database.prepare(`SELECT count(*) AS n FROM rows WHERE ${shown}`).get()!.n);
  }

  /** Existing rows whose record has left the catalogue or changed its code. */
  vanished(max: number): { readonly count: number; readonly rows: readonly Sample[] } {
    const gone = `r.state = 'existing' AND r.id IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM catalogue c WHERE c.id = r.id AND (r.code IS NULL OR c.code = ${this.#code.replace('rows.', 'r.')}))`;
    const { n } = this.#database.prepare(`SELECT count(*) AS n FROM rows r WHERE ${gone}`).get()!;
    if (Number(n) === 0) return { count: 0, rows: [] };
    const rows = this.#database
      .prepare(
        `SELECT r.row, (SELECT line FROM records WHERE row = r.row) AS line, r.code, r.reason, r.id FROM rows r WHERE ${gone} ORDER BY r.row LIMIT ?`,
      )
      .all(max);
    return { count: Number(n), rows: rows as unknown as Sample[] };
  }

  inCatalogue(max: number): number[] {
    return this.#database
      .prepare(
        `SELECT row FROM rows WHERE state = 'pending' AND EXISTS (SELECT 1 FROM ${this.#inCatalogue}) ORDER BY row LIMIT ?`,
      )
      .all(max)
      .map(({ row }) => Number(row));
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

  *#bodies(where: string): Generator<StoredBody[]> {
    const statement = this.#database.prepare(
      `SELECT row, body FROM rows JOIN records USING (row)
        WHERE row > ? AND ${where} AND body IS NOT NULL ORDER BY row LIMIT ?`,
    );
    for (let last = 0; ; ) {
      const rows = statement.all(last, PER_BATCH) as unknown as StoredBody[];
      if (rows.length === 0) return;
      last = rows.at(-1)!.row;
      yield rows;
    }
  }

  /** Keeps the original record for the rejected file. */
  replaceBody(row: number, body: string): void {
    this.#replace ??= this.#database.prepare(
      'UPDATE records SET fields = coalesce(fields, body), body = ? WHERE row = ?',
    );
    this.#replace.run(body, row);
  }
}
