import type { StatementSync } from 'node:sqlite';
import type { Key } from './catalogue-before.ts';
import type { RowWriter } from './row-writer.ts';
import type { RunRows } from './run-rows.ts';
import type { RowState } from './states.ts';

/** Where the key of a row stands: its whole body, if nothing else tells rows apart. */
export type KeyColumn = Key | 'fingerprint';

/** A row as the plan shows it. */
export interface Sample {
  readonly row: number;
  /** Line of the file on which the row starts; null if the file has no lines. */
  readonly line: number | null;
  readonly code: string | null;
  readonly reason: string | null;
  /** Of what exists. */
  readonly id?: string;
}

/** One of the pending rows with the same key. */
export interface KeyMember {
  readonly row: number;
  /** 1 if its body is that of the first, letter by letter. */
  readonly isSame: 0 | 1;
}

export interface StoredBody {
  readonly row: number;
  /** JSON text. */
  readonly body: string;
}

/** Bodies of one batch. */
const AT_ONCE = 2_000;

/** A pending row that may define an item in place. */
const DEFINING = `state = 'pending' AND instr(body, '"item":{') > 0`;

const IN_CATALOGUE =
  'catalogue c WHERE (rows.code IS NOT NULL AND rows.code = c.code) OR (rows.name IS NOT NULL AND rows.name = c.name)';

/** What a plan asks of the rows, and does to them. */
export class PlannedRows {
  readonly #rows: RunRows;
  readonly #writer: RowWriter;
  #pendingWith: StatementSync | undefined;
  #body: StatementSync | undefined;
  #replace: StatementSync | undefined;

  constructor(rows: RunRows, writer: RowWriter) {
    this.#rows = rows;
    this.#writer = writer;
  }

  /** Whether a row is left to create; one with a code, if that is asked. */
  hasPending({ withCode = false } = {}): boolean {
    const code = withCode ? 'AND code IS NOT NULL' : '';
    const some = `SELECT 1 FROM rows WHERE state = 'pending' ${code} LIMIT 1`;
    return this.#rows.database.prepare(some).get() !== undefined;
  }

  /** Pending rows with a code. */
  pendingWith(code: string): number[] {
    this.#pendingWith ??= this.#rows.database.prepare(
      "SELECT row FROM rows WHERE code = ? AND state = 'pending'",
    );
    return this.#pendingWith.all(code).map(({ row }) => Number(row));
  }

  /** Pending rows that the list could show, and rows that are known to exist. */
  recognisable(): { readonly pending: number; readonly existing: number } {
    return this.#rows.database
      .prepare(
        `SELECT count(*) FILTER (WHERE state = 'pending' AND (code IS NOT NULL OR name IS NOT NULL)) AS pending,
          count(*) FILTER (WHERE state = 'existing') AS existing FROM rows`,
      )
      .get() as { pending: number; existing: number };
  }

  /** The first rows in a state. */
  samples(state: RowState, most: number): Sample[] {
    const rows = this.#rows.database
      .prepare(
        'SELECT r.row, (SELECT line FROM records WHERE row = r.row) AS line, r.code, r.reason, r.id FROM rows r WHERE r.state = ? ORDER BY r.key LIMIT ?',
      )
      .all(state, most);
    return rows.map(({ id, ...sample }) =>
      id === null ? sample : { ...sample, id },
    ) as unknown as Sample[];
  }

  /** The rejected row that comes after so many others. */
  rejectedAfter(count: number): { readonly row: number; readonly reason: string } {
    return this.#rows.database
      .prepare(
        "SELECT row, reason FROM rows WHERE state = 'rejected' ORDER BY key LIMIT 1 OFFSET ?",
      )
      .get(count) as { row: number; reason: string };
  }

  /** Keys that more than one row has. By the index alone: few keys come twice. */
  repeatedKeys(column: KeyColumn): string[] {
    return this.#rows.database
      .prepare(
        `SELECT ${column} AS key FROM rows WHERE ${column} IS NOT NULL GROUP BY ${column} HAVING count(*) > 1`,
      )
      .all()
      .map(({ key }) => key as string);
  }

  /** Gives the pending rows with a key, in order. */
  members(column: KeyColumn): (key: string) => Iterable<KeyMember> {
    const pending = `FROM rows r WHERE r.${column} = ?1 AND r.state = 'pending'`;
    const members = this.#rows.database.prepare(
      `SELECT r.row, b.body IS (SELECT body FROM records WHERE row = (SELECT min(r.row) ${pending})) AS isSame FROM rows r JOIN records b USING (row) WHERE r.${column} = ?1 AND r.state = 'pending' ORDER BY r.row`,
    );
    return (key) => members.iterate(key) as Iterable<unknown> as Iterable<KeyMember>;
  }

  /** JSON text of the body of a row. */
  bodyOf(row: number): string {
    this.#body ??= this.#rows.database.prepare('SELECT body FROM records WHERE row = ?');
    return this.#body.get(row)!.body as string;
  }

  /** Different codes of the rows in a state, in order. */
  codesIn(state: RowState): string[] {
    return this.#rows.database
      .prepare('SELECT DISTINCT code FROM rows WHERE state = ? AND code IS NOT NULL ORDER BY code')
      .all(state)
      .map(({ code }) => code as string);
  }

  /** How many different codes and how many names the rows in a state have. */
  keyCounts(state: RowState): { readonly codes: number; readonly names: number } {
    return this.#rows.database
      .prepare(
        'SELECT count(DISTINCT code) AS codes, count(name) AS names FROM rows WHERE state = ?',
      )
      .get(state) as { codes: number; names: number };
  }

  /** Pending rows that the catalogue shows. */
  countInCatalogue(): number {
    const shown = `state = 'pending' AND EXISTS (SELECT 1 FROM ${IN_CATALOGUE})`;
    return Number(
      this.#rows.database.prepare(`SELECT count(*) AS n FROM rows WHERE ${shown}`).get()!.n,
    );
  }

  /** They exist, each with an id of the catalogue. @returns how many there are */
  markInCatalogue(): number {
    return this.#writer.exist(
      `EXISTS (SELECT 1 FROM ${IN_CATALOGUE})`,
      `(SELECT min(c.id) FROM ${IN_CATALOGUE})`,
    );
  }

  /** Bodies of the rows in a state, in batches: no statement is open while the journal is written. */
  bodiesIn(state: RowState): Generator<StoredBody[]> {
    return this.#bodies(`state = '${state}'`);
  }

  /** The same of pending rows that may define an item in place. */
  bodiesWithItems(): Generator<StoredBody[]> {
    return this.#bodies(DEFINING);
  }

  *#bodies(where: string): Generator<StoredBody[]> {
    const { database, base, end } = this.#rows;
    const statement = database.prepare(
      `SELECT b.row, body FROM main.rows r JOIN records b ON b.row = r.rowid - ${base}
        WHERE r.rowid > ? AND r.rowid < ${end} AND ${where} AND body IS NOT NULL ORDER BY r.rowid LIMIT ?`,
    );
    for (let last = 0; ; ) {
      const rows = statement.all(base + last, AT_ONCE) as unknown as StoredBody[];
      if (rows.length === 0) return;
      last = rows.at(-1)!.row;
      yield rows;
    }
  }

  /** What the file had stays: rejected rows come back as they were written. */
  replaceBody(row: number, body: string): void {
    this.#replace ??= this.#rows.database.prepare(
      'UPDATE records SET fields = coalesce(fields, body), body = ? WHERE row = ?',
    );
    this.#replace.run(body, row);
  }
}
