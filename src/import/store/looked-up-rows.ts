import { type CodeChange, storedCode } from '../../core/service/code-change.ts';
import type { Listed } from '../../listing/listing.ts';
import type { Key } from './planned-rows.ts';
import type { Queries } from './run-database.ts';
import type { StoredRow } from './transitions.ts';

/**
 * Rows to look up: sent until a given time and unconfirmed, or refused because the key was taken
 * (409).
 */
const OPEN = `
  SELECT row, code, name, state, sent_at AS at FROM rows
    WHERE state = 'unconfirmed' AND sent_at <= ? AND looked_up = 0
  UNION ALL SELECT row, code, name, state, 0 FROM rows
    WHERE status = 409 AND state = 'rejected' AND looked_up = 0`;

/** Rows that no look-up can find, because they have neither code nor name. */
const KEYLESS = `SELECT row, state FROM (${OPEN}) WHERE code IS NULL AND name IS NULL`;

/** Created rows up to this many rows away count as near. */
const NEAR = 20_000;
const MOST_NEAR = 1_000;

const EVER = Number.MAX_SAFE_INTEGER;

export interface OpenRow extends Pick<StoredRow, 'row' | 'code' | 'name'> {
  readonly state: 'unconfirmed' | 'rejected';
}

export type RowResponse = Pick<StoredRow, 'status' | 'reason'>;

export interface Member
  extends Pick<StoredRow, 'row' | 'id' | 'status' | 'reason' | 'sent_at' | 'looked_up' | 'tries'> {
  readonly state: 'unconfirmed' | 'rejected' | 'created' | 'sending';
}

/** Still to be looked up: unconfirmed, or refused because the key was taken (409). */
export function isOpen(
  member: Member,
): member is Member & { readonly state: 'unconfirmed' | 'rejected' } {
  const { state, looked_up: looked } = member;
  return looked === 0 && (state === 'unconfirmed' || state === 'rejected');
}

export interface Unconfirmed
  extends Pick<StoredRow, 'row' | 'code' | 'name' | 'fingerprint' | 'status' | 'reason'>,
    Pick<StoredRow, 'sent_at' | 'looked_up'> {
  /** JSON text. */
  readonly body: string;
}

export class UnconfirmedRows {
  readonly #sql: Queries;

  constructor(sql: Queries) {
    this.#sql = sql;
  }

  all(): Unconfirmed[] {
    return this.#sql.all(
      "SELECT r.row, r.code, r.name, r.reason, r.status, r.sent_at, r.looked_up, r.fingerprint, b.body FROM rows r JOIN records b USING (row) WHERE r.state IN ('unconfirmed', 'sending') ORDER BY r.row",
    );
  }

  lastSentAt(): number | undefined {
    const [last] = this.#sql.values<number | null>(
      "SELECT max(sent_at) FROM rows WHERE state = 'unconfirmed'",
    );
    return last ?? undefined;
  }

  /**
   * When the first row to look up was sent, ms. A row whose key was taken counts as sent at 0.
   * Undefined if no row is left.
   */
  firstOpenAt(): number | undefined {
    const { at, n } = this.#sql.get<{ at: number | null; n: number }>(
      `SELECT min(at) AS at, count(*) AS n FROM (${OPEN})`,
      EVER,
    )!;
    return n === 0 ? undefined : (at ?? 0);
  }

  /**
   * Rows to look up that were sent until a time, ordered by code.
   *
   * @param max undefined for all rows
   */
  openUntil(until: number, max: number | undefined): OpenRow[] {
    return this.#sql.all(`${OPEN} ORDER BY code LIMIT ?`, until, max ?? -1);
  }

  keyless(): Pick<OpenRow, 'row' | 'state'>[] {
    return this.#sql.all(KEYLESS, EVER);
  }

  /**
   * Rows with this key that may have a record, or that were refused because the key was taken
   * (409).
   */
  members(key: Key, value: string): Member[] {
    return this.#sql.all(
      `SELECT r.row, r.state, r.id, r.status, r.sent_at, r.looked_up, r.tries, r.reason
         FROM rows r WHERE r.${key} = ? AND (r.state IN ('unconfirmed', 'created', 'sending') OR (r.state = 'rejected' AND r.status = 409))
         ORDER BY r.row`,
      value,
    );
  }

  /**
   * Created rows that have a code and a row number near `row`.
   *
   * @param sentUntil only rows that were sent until this time, ms
   */
  *createdNear(row: number, sentUntil: number): Generator<CreatedRow> {
    const near = (range: string, order: string) =>
      this.#sql.all<CreatedRow>(
        `SELECT code AS key, id FROM rows
           WHERE ${range} AND state = 'created' AND code IS NOT NULL AND sent_at <= ?
           ORDER BY row ${order} LIMIT ${MOST_NEAR}`,
        sentUntil,
      );
    yield* near(`row > ${row} AND row < ${row + NEAR}`, 'ASC');
    yield* near(`row < ${row} AND row > ${row - NEAR}`, 'DESC');
  }
}

/** A row that this run created. Its key is its code; without a code, its name. */
export interface CreatedRow {
  readonly key: string;
  readonly id: string;
}

/** Kept in memory. */
const MOST_REFUSED = 100_000;

const CREATED_BY_THIS_RUN = "state = 'created'";

const OF_KEY: Readonly<Record<Key, string>> = {
  code: 'r.code IS NOT NULL',
  name: 'r.code IS NULL AND r.name IS NOT NULL',
};

/**
 * What the list shows after the run: the created rows, and other new records. A list may have a million
 * rows, so the created ones are a bit each, and the others are on disk.
 */
