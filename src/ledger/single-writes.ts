import { OPEN, type Place, rowOf } from './rows.ts';
import { hashesIn, hashOf } from './run-tables.ts';
import { insertInto, type Sql, type SqlRow, type SqlValue, type Statements } from './sql.ts';

export interface SingleWrite {
  readonly id: string;
  readonly key: string | null;
  /** SHA-256 of the body. */
  readonly digest: string;
  /** The key of `--once`. */
  readonly once?: string | undefined;
  /** Whether the ledger is the one that this machine has used. */
  readonly check?: ((sql: Statements) => Promise<unknown> | undefined) | undefined;
  /** Other columns of `entries`. */
  readonly columns?: Readonly<Record<string, SqlValue>>;
}

/** What was sent before: a row of a run, or another single write. */
export type SentBefore =
  | {
      readonly run: string;
      readonly row: number;
      /** ms */
      readonly at: number;
      readonly created: string | undefined;
      readonly isOpen: boolean;
      readonly isDropped: boolean;
    }
  | { readonly entry: string; readonly isOpen: boolean }
  /** Another write has the key of `--once`. */
  | { readonly once: string };

/**
 * Records a write before its request leaves. The search for what was sent before is in the same transaction, so of two
 * processes only one begins a create.
 *
 * @param since what was surely sent counts only from then on, ms; what is open counts at any time. Undefined: the user
 * wants the write to be sent, whatever was sent before
 * @param isAgain the write has an entry, and its request was turned away: it gets a new intent
 * @returns what was sent before: then nothing is recorded
 */
export async function beginWrite(
  ledger: Sql,
  where: Place,
  write: SingleWrite,
  since: number | undefined,
  isAgain = false,
): Promise<SentBefore | undefined> {
  const { id, key, digest, once, columns } = write;
  try {
    return await ledger.transaction(async (sql) => {
      await write.check?.(sql);
      if (once !== undefined && (await isTaken(sql, where, id, once))) return { once };
      if (since !== undefined) {
        const before =
          (await openOrEqual(sql, where, write, since)) ??
          (where.isListed && key !== null
            ? await createdByRun(sql, where, key, since)
            : undefined) ??
          (await otherEntry(sql, where, write, since));
        if (before !== undefined) return before;
      }
      const [next] = await sql.all('UPDATE intents SET last = last + 1 RETURNING last');
      const intent = Number(next!.last);
      if (isAgain) {
        const renewed = await sql.all(
          "UPDATE entries SET intent = ?, at = coalesce(?, at) WHERE id = ? AND state = 'pending' RETURNING id",
          ...[intent, columns?.at ?? null, id],
        );
        // A person or a look-up has recorded another outcome meanwhile.
        return renewed.length > 0 ? undefined : { entry: id, isOpen: false };
      }
      const { place, noun } = where;
      const values = { id, place, noun, key, digest, once: once ?? null, state: 'pending', intent };
      const entry = { ...columns, ...values };
      await sql.run(insertInto('entries', entry), ...Object.values(entry));
      return undefined;
    });
  } catch (thrown) {
    // The request has not left. If the intent was written, but not to the disk, nobody must take it for a request.
    await finishWrite(ledger, id, { state: 'not-applied' }).catch(() => undefined);
    throw thrown;
  }
}

/**
 * Records the outcome of a single write. A known one replaces what a person recorded, an unknown one does not.
 *
 * @param columns with `state`
 */
export async function finishWrite(
  sql: Statements,
  id: string,
  columns: Readonly<Record<string, SqlValue>> & { readonly state: string },
): Promise<void> {
  const names = Object.keys(columns);
  await sql.run(
    `UPDATE entries SET ${names.map((name) => `${name} = ?`).join(', ')}
      WHERE id = ? AND (state = 'pending' OR CAST(? AS TEXT) <> 'unknown')`,
    ...[...Object.values(columns), id, columns.state],
  );
}

async function isTaken(
  sql: Statements,
  { place }: Place,
  id: string,
  once: string,
): Promise<boolean> {
  const found = await sql.all(
    "SELECT 1 FROM entries WHERE once = ? AND id <> ? AND place = ? AND state NOT IN ('rejected', 'not-applied') LIMIT 1",
    ...[once, id, place],
  );
  return found.length > 0;
}

/** The order of the tables matters: a row is found first, by an index or in its lot. Parameters: place and noun. */
const ROW = `SELECT at, state, rows.id AS created, name, coalesce(sent_at, begun_at) AS sent
  FROM rows CROSS JOIN runs WHERE number = at >> 32 AND place = ? AND noun = ?`;

/** By indexes. */
async function openOrEqual(
  sql: Statements,
  { place, noun }: Place,
  { key, digest }: SingleWrite,
  since: number,
): Promise<SentBefore | undefined> {
  const [row] = await sql.all(
    `${ROW} AND digest = ? AND intent IS NOT NULL
        AND (${OPEN} OR (state IN ('created', 'abandoned') AND sent_at >= ?))
      UNION ALL ${ROW} AND key = ? AND ${OPEN} LIMIT 1`,
    ...[place, noun, digest, since, place, noun, key],
  );
  return row && sentRow(row);
}

/** Codes of created rows have no index: the lots of runs of the last day tell where to look. */
async function createdByRun(
  sql: Statements,
  { place, noun }: Place,
  key: string,
  since: number,
): Promise<SentBefore | undefined> {
  const lots = await sql.all(
    `SELECT l.at, l.last, l.hashes FROM runs n JOIN lots l ON l.at >= n.number << 32 AND l.at < (n.number + 1) << 32
      WHERE n.place = ? AND n.noun = ? AND coalesce(n.finished_at, ?) >= ?`,
    ...[place, noun, since, since],
  );
  const hash = hashOf(key);
  for (const { at, last, hashes } of lots) {
    if (!hashesIn(hashes as string).includes(hash)) continue;
    const [row] = await sql.all(
      `${ROW} AND at >= ? AND at <= ? AND key = ? AND state IN ('created', 'abandoned') AND sent_at >= ? LIMIT 1`,
      ...[place, noun, Number(at), Number(last), key, since],
    );
    if (row !== undefined) return sentRow(row);
  }
  return undefined;
}

function sentRow({ at, state, created, name, sent }: SqlRow): SentBefore {
  return {
    run: name as string,
    row: rowOf(Number(at)),
    at: Number(sent),
    created: (created as string | null) ?? undefined,
    isOpen: state === 'sending' || state === 'unconfirmed',
    isDropped: state === 'abandoned',
  };
}

/** A write with a key of `--once` repeats no write with another key. */
async function otherEntry(
  sql: Statements,
  { place, noun, isListed }: Place,
  { id, key, digest, once }: SingleWrite,
  since: number,
): Promise<SentBefore | undefined> {
  const isOpen = "state IN ('pending', 'unknown')";
  const [entry] = await sql.all(
    `SELECT id, ${isOpen} AS is_open FROM entries WHERE (digest = ? OR key = ?) AND id <> ? AND place = ? AND noun = ?
      AND (once IS NULL OR CAST(? AS TEXT) IS NULL)
      AND (${isOpen} OR (state IN ('done', 'adopted') AND at >= ? AND (digest = ? OR ? = 1)))
      ORDER BY CASE WHEN ${isOpen} THEN 0 ELSE 1 END, seq DESC LIMIT 1`,
    ...[digest, key, id, place, noun, once ?? null, since, digest, isListed ? 1 : 0],
  );
  return entry && { entry: entry.id as string, isOpen: Boolean(entry.is_open) };
}
