import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';

export interface TableForm {
  /** Of its ids: `itm-1`. */
  readonly prefix: string;
  readonly texts: readonly string[];
  readonly numbers?: readonly string[];
}

/** Tables have the names of nouns, and columns the names of API fields, so that plain SQL can check the data. */
export const TABLES = {
  addresses: {
    prefix: 'adr',
    texts: [
      ...['addressType', 'city', 'country', 'formattedAddress', 'name', 'placeId'],
      ...['postalCode', 'state', 'street', 'streetNumber'],
    ],
    numbers: ['latitude', 'longitude'],
  },
  sectors: { prefix: 'sec', texts: ['key', 'name', 'description'] },
  orders: { prefix: 'po', texts: ['code', 'status', 'currency', 'title'], numbers: ['amount'] },
  items: {
    prefix: 'itm',
    texts: [
      ...['name', 'code', 'description', 'unitOfMeasure', 'brand', 'material'],
      ...['certification', 'type', 'title', 'attributes'],
    ],
  },
  imputations: {
    prefix: 'imp',
    texts: ['reference', 'account', 'contractId', 'orderId', 'currency', 'notes'],
    numbers: ['amount'],
  },
  requisitions: { prefix: 'req', texts: ['title', 'type', 'sector', 'code'] },
  groups: { prefix: 'grp', texts: ['requisitionId', 'name', 'deliveryMethod', 'addressId'] },
  lines: { prefix: 'lin', texts: ['groupId', 'itemId'], numbers: ['quantity'] },
} as const satisfies Record<string, TableForm>;

export type Table = keyof typeof TABLES;

/** AUTOINCREMENT never gives a number again, so ids stay unique after deletes. */
export const SCHEMA = [
  ...Object.entries<TableForm>(TABLES).map(([table, { texts, numbers = [] }]) => {
    const fields = [
      ...texts.map((name) => `${name} TEXT`),
      ...numbers.map((name) => `${name} REAL`),
    ];
    return `CREATE TABLE ${table} (seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
      organizationId TEXT NOT NULL, ${fields.join(', ')}, createdAt TEXT NOT NULL, updatedAt TEXT NOT NULL);`;
  }),
  'CREATE INDEX items_by_code ON items (organizationId, code);',
  'CREATE INDEX items_by_name ON items (organizationId, name);',
  'CREATE INDEX lines_by_group ON lines (groupId);',
  // Names the database: another one is another service.
  'CREATE TABLE database (id TEXT NOT NULL);',
  'INSERT INTO database VALUES (lower(hex(randomblob(8))));',
].join('\n');

export type StoredRow = Readonly<Record<string, unknown>>;
type Values = Readonly<Record<string, unknown>>;

export interface ListQuery {
  /** Undefined for all rows. */
  readonly limit: number | undefined;
  readonly offset: number;
  readonly sort: string | undefined;
  readonly dir: 'asc' | 'desc';
}

export type List = (value: string, query: ListQuery) => readonly StoredRow[];

export class Store {
  readonly database: DatabaseSync;
  readonly #now: () => number;
  readonly #prepared = new Map<string, StatementSync>();

  constructor(database: DatabaseSync, now: () => number = Date.now) {
    this.database = database;
    this.#now = now;
  }

  prepare(sql: string): StatementSync {
    let statement = this.#prepared.get(sql);
    if (statement === undefined) {
      statement = this.database.prepare(sql);
      this.#prepared.set(sql, statement);
    }
    return statement;
  }

  /** What `work` writes is stored as a whole, or not at all if it throws. */
  transaction<T>(work: () => T): T {
    this.prepare('BEGIN IMMEDIATE').run();
    try {
      const result = work();
      this.prepare('COMMIT').run();
      return result;
    } catch (thrown) {
      if (this.database.isTransaction) this.prepare('ROLLBACK').run();
      throw thrown;
    }
  }

