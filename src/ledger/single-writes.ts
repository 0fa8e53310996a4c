import { hasHash } from './run-tables.ts';
import { OPEN, type Place, rowOf, runOf } from './sent-since.ts';
import { insertInto, type Sql, type SqlValue, type Statements } from './sql.ts';

export interface SingleWrite {
  readonly id: string;
  readonly key: string | null;
  /** SHA-256 of the body. */
  readonly digest: string;
  /** The key of `--once`. */
  readonly once?: string | undefined;
  /** Other columns of `entries`. */
  readonly columns?: Readonly<Record<string, SqlValue>>;
}

/** What was sent before: a row of a run, or another single write. */
export type SentBefore =
  | { readonly run: number; readonly row: number; readonly isOpen: boolean }
  | { readonly entry: string; readonly isOpen: boolean }
  /** Another write has the key of `--once`. */
  | { readonly once: string };

const OURS = 'at >> 32 IN (SELECT number FROM runs WHERE place = ? AND noun = ?)';

/** The single writes of a place in the ledger. */
export class SingleWrites {
  readonly #sql: Sql;
  readonly #where: Place;

  constructor(sql: Sql, where: Place) {
    this.#sql = sql;
    this.#where = where;
  }

  /**
   * Records a write before its request leaves. The search for what was sent before is in the same transaction, so of
   * two processes only one begins a create.
   *
   * @param since what was surely sent counts only from then on, ms; what is open counts at any time. Undefined: the user
   * wants the write to be sent, whatever was sent before
   * @param isAgain the write has an entry, and its request was turned away: it gets a new intent
   * @returns what was sent before: then nothing is recorded
   */
  async begin(
    { id, key, digest, once, columns }: SingleWrite,
    since: number | undefined,
    isAgain = false,
  ): Promise<SentBefore | undefined> {
    const { place, noun, isListed } = this.#where;
    try {
      return await this.#sql.transaction(async (sql) => {
        if (once !== undefined && (await this.#isTaken(sql, id, once))) return { once };
        if (since !== undefined) {
          const row =
            (await this.#openOrEqual(sql, key, digest, since)) ??
            (isListed && key !== null ? await this.#created(sql, key, since) : undefined);
          const before = row ?? (await this.#entry(sql, { id, key, digest, once, since }));
          if (before !== undefined) return before;
        }
        const [next] = await sql.all('UPDATE intents SET last = last + 1 RETURNING last');
        if (isAgain) {
          const renewed = "UPDATE entries SET intent = ?, state = 'pending' WHERE id = ?";
          await sql.run(renewed, Number(next!.last), id);
          return undefined;
        }
        const entry = {
          ...{ ...columns, id, place, noun, key, digest, once: once ?? null },
          ...{ state: 'pending', intent: Number(next!.last) },
        };
        await sql.run(insertInto('entries', entry), ...Object.values(entry));
        return undefined;
      });
    } catch (thrown) {
      await this.#withdraw(id);
      throw thrown;
    }
  }

  /**
   * Records the outcome. A known one replaces what a person recorded, an unknown one does not.
   *
   * @param created the id; null: the write had no effect; undefined: nobody knows
   */
  finish(id: string, created: string | null | undefined): Promise<void> {
    const state = created === undefined ? 'unknown' : created === null ? 'rejected' : 'done';
    return finishEntry(this.#sql, id, { state, created: created ?? null });
  }

  /** The request has not left. If the intent was written, but not to the disk, nobody must take it for a request. */
  async #withdraw(id: string): Promise<void> {
    try {
      await finishEntry(this.#sql, id, { state: 'not-applied' });
    } catch {
      // The ledger cannot be written at all.
    }
  }

  async #isTaken(sql: Statements, id: string, once: string): Promise<boolean> {
    const found = await sql.all(
      "SELECT 1 FROM entries WHERE once = ? AND id <> ? AND place = ? AND state NOT IN ('rejected', 'not-applied') LIMIT 1",
      ...[once, id, this.#where.place],
    );
    return found.length > 0;
  }

  /** By indexes. */
  async #openOrEqual(
    sql: Statements,
    key: string | null,
    digest: string,
    since: number,
  ): Promise<SentBefore | undefined> {
    const { place, noun } = this.#where;
    const [row] = await sql.all(
      `SELECT at, state FROM rows WHERE digest = ? AND intent IS NOT NULL AND ${OURS}
          AND (${OPEN} OR (state IN ('created', 'abandoned') AND sent_at >= ?))
        UNION ALL SELECT at, state FROM rows WHERE key = ? AND ${OPEN} AND ${OURS} LIMIT 1`,
      ...[digest, place, noun, since, key, place, noun],
    );
    return row && sentRow(row);
  }

  /** Codes of created rows have no index: the lots of runs of the last day tell where to look. */
  async #created(sql: Statements, key: string, since: number): Promise<SentBefore | undefined> {
    const { place, noun } = this.#where;
    const lots = await sql.all(
      `SELECT l.at, l.last, l.hashes FROM runs n JOIN lots l ON l.at >= n.number << 32 AND l.at < (n.number + 1) << 32
        WHERE n.place = ? AND n.noun = ? AND coalesce(n.finished_at, ?) >= ?`,
      ...[place, noun, since, since],
    );
    for (const { at, last } of lots.filter(({ hashes }) => hasHash(hashes as string, key))) {
      const [row] = await sql.all(
        `SELECT at, state FROM rows WHERE at >= ? AND at <= ? AND key = ? AND state IN ('created', 'abandoned')
          AND sent_at >= ? LIMIT 1`,
        ...[Number(at), Number(last), key, since],
      );
      if (row !== undefined) return sentRow(row);
    }
    return undefined;
  }

  /** A write with a key of `--once` repeats no write with another key. */
  async #entry(
    sql: Statements,
    { id, key, digest, once, since }: SingleWrite & { readonly since: number },
  ): Promise<SentBefore | undefined> {
    const { place, noun, isListed } = this.#where;
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
}

/**
 * Records the outcome of a single write. A known one replaces what a person recorded, an unknown one does not.
 *
 * @param columns with `state`
 */
export async function finishEntry(
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

function sentRow({ at, state }: Readonly<Record<string, SqlValue>>): SentBefore {
  const isOpen = state === 'sending' || state === 'unconfirmed';
  return { run: runOf(Number(at)), row: rowOf(Number(at)), isOpen };
}
