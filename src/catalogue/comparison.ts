import type { Listed } from '../listing/page.ts';
import type { ScratchFolder } from './scratch-folder.ts';

/**
 * The kinds of difference, in the order of the output. The database stores their positions in this
 * list.
 */
const CHANGES = ['new', 'renamed', 'gone', 'duplicate', 'invalid'] as const;

export type Change = (typeof CHANGES)[number];

/** A row of the file, with the fields that are compared with the list of items. */
export interface FileRow {
  readonly row: number;
  readonly line: number | undefined;
  readonly code: string | null;
  readonly name: string | null;
  /** Why the row cannot be compared. */
  readonly reason?: string | undefined;
  /** Why an import would reject the row if the catalogue does not have it. */
  readonly reasonIfNew?: string | undefined;
  /** `--where` leaves the row out. Its item does not count as gone. */
  readonly isFiltered?: boolean | undefined;
}

export interface Difference {
  readonly change: Change;
  /** Null if the item is not in the file. */
  readonly row: number | null;
  readonly line: number | null;
  readonly code: string | null;
  readonly name: string | null;
  /** Null if the item is not in the catalogue. */
  readonly catalogueName: string | null;
  readonly id: string | null;
  readonly reason: string | null;
}

export interface Counts extends Readonly<Record<Change, number>> {
  readonly rows: number;
  readonly catalogue: number;
  readonly same: number;
  readonly filtered: number;
  /** Duplicates whose name differs from the first row with the same key. */
  readonly differingDuplicates: number;
  /** Invalid rows in which proc can read neither a code nor a name. */
  readonly unidentified: number;
  /** Number of codes that several items of the catalogue have. */
  readonly repeatedCodes: number;
}

const PER_BATCH = 1_000;

/** A row is identified by its code. A row without a code is identified by its name. */
function keyOf(code: string | null, name: string | null): string | null {
  if (code !== null && code !== '') return `c${code}`;
  return name === null || name === '' ? null : `n${name}`;
}

/** SQL condition for the rows that are compared: valid, and not left out by `--where`. */
const COMPARED = 'reason IS NULL AND is_filtered = 0';

/** Compares a file with the catalogue in a temporary database, so that neither has to fit in memory. */
export class Comparison {
  readonly #scratch: ScratchFolder;
  readonly #comparesNames: boolean;

  /** @param comparesNames false if the file has no names */
  constructor(scratch: ScratchFolder, comparesNames: boolean) {
    this.#scratch = scratch;
    this.#comparesNames = comparesNames;
    scratch.database.exec(`
      CREATE TABLE file (row INTEGER PRIMARY KEY, line INTEGER, key TEXT, name TEXT, reason TEXT, is_filtered INTEGER NOT NULL, reason_if_new TEXT) STRICT;
      CREATE TABLE catalogue (number INTEGER PRIMARY KEY, id TEXT, key TEXT, name TEXT) STRICT;
      CREATE TABLE differences (number INTEGER PRIMARY KEY, change INTEGER NOT NULL, row INTEGER, entry INTEGER) STRICT;
    `);
  }