  /** @returns the id of the new row: that of `values`, or the next */
  insert(table: Table, organizationId: string, values: Values): string {
    const { prefix, texts, numbers = [] }: TableForm = TABLES[table];
    const last = this.prepare('SELECT seq FROM sqlite_sequence WHERE name = ?').get(table);
    const seq = Number(last?.seq ?? 0) + 1;
    const now = new Date(this.#now()).toISOString();
    const row: Values = {
      ...values,
      id: values.id ?? idOf(prefix, seq, organizationId),
      createdAt: values.createdAt ?? now,
      updatedAt: values.updatedAt ?? now,
    };
    const names = ['id', ...texts, ...numbers, 'createdAt', 'updatedAt'];
    const marks = names.map(() => '?').join(', ');
    this.prepare(
      `INSERT INTO ${table} (seq, organizationId, ${names.join(', ')}) VALUES (?, ?, ${marks})`,
    ).run(seq, organizationId, ...names.map((name) => stored(row[name])));
    return String(row.id);
  }

  /** Finds a row of any organization, so callers must check `organizationId`. */
  find(table: Table, id: string): StoredRow | undefined {
    return this.prepare(`SELECT * FROM ${table} WHERE id = ?`).get(id);
  }

  /** If no field has a value, changes nothing, not even `updatedAt`. */
  update(table: Table, id: string, values: Values): void {
    const given = Object.entries(values).filter(([, value]) => value !== undefined);
    if (given.length === 0) return;
    const now = new Date(this.#now()).toISOString();
    this.prepare(
      `UPDATE ${table} SET ${given.map(([name]) => `${name} = ?`).join(', ')}, updatedAt = ? WHERE id = ?`,
    ).run(...given.map(([, value]) => stored(value)), now, id);
  }

  delete(table: Table, id: string): void {
    this.prepare(`DELETE FROM ${table} WHERE id = ?`).run(id);
  }

  /**
   * Lists the rows of an organization, or of a group if `scope` is `groupId`. Rows with the same value in
   * the sort field are sorted by creation, so that pages do not overlap.
   */
  lister(table: Table, fields: readonly string[], scope = 'organizationId'): List {
    /**
     * Of an ascending list that nothing has changed: for a number of rows, the values that find the rows after
     * them. With OFFSET alone, a long list takes minutes, because each page skips all rows before it.
     */
    const ends = new Map<number, readonly SQLInputValue[]>();
    let known = '';
    return (value, { limit, offset, sort, dir }) => {
      const written = this.prepare(
        'SELECT total_changes() AS own, data_version AS others FROM pragma_data_version',
      ).get();
      const now = JSON.stringify([value, sort, dir, written]);
      if (now !== known) ends.clear();
      known = now;
      const from = Math.max(0, ...[...ends.keys()].filter((end) => end <= offset));
      const after = ends.get(from) ?? [];
      const by = sort === undefined ? 'seq' : `${sort} ${dir}, seq`;
      // Keeps SQLite from an index of the organization, after which it would sort all rows.
      const plus = sort === undefined && scope === 'organizationId' ? '+' : '';
      const condition =
        after.length === 0
          ? ''
          : after.length === 1
            ? 'AND seq > ?'
            : `AND (${sort}, seq) > (?, ?)`;
      const rows = this.prepare(
        `SELECT ${fields.join(', ')} FROM ${table} WHERE ${plus}${scope} = ? ${condition}
        ORDER BY ${by} ${dir} LIMIT ? OFFSET ?`,
      ).all(value, ...after, limit ?? -1, offset - from);
      const end = rows.at(-1);
      const last = sort === undefined ? null : end?.[sort];
      // Rows without a value come first.
      if (end !== undefined && dir === 'asc' && (sort === undefined || last !== null)) {
        const { seq } = this.prepare(`SELECT seq FROM ${table} WHERE id = ?`).get(end.id!)!;
        ends.set(offset + rows.length, sort === undefined ? [seq!] : [last!, seq!]);
        if (ends.size > MOST_ENDS) ends.delete(ends.keys().next().value!);
      }
      return rows;
    };
  }
}

const MOST_ENDS = 64;

/** Ids of the second organization sort after all ids of the first. */
function idOf(prefix: string, seq: number, organizationId: string): string {
  return organizationId.startsWith('zz-') ? `zz-${prefix}-${seq}` : `${prefix}-${seq}`;
}

function stored(value: unknown): SQLInputValue {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string' || typeof value === 'number') return value;
  return JSON.stringify(value);
}
