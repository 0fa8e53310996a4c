import type { SqlRow, SqlValue, Statements } from './sql.ts';

/** What one import at a time may write: a noun of an organization of a service. */
export interface Place {
  readonly place: string;
  readonly noun: string;
  /** Whether the service has a list of the noun. */
  readonly isListed: boolean;
}

const SHIFT = 2 ** 32;

export const atOf = (run: number, row: number): number => run * SHIFT + row;
export const runOf = (at: number): number => Math.floor(at / SHIFT);
export const rowOf = (at: number): number => at % SHIFT;
/** Of the rows of a run: `at >= ? AND at < ?`. */
export const boundsOf = (run: number): readonly [first: number, after: number] => [
  atOf(run, 0),
  atOf(run + 1, 0),
];

/** SQL. With these words SQLite uses the index of open rows. */
export const OPEN = "state IN ('sending', 'unconfirmed')";
/** SQL */
export const UNFINISHED = "state IN ('pending', 'sending', 'unconfirmed')";

/** A row that does not leave: others have sent its key or its body since it was compared. */
export interface Held {
  readonly row: number;
  readonly key: string | null;
  readonly state: 'existing' | 'rejected' | 'unconfirmed';
  readonly id: string | null;
  /** The row, or the single write. */
  readonly by: { readonly run: number; readonly row: number } | { readonly entry: string };
}

/** Pending rows that are compared with what others have sent. */
export interface Mine {
  /** SQL with the columns at, key, digest, intent. */
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

export const PENDING =
  "SELECT at, key, digest, coalesce(intent, 0) AS intent FROM rows WHERE at >= ? AND at < ? AND state = 'pending'";
export const LISTED = `SELECT CAST(value ->> 0 AS BIGINT) AS at, value ->> 1 AS key, value ->> 2 AS digest,
  CAST(value ->> 3 AS BIGINT) AS intent FROM json_each(?)`;
/** Rows match if their keys or their digests are equal, and what others sent is later than what the row knows. */
const MATCHES = `SELECT m.at, m.key, t.by, t.id, t.is_open, CASE WHEN t.digest = m.digest THEN 1 ELSE 0 END AS is_equal
    FROM theirs t JOIN mine m ON m.key = t.key WHERE t.intent > m.intent
  UNION ALL SELECT m.at, m.key, t.by, t.id, t.is_open, 1 FROM theirs t JOIN mine m ON m.digest = t.digest
    WHERE t.intent > m.intent AND (m.key IS NULL OR t.key IS NULL OR m.key <> t.key)`;
export async function heldByEntries(
  sql: Statements,
  where: Place,
  rows: Mine,
  after: number,
): Promise<readonly Held[]> {
  const found = await sql.all(
    `WITH mine AS (${rows.sql}), theirs AS (SELECT id AS by, key, digest, intent, created AS id,
          CASE WHEN state IN ('pending', 'unknown') THEN 1 ELSE 0 END AS is_open FROM entries
          WHERE place = ? AND noun = ? AND intent > ? AND state NOT IN ('not-applied', 'rejected')) ${MATCHES}`,
    ...rows.values,
    ...[where.place, where.noun],
    after,
  );
  return found.map((one) => ({ ...heldBy(where, one), by: { entry: one.by as string } }));
}

export async function heldByRuns(
  sql: Statements,
  where: Place,
  rows: Mine,
  number: number,
  after: number,
): Promise<readonly Held[]> {
  const found = await sql.all(
    `WITH mine AS (${rows.sql}), theirs AS (SELECT r.at AS by, r.key, r.digest, r.intent, r.id,
          CASE WHEN r.state IN ('sending', 'unconfirmed') THEN 1 ELSE 0 END AS is_open
          FROM runs n JOIN rows r ON r.at >= n.number << 32 AND r.at < (n.number + 1) << 32
          WHERE n.place = ? AND n.noun = ? AND n.last_intent > ? AND n.number <> ? AND r.intent > ?
            AND r.state IN ('sending', 'unconfirmed', 'created', 'abandoned')) ${MATCHES}`,
    ...rows.values,
    ...[where.place, where.noun],
    ...[after, number, after],
  );
  return found.map((one) => {
    const by = Number(one.by);
    return { ...heldBy(where, one), by: { run: runOf(by), row: rowOf(by) } };
  });
}

function heldBy(
  where: Place,
  { at, key, is_open: isOpen, is_equal: isEqual, id }: SqlRow,
): Omit<Held, 'by'> {
  const known = isEqual === 1 || where.isListed ? 'existing' : 'rejected';
  return {
    row: rowOf(Number(at)),
    key: key as string | null,
    state: isOpen === 1 ? 'unconfirmed' : known,
    id: id as string | null,
  };
}

const STRENGTH = { unconfirmed: 0, rejected: 1, existing: 2 } as const;

/** Of several writes that hold a row back, the one that tells most. */
export function strongest(held: readonly Held[]): readonly Held[] {
  const best = new Map<number, Held>();
  for (const one of held) {
    const other = best.get(one.row);
    if (other === undefined || STRENGTH[one.state] > STRENGTH[other.state]) best.set(one.row, one);
  }
  return [...best.values()];
}
