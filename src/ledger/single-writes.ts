import { type Place, rowOf, runOf } from './sent-since.ts';
import type { Sql, Statements } from './sql.ts';

export interface SingleWrite {
  readonly id: string;
  readonly key: string | null;
  /** SHA-256 of the body. */
  readonly digest: string;
}

/** What was sent before: a row of a run, or another single write. */
export type SentBefore =
  | { readonly run: number; readonly row: number; readonly isOpen: boolean }
  | { readonly entry: string; readonly isOpen: boolean };

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
   * @param since of rows with the key that are surely created, only those of runs that have ended since count, ms;
   * undefined: the user wants it to be sent, whatever was sent before
   * @returns what was sent before: then nothing is recorded
   */
  begin(
    { id, key, digest }: SingleWrite,
    since: number | undefined,
  ): Promise<SentBefore | undefined> {
    const { place, noun } = this.#where;
    return this.#sql.transaction(async (sql) => {
      const before = since === undefined ? undefined : await this.#before(sql, key, digest, since);
      if (before !== undefined) return before;
      await sql.run('UPDATE intents SET last = last + 1');
      await sql.run(
        `INSERT INTO entries (id, place, noun, key, digest, state, intent)
          SELECT ?, ?, ?, ?, ?, 'pending', last FROM intents`,
        ...[id, place, noun, key, digest],
      );
      return undefined;
    });
  }

  /** @param created the id; null: the write had no effect; undefined: nobody knows */
  async finish(id: string, created: string | null | undefined): Promise<void> {
    const state = created === undefined ? 'unknown' : created === null ? 'rejected' : 'done';
    await this.#sql.run(
      "UPDATE entries SET state = ?, created = ? WHERE id = ? AND (state IN ('pending', 'unknown') OR ? = 'done')",
      ...[state, created ?? null, id, state],
    );
  }

  async #before(
    sql: Statements,
    key: string | null,
    digest: string,
    since: number,
  ): Promise<SentBefore | undefined> {
    const { place, noun } = this.#where;
    const ours = 'at >> 32 IN (SELECT number FROM runs WHERE place = ? AND noun = ?)';
    const [row] = await sql.all(
      `SELECT at, state FROM rows WHERE digest = ? AND state IN ('sending', 'unconfirmed', 'created', 'abandoned')
          AND intent IS NOT NULL AND ${ours}
        UNION ALL SELECT at, state FROM rows WHERE key = ? AND state IN ('sending', 'unconfirmed') AND ${ours}
        UNION ALL SELECT r.at, r.state FROM runs n JOIN rows r ON r.at >= n.number << 32 AND r.at < (n.number + 1) << 32
          WHERE n.place = ? AND n.noun = ? AND coalesce(n.finished_at, ?) >= ? AND r.key = ? AND r.state = 'created' LIMIT 1`,
      ...[digest, place, noun, key, place, noun, place, noun, since, since, key],
    );
    if (row !== undefined) {
      const at = Number(row.at);
      const isOpen = row.state === 'sending' || row.state === 'unconfirmed';
      return { run: runOf(at), row: rowOf(at), isOpen };
    }
    const [entry] = await sql.all(
      `SELECT id, state FROM entries WHERE (digest = ? OR key = ?) AND place = ? AND noun = ?
        AND state IN ('pending', 'unknown', 'done', 'adopted') ORDER BY seq DESC LIMIT 1`,
      ...[digest, key, place, noun],
    );
    if (entry === undefined) return undefined;
    return {
      entry: entry.id as string,
      isOpen: entry.state === 'pending' || entry.state === 'unknown',
    };
  }
}
