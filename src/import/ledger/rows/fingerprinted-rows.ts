import type { DatabaseSync } from 'node:sqlite';

/** A row that is identified by its body, because the service has no list. */
export interface FingerprintedRow {
  readonly row: number;
  readonly fingerprint: string;
}

export type Asked = 'pending' | 'inherited';

const WHICH = {
  pending: "state = 'pending'",
  inherited: "state = 'unconfirmed' AND sent_at IS NULL",
} as const satisfies Record<Asked, string>;

export class FingerprintedRows {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  some(which: Asked, after: number, max: number): FingerprintedRow[] {
    return this.#database
      .prepare(
        `SELECT row, fingerprint FROM rows
          WHERE ${WHICH[which]} AND row > ? AND fingerprint IS NOT NULL ORDER BY row LIMIT ?`,
      )
      .all(after, max) as unknown as FingerprintedRow[];
  }
}
