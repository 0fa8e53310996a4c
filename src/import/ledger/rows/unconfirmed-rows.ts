import type { StatementSync } from 'node:sqlite';
import type { Journal } from '../journal.ts';

/** Rows to look up: those in doubt that were sent before a time, and those whose key was taken. */
const OPEN = `
  SELECT row, code, name, state, sent_at AS at FROM rows
    WHERE state = 'unknown' AND sent_at <= ? AND looked_up = 0
  UNION ALL SELECT row, code, name, state, 0 FROM rows
    WHERE status = 409 AND state = 'rejected' AND looked_up = 0`;

/** Of these, those that no look-up can find: there is nothing to wait for. */
const KEYLESS = `SELECT row, state FROM (${OPEN}) WHERE code IS NULL AND name IS NULL`;

const EVER = Number.MAX_SAFE_INTEGER;

/** A row to look up. */
export interface Doubt {
  readonly row: number;
  readonly code: string | null;
  readonly name: string | null;
  readonly state: 'unknown' | 'rejected';
}

/** What was answered when a row was sent. */
export interface Answered {
  readonly status: number | null;
  readonly reason: string | null;
}

/** A row that has a key in common with others. */
export interface Member extends Answered {
  readonly row: number;
  readonly state: 'unknown' | 'rejected' | 'created' | 'sent';
  readonly id: string | null;
  readonly sent_at: number | null;
  readonly looked_up: number;
  readonly tries: number;
}

/** In doubt, and not yet given up. */
export function isOpen(
  member: Member,
): member is Member & { readonly state: 'unknown' | 'rejected' } {
  const { state, looked_up: looked } = member;
  return looked === 0 && (state === 'unknown' || state === 'rejected');
}

/** The rows that are to be looked up, as the journal has them. */
export class Doubts {
  readonly #journal: Journal;
  #answered: StatementSync | undefined;

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  /** When the first of them was sent, ms; undefined where none is left. */
  firstSentAt(): number | undefined {
    const { at, n } = this.#journal.database
      .prepare(`SELECT min(at) AS at, count(*) AS n FROM (${OPEN})`)
      .get(EVER) as { at: number | null; n: number };
    return n === 0 ? undefined : Number(at ?? 0);
  }

  /** Those that were sent up to a time, by their codes; `most` undefined for all. */
  sentUntil(until: number, most: number | undefined): Doubt[] {
    return this.#journal.database
      .prepare(`${OPEN} ORDER BY code LIMIT ?`)
      .all(until, most ?? -1) as unknown as Doubt[];
  }

  /** Those without anything to look them up by. */
  keyless(): Pick<Doubt, 'row' | 'state'>[] {
    const rows = this.#journal.database.prepare(KEYLESS).all(EVER);
    return rows as unknown as Pick<Doubt, 'row' | 'state'>[];
  }

  /** All rows with a key that were sent, whatever became of them. */
  members(key: 'code' | 'name', value: string): Member[] {
    return this.#journal.database
      .prepare(
        `SELECT row, state, id, status, sent_at, looked_up, tries, reason FROM rows
         WHERE ${key} = ? AND (state IN ('unknown', 'created', 'sent') OR (state = 'rejected' AND status = 409))
         ORDER BY row`,
      )
      .all(value) as unknown as Member[];
  }

  /** The ids that carried a key before the first request. */
  idsBefore(key: 'code' | 'name', value: string): string[] {
    return this.#journal.database
      .prepare(`SELECT id FROM catalogue WHERE ${key} = ?`)
      .all(value)
      .map(({ id }) => id as string);
  }

  answered(row: number): Answered {
    this.#answered ??= this.#journal.database.prepare(
      'SELECT status, reason FROM rows WHERE row = ?',
    );
    return this.#answered.get(row) as unknown as Answered;
  }
}
