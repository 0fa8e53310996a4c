import { hash } from 'node:crypto';
import { foldCode } from '../core/fold-code.ts';
import { isRawNumber, textOf } from '../core/numbers.ts';
import type { SqlValue, Statements } from './sql.ts';

/** What one import at a time may write: a noun of an organization of a service. */
export interface Place {
  readonly place: string;
  /** The place by its key, for the memory: another ledger may have another name for the organization. */
  readonly alias?: string | undefined;
  readonly noun: string;
  /** Whether the service has a list of the noun. */
  readonly isListed: boolean;
  /** `--exact-codes`: what was created under another spelling of a code is another record. */
  readonly isExact?: boolean;
}

/** Rows: other processes wait for each transaction. */
export const PER_TRANSACTION = 2_000;

const SHIFT = 2 ** 32;

export const atOf = (run: number, row: number): number => run * SHIFT + row;
export const rowOf = (at: number): number => at % SHIFT;
/** Of the rows of a run: `at >= ? AND at < ?`. */
export const boundsOf = (run: number): readonly [first: number, after: number] => [
  atOf(run, 0),
  atOf(run + 1, 0),
];

/** SQL. With these words SQLite uses the index of open rows. */
export const OPEN = "state IN ('sending', 'unconfirmed')";
/**
 * SQL: whether it must be found out if a row of others was created. Of a row that a person gave up, a look-up can tell if
 * its code alone says which record is its own.
 */
export const isOpen = (row: string) =>
  `(${row}.${OPEN} OR (${row}.state = 'abandoned' AND ${row}.digest IS NULL))`;
/** SQL */
export const UNFINISHED = "state IN ('pending', 'sending', 'unconfirmed')";

/** A row that does not leave: others have sent its key or its body since it was compared. */
export interface Held {
  readonly row: number;
  readonly key: string | null;
  readonly state: 'existing' | 'rejected' | 'unconfirmed';
  readonly id: string | null;
}

/** Rows that are compared with what others have sent: SQL with the columns at, key, digest, intent, code. */
export interface Mine {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

export const PENDING =
  "SELECT at, key, digest, coalesce(intent, 0) AS intent, code FROM rows WHERE at >= ? AND at < ? AND state = 'pending'";
export const GIVEN = `SELECT CAST(value ->> 0 AS BIGINT) AS at, value ->> 1 AS key, value ->> 2 AS digest,
  CAST(value ->> 3 AS BIGINT) AS intent, value ->> 4 AS code FROM json_each(?)`;

/** Of single writes the spelling is not known here, and of what is open a look-up decides. */
const IS_SAME = 'AND (t.code IS NULL OR t.is_open = 1 OR t.code = coalesce(m.code, m.key))';

const STRENGTH = { unconfirmed: 0, rejected: 1, existing: 2 } as const;

/**
 * Rows match if their keys or their digests are equal, and what others sent is later than what the row knows. Of several
 * writes that hold a row back, the one that tells most counts.
 *
 * @param number of the run
 * @param after what others sent up to this intent does not count
 */
export async function heldSince(
  sql: Statements,
  { place, noun, isListed, isExact = false }: Place,
  mine: Mine,
  number: number,
  after: number,
): Promise<readonly Held[]> {
  const matches = (by: string) => `SELECT m.at, m.key, t.id, t.is_open,
    CASE WHEN t.digest = m.digest THEN 1 ELSE 0 END AS is_equal FROM theirs t JOIN mine m ON m.${by} = t.${by}
    WHERE t.intent > m.intent ${isExact ? IS_SAME : ''}`;
  const found = await sql.all(
    `WITH mine AS (${mine.sql}),
      theirs AS (SELECT key, digest, intent, created AS id, NULL AS code,
          CASE WHEN state IN ('pending', 'unknown') THEN 1 ELSE 0 END AS is_open
          FROM entries WHERE place = ? AND noun = ? AND intent > ? AND state NOT IN ('not-applied', 'rejected')
        UNION ALL SELECT r.key, r.digest, r.intent, r.id, coalesce(r.code, r.key), CASE WHEN ${isOpen('r')} THEN 1 ELSE 0 END
          FROM runs n JOIN rows r ON r.at >= n.number << 32 AND r.at < (n.number + 1) << 32
          WHERE n.place = ? AND n.noun = ? AND n.last_intent > ? AND n.number <> ? AND r.intent > ?
            AND r.state IN ('sending', 'unconfirmed', 'created', 'abandoned'))
      ${matches('key')} UNION ALL ${matches('digest')}`,
    ...[...mine.values, place, noun, after, place, noun, after, number, after],
  );
  const held = new Map<number, Held>();
  for (const { at, key, id, is_open: isOpen, is_equal: isEqual } of found) {
    const known = isEqual === 1 || isListed ? 'existing' : 'rejected';
    const state = isOpen === 1 ? 'unconfirmed' : known;
    const row = rowOf(Number(at));
    const other = held.get(row);
    if (other === undefined || STRENGTH[state] > STRENGTH[other.state])
      held.set(row, { row, key: key as string | null, state, id: id as string | null });
  }
  return [...held.values()];
}

type Fields = Readonly<Record<string, unknown>>;

/** The fields that identify a record of a noun. Of several names in one place, the first that is given counts. */
const KEY_FIELDS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  items: [['code']],
  requisitions: [['code']],
  imputations: [['reference'], ['account'], ['orderId', 'contractId']],
};

/**
 * What identifies a record besides its values. Without its first field there is no key.
 *
 * @param fields of `--key`; empty: none
 */
export function keyOf(noun: string, body: Fields, fields?: readonly string[]): string | null {
  const names = fields?.map((field) => [field]) ?? KEY_FIELDS[noun] ?? [];
  const values = names.map((alternatives) => {
    const name = alternatives.find((one) => filled(body[one]) !== undefined);
    return name === undefined ? '' : foldCode(filled(body[name])!);
  });
  const [first = ''] = values;
  if (first === '') return null;
  return values.length === 1 ? first : JSON.stringify(values);
}

function filled(value: unknown): string | undefined {
  const text = textOf(value);
  return text === undefined || text.trim() === '' ? undefined : text;
}

/**
 * What rows and single writes with the same content have in common, in hexadecimal. The order of fields and of values in
 * lists makes no difference: a requisition with the same lines in another order requests the same goods.
 *
 * @param path relative to the base URL, as sent
 */
export function digestOf(method: string, path: string, payload: unknown): string {
  return hash('sha256', `${method} ${path}\n${canonical(payload)}`, 'hex');
}

/** The same text for values that differ only in the order of fields, or of values in lists. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).sort().join(',')}]`;
  if (typeof value !== 'object' || value === null || isRawNumber(value))
    return JSON.stringify(value) ?? '';
  const pairs = Object.entries(value)
    .filter(([, inner]) => inner !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`);
  return `{${pairs.join(',')}}`;
}