  addFile(rows: readonly FileRow[]): void {
    const insert = this.#scratch.database.prepare('INSERT INTO file VALUES (?, ?, ?, ?, ?, ?, ?)');
    this.#scratch.commit(() => {
      for (const { row, line, code, name, reason, reasonIfNew, isFiltered } of rows) {
        const key = keyOf(code, name);
        const filtered = isFiltered === true ? 1 : 0;
        insert.run(row, line ?? null, key, name, reason ?? null, filtered, reasonIfNew ?? null);
      }
    });
  }

  addCatalogue(rows: readonly Listed[]): void {
    const insert = this.#scratch.database.prepare(
      'INSERT INTO catalogue (id, key, name) VALUES (?, ?, ?)',
    );
    this.#scratch.commit(() => {
      for (const { id, code, name: given } of rows) {
        // Cells of a file are trimmed too, so that names that look equal are equal.
        const name = given?.trim() || null;
        insert.run(id ?? null, keyOf(code, name), name);
      }
    });
  }

  /** Call it once, after all rows of the file and of the catalogue are added. */
  compare(): Counts {
    const { database } = this.#scratch;
    const first = `SELECT g.row FROM file g WHERE g.key = f.key AND g.reason IS NULL AND g.is_filtered = 0 ORDER BY g.row LIMIT 1`;
    const number = (change: Change) => CHANGES.indexOf(change);
    const renamed = this.#comparesNames
      ? `WHEN NOT EXISTS (SELECT 1 FROM catalogue c WHERE c.key = f.key AND c.name IS f.name) THEN ${number('renamed')}`
      : '';
    this.#scratch.commit(() =>
      database.exec(`
        CREATE INDEX entries ON catalogue (key);
        UPDATE file SET reason = reason_if_new WHERE reason IS NULL AND reason_if_new IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM catalogue c WHERE c.key = file.key);
        CREATE INDEX compared ON file (key) WHERE ${COMPARED};
        CREATE INDEX others ON file (key) WHERE NOT (${COMPARED});
        INSERT INTO differences (change, row, entry)
          SELECT change, row, NULL FROM (
            SELECT row, CASE
              WHEN is_filtered = 1 THEN NULL
              WHEN reason IS NOT NULL THEN ${number('invalid')}
              WHEN row > (${first}) THEN ${number('duplicate')}
              WHEN NOT EXISTS (SELECT 1 FROM catalogue c WHERE c.key = f.key) THEN ${number('new')}
              ${renamed}
            END AS change FROM file f)
            WHERE change IS NOT NULL
          UNION ALL
          SELECT ${number('gone')}, NULL, number FROM catalogue c
            WHERE NOT EXISTS (SELECT 1 FROM file f WHERE f.key = c.key AND f.reason IS NULL AND f.is_filtered = 0)
              AND NOT EXISTS (SELECT 1 FROM file f WHERE f.key = c.key AND NOT (f.reason IS NULL AND f.is_filtered = 0))
          ORDER BY 1, 2, 3;
      `),
    );
    return this.#counts();
  }

  #counts(): Counts {
    const { database } = this.#scratch;
    const one = (sql: string): number => Number(database.prepare(sql).get()!.n);
    const found = new Map(
      database
        .prepare('SELECT change, count(*) AS n FROM differences GROUP BY change')
        .all()
        .map(({ change, n }) => [CHANGES[Number(change)]!, Number(n)]),
    );
    const of = (change: Change): number => found.get(change) ?? 0;
    const compared = one(`SELECT count(*) AS n FROM file WHERE ${COMPARED}`);
    return {
      rows: one('SELECT count(*) AS n FROM file'),
      catalogue: one('SELECT count(*) AS n FROM catalogue'),
      new: of('new'),
      renamed: of('renamed'),
      gone: of('gone'),
      same: compared - of('new') - of('renamed') - of('duplicate'),
      duplicate: of('duplicate'),
      invalid: of('invalid'),
      filtered: one('SELECT count(*) AS n FROM file WHERE is_filtered = 1'),
      differingDuplicates: one(
        `SELECT count(*) AS n FROM differences d JOIN file f USING (row) WHERE change = ${CHANGES.indexOf('duplicate')} AND f.name IS NOT (SELECT g.name FROM file g WHERE g.key = f.key AND g.reason IS NULL AND g.is_filtered = 0 ORDER BY g.row LIMIT 1)`,
      ),
      unidentified: one(
        'SELECT count(*) AS n FROM file WHERE key IS NULL AND is_filtered = 0 AND reason IS NOT NULL',
      ),
      repeatedCodes: one(
        "SELECT count(*) AS n FROM (SELECT 1 FROM catalogue WHERE key >= 'c' AND key < 'd' GROUP BY key HAVING count(*) > 1)",
      ),
    };
  }

  *differences(only: Change | undefined): Generator<readonly Difference[]> {
    const kind = only === undefined ? '' : `AND d.change = ${CHANGES.indexOf(only)}`;
    const statement = this.#scratch.database.prepare(
      `SELECT d.number, d.change, f.row, f.line, coalesce(f.key, c.key) AS key, f.name, f.reason,
          (SELECT g.row FROM file g WHERE g.key = f.key AND g.reason IS NULL AND g.is_filtered = 0 ORDER BY g.row LIMIT 1) AS first,
          c.id, c.name AS catalogueName
        FROM differences d
        LEFT JOIN file f ON f.row = d.row
        LEFT JOIN catalogue c ON c.number = coalesce(d.entry, (SELECT min(e.number) FROM catalogue e WHERE e.key = f.key))
        WHERE d.number > ? ${kind} ORDER BY d.number LIMIT ${PER_BATCH}`,
    );
    for (let last = 0; ; ) {
      const batch = statement.all(last) as unknown as StoredDifference[];
      if (batch.length === 0) return;
      last = batch.at(-1)!.number;
      yield batch.map(differenceOf);
    }
  }
}

interface StoredDifference {
  readonly number: number;
  readonly change: number;
  readonly row: number | null;
  readonly line: number | null;
  readonly key: string | null;
  readonly name: string | null;
  readonly reason: string | null;
  readonly first: number | null;
  readonly id: string | null;
  readonly catalogueName: string | null;
}

function differenceOf(stored: StoredDifference): Difference {
  const { row, line, key, name, id, catalogueName, first } = stored;
  const change = CHANGES[stored.change]!;
  return {
    change,
    row,
    line,
    code: key?.startsWith('c') === true ? key.slice(1) : null,
    name,
    catalogueName,
    id,
    reason: change === 'duplicate' ? `same key as row ${first}` : stored.reason,
  };
}
