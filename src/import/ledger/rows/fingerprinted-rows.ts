import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { RowState } from './states.ts';

/** A row that is recognised by its body, as nothing can be listed. */
export interface FingerprintedRow {
  readonly row: number;
  readonly fingerprint: string;
  /** JSON text. */
  readonly body: string;
}

/** What the row's own run says of it. */
export interface OwnOutcome {
  readonly row: number;
  readonly state: RowState;
  readonly id: string | null;
}

/** Which rows may have been sent before: those to create, or those that were inherited as unconfirmed. */
export type Asked = 'pending' | 'inherited';

const WHICH = {
  pending: "state = 'pending'",
  inherited: "state = 'unknown' AND sent_at IS NULL",
} as const satisfies Record<Asked, string>;

/** The state that a run's own request led to: a row that was repaired was refused, and sent by a later run. */
const OWN_STATE = "CASE WHEN repaired_by IS NULL THEN state ELSE 'rejected' END AS state";

/** Rows of nouns that cannot be listed. */
export class FingerprintedRows {
  readonly #database: DatabaseSync;
  #own: StatementSync | undefined;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  get isEmpty(): boolean {
    const some = 'SELECT 1 FROM rows WHERE fingerprint IS NOT NULL LIMIT 1';
    return this.#database.prepare(some).get() === undefined;
  }

  /** In order, after a row. */
  some(which: Asked, after: number, most: number): FingerprintedRow[] {
    return [...this.#select(which, after, most)];
  }

  all(which: Asked): Iterable<FingerprintedRow> {
    return this.#select(which, 0, -1);
  }

  #select(which: Asked, after: number, most: number): Iterable<FingerprintedRow> {
    return this.#database
      .prepare(
        `SELECT row, fingerprint, body FROM rows JOIN records USING (row) WHERE ${WHICH[which]} AND row > ? AND fingerprint IS NOT NULL ORDER BY row LIMIT ?`,
      )
      .iterate(after, most) as Iterable<unknown> as Iterable<FingerprintedRow>;
  }

  /** Undefined if there is no such row. */
  own(row: number): OwnOutcome | undefined {
    this.#own ??= this.#database.prepare(`SELECT row, ${OWN_STATE}, id FROM rows WHERE row = ?`);
    return this.#own.get(row) as unknown as OwnOutcome | undefined;
  }

  owns(): Iterable<OwnOutcome> {
    return this.#database
      .prepare(`SELECT row, ${OWN_STATE}, id FROM rows WHERE fingerprint IS NOT NULL`)
      .iterate() as Iterable<unknown> as Iterable<OwnOutcome>;
  }
}