export class ShownRows {
  readonly #sql: Queries;
  readonly #change: CodeChange | undefined;
  /** One bit for each row of the run. */
  #shown = new Uint8Array(8_192);
  #refused: ReadonlyMap<string, string> | undefined;

  /** @param change how the service stores codes */
  constructor(sql: Queries, change: CodeChange | undefined) {
    this.#change = change;
    this.#sql = sql;
    sql.temporary(() =>
      sql.exec(
        'DROP TABLE IF EXISTS temp.others; CREATE TEMP TABLE others (id TEXT PRIMARY KEY, is_explained INTEGER NOT NULL) STRICT, WITHOUT ROWID',
      ),
    );
    sql.database.function('is_shown', (row) => (this.#isShown(Number(row)) ? 1 : 0));
  }

  createdWith(key: Key, value: string): string[] {
    return this.#sql.values(
      `SELECT r.id FROM rows r WHERE r.${key} = ? AND ${OF_KEY[key]} AND r.state = 'created'`,
      value,
    );
  }

  /** @returns by id, the keys of the created rows that the list shows under their keys, as they were sent */
  add(rows: readonly Listed[]): ReadonlyMap<string, string> {
    const ids = rows.flatMap(({ id }) => id ?? []);
    const created = new Map(this.#createdAs(ids).map((found) => [found.id, found]));
    const shown = new Map<string, string>();
    for (const listed of rows) {
      const { key, value } = keyOf(listed);
      const found = listed.id === undefined ? undefined : created.get(listed.id);
      if (value === null || found === undefined) continue;
      if (key === 'name' && found.code !== null) continue;
      const sent = found[key];
      if (sent === null) continue;
      if ((key === 'code' ? storedCode(this.#change, sent) : sent) !== value) continue;
      this.#note(found.row);
      shown.set(listed.id!, sent);
    }
    return shown;
  }

  /** The code of a row that the service refused, if the list shows it as the code of a record. */
  refusedAs(value: string): string | undefined {
    this.#refused ??= new Map(
      this.#sql
        .values(`SELECT code FROM rows WHERE state = 'rejected' AND sent_at IS NOT NULL
             AND code IS NOT NULL LIMIT ${MOST_REFUSED}`)
        .map((code) => [storedCode(this.#change, code), code]),
    );
    return this.#refused.get(value);
  }

  isOpen(key: Key, value: string): boolean {
    return this.#sql.has(
      `FROM rows WHERE ${key} = ? AND state IN ('unconfirmed', 'sending')`,
      value,
    );
  }

  /** Whether the list shows one of these created rows under its key. */
  hasOneOf(ids: readonly string[]): boolean {
    return this.#createdAs(ids).some(({ row }) => this.#isShown(row));
  }

  /** @param isExplained whether an unconfirmed row has the key of the record */
  addOther(id: string, isExplained: boolean): void {
    this.#sql.temporary(() =>
      this.#sql.run('INSERT OR IGNORE INTO temp.others VALUES (?, ?)', id, isExplained ? 1 : 0),
    );
  }

  /**
   * Created rows that the list does not show under their key.
   *
   * @param sentUntil only rows that were sent until this time, ms
   */
  missing(
    keys: readonly Key[],
    max: number,
    sentUntil = Number.MAX_SAFE_INTEGER,
  ): { readonly count: number; readonly first: readonly CreatedRow[] } {
    const of = keys.map((key) => `(${OF_KEY[key]})`).join(' OR ');
    const missing = `FROM rows r WHERE ${CREATED_BY_THIS_RUN} AND (${of}) AND ifnull(sent_at, 0) <= ? AND NOT is_shown(r.row)`;
    const count = this.#sql.count(missing, sentUntil);
    if (count === 0) return { count, first: [] };
    const some = `SELECT coalesce(code, name) AS key, id ${missing} ORDER BY r.row LIMIT ?`;
    return { count, first: this.#sql.all(some, sentUntil, max) };
  }

  /** Whether the list shows a created row, but under another key. */
  hasChanged(key: Key): boolean {
    return this.#sql.has(
      `FROM rows r JOIN temp.others o ON o.id = r.id WHERE ${CREATED_BY_THIS_RUN} AND ${OF_KEY[key]}`,
    );
  }

  /** New records that no row created, and whose key no unconfirmed row has. */
  strangers(max: number): { readonly count: number; readonly first: readonly string[] } {
    const strangers =
      "FROM temp.others WHERE is_explained = 0 AND id NOT IN (SELECT id FROM rows WHERE state = 'created' AND id IS NOT NULL)";
    const first = this.#sql.values(`SELECT id ${strangers} ORDER BY id LIMIT ?`, max);
    return { count: this.#sql.count(strangers), first };
  }

  #createdAs(ids: readonly string[]) {
    return this.#sql.all<{ id: string; row: number } & Record<Key, string | null>>(
      `SELECT r.id, r.row, r.code, r.name FROM json_each(?) j CROSS JOIN rows r ON r.id = j.value
        WHERE r.state = 'created' AND r.id IS NOT NULL`,
      JSON.stringify(ids),
    );
  }

  #note(row: number): void {
    const at = row >> 3;
    if (at >= this.#shown.length) {
      const grown = new Uint8Array(2 * at);
      grown.set(this.#shown);
      this.#shown = grown;
    }
    this.#shown[at]! |= 1 << (row & 7);
  }

  #isShown(row: number): boolean {
    return ((this.#shown[row >> 3] ?? 0) & (1 << (row & 7))) !== 0;
  }
}

/** The key of a record in the list: its code; without a code, its name. */
export function keyOf({ code, name }: Listed): {
  readonly key: Key;
  readonly value: string | null;
} {
  return code === null || code === '' ? { key: 'name', value: name } : { key: 'code', value: code };
}
