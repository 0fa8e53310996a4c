import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { Table } from './tables.ts';

export const ID_PREFIX: Readonly<Record<Table, string>> = {
  organizations: 'org',
  addresses: 'adr',
  sectors: 'sec',
  orders: 'po',
  items: 'itm',
  imputations: 'imp',
  requisitions: 'req',
  groups: 'grp',
  lines: 'lin',
};

export type StoredRow = Readonly<Record<string, unknown>>;

export type Insert = (organizationId: string, values: Readonly<Record<string, unknown>>) => string;

export class Store {
  readonly database: DatabaseSync;
  readonly #now: () => number;
  readonly #lookups = new Map<Table, StatementSync>();
  readonly #lastSeq = new Map<Table, number>();

  constructor(database: DatabaseSync, now: () => number = Date.now) {
    this.database = database;
    this.#now = now;
  }

  /** @param shiftMs negative for the past */
  now(shiftMs = 0): string {
    return new Date(this.#now() + shiftMs).toISOString();
  }

  /**
   * Missing values become NULL.
   *
   * @param columns all columns but `seq`, `id`, `organizationId`, `createdAt` and `updatedAt`
   */
  inserter(table: Table, columns: readonly string[]): Insert {
    const all = ['seq', 'id', 'organizationId', ...columns, 'createdAt', 'updatedAt'];
    const statement = this.database.prepare(
      `INSERT INTO ${table} (${all.join(', ')}) VALUES (${all.map(() => '?').join(', ')})`,
    );
    const prefix = ID_PREFIX[table];
    return (organizationId, values) => {
      const seq = this.#nextSeq(table);
      const id = idOf(prefix, seq, organizationId);
      const now = this.now();
      const own = columns.map((column) => stored(values[column]));
      const createdAt = stored(values.createdAt) ?? now;
      const updatedAt = stored(values.updatedAt) ?? now;
      statement.run(seq, id, organizationId, ...own, createdAt, updatedAt);
      return id;
    };
  }

  /** Finds a row of any organization, so callers must check `organizationId`. */
  find(table: Table, id: string): StoredRow | undefined {
    let statement = this.#lookups.get(table);
    if (statement === undefined) {
      statement = this.database.prepare(`SELECT * FROM ${table} WHERE id = ?`);
      this.#lookups.set(table, statement);
    }
    return statement.get(id);
  }

  /** If no field has a value, changes nothing, not even `updatedAt`. */
  update(table: Table, id: string, values: Readonly<Record<string, unknown>>): void {
    const given = Object.entries(values).filter(([, value]) => value !== undefined);
    if (given.length === 0) return;
    const assignments = given.map(([column]) => `${column} = ?`).join(', ');
    this.database
      .prepare(`UPDATE ${table} SET ${assignments}, updatedAt = ? WHERE id = ?`)
      .run(...given.map(([, value]) => stored(value)), this.now(), id);
  }

  delete(table: Table, id: string): void {
    this.database.prepare(`DELETE FROM ${table} WHERE id = ?`).run(id);
  }

  #nextSeq(table: Table): number {
    const next = (this.#lastSeq.get(table) ?? this.#highestSeq(table)) + 1;
    this.#lastSeq.set(table, next);
    return next;
  }

  /** The highest number ever assigned; AUTOINCREMENT keeps it after deletes. */
  #highestSeq(table: Table): number {
    const row = this.database.prepare('SELECT seq FROM sqlite_sequence WHERE name = ?').get(table);
    return Number(row?.seq ?? 0);
  }
}

/** Ids of the second organization sort after all ids of the first. */
function idOf(prefix: string, seq: number, organizationId: string): string {
  return organizationId.startsWith('zz-') ? `zz-${prefix}-${seq}` : `${prefix}-${seq}`;
}

function stored(value: unknown): SQLInputValue {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string' || typeof value === 'number') return value;
  return JSON.stringify(value);
}
