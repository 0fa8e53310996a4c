import type { DatabaseSync } from 'node:sqlite';
import type { Scope, Whose } from '../core/scope.ts';

/** What became of a row that was sent, as far as anybody knows; `dropped` was given up while unconfirmed. */
export type SentOutcome = 'created' | 'unknown' | 'dropped';

/** A row whose journal goes. */
export interface Kept {
  readonly row: number;
  /** Undefined: it was surely not sent. */
  readonly outcome: SentOutcome | undefined;
  readonly created: string | undefined;
}

/** A row of a run. */
export interface Place {
  readonly run: string;
  readonly row: number;
}

/** A row that a run sent, or may have sent. */
export interface SentRow extends Place {
  readonly by: 'run';
  /** Undefined as long as only the journal tells. */
  readonly outcome: SentOutcome | undefined;
  readonly created: string | undefined;
  /** Another organization's rows are never among what is found, but may be what answers a row. */
  readonly whose: Exclude<Whose, 'elsewhere'>;
  /** The row of a later run that inherited this one, and at which a person recorded the outcome. */
  readonly answer: Place | undefined;
}

/** Where the same write was sent before. */
export type SentBefore =
  | SentRow
  | {
      readonly by: 'command';
      readonly entry: string;
      readonly inDoubt: boolean;
      readonly whose: Exclude<Whose, 'elsewhere'>;
      readonly created: string | undefined;
    };

/**
 * What imports of one organization sent to a service, by fingerprint: kept apart from their journals, which can be
 * discarded. Rows are noted before the first request of their run leaves, so a row that is noted was
 * sent or may have been, unless the journal tells otherwise.
 */
export class SentRows {
  readonly #database: DatabaseSync;
  readonly scope: Scope;
  readonly #commit: (work: () => void) => void;

  constructor(database: DatabaseSync, scope: Scope, commit: (work: () => void) => void) {
    this.#database = database;
    this.scope = scope;
    this.#commit = commit;
  }

  /** Nothing was ever sent to this service from here. */
  isEmpty(): boolean {
    const { sent } = this.#database
      .prepare(
        'SELECT EXISTS (SELECT 1 FROM sent_rows WHERE service = ?1) OR EXISTS (SELECT 1 FROM entries WHERE service = ?1) AS sent',
      )
      .get(this.scope.service) as { sent: number };
    return sent === 0;
  }

  /** Imports sent rows to this service. */
  any(): boolean {
    const found = this.#database
      .prepare('SELECT 1 FROM sent_rows WHERE service = ? LIMIT 1')
      .get(this.scope.service);
    return found !== undefined;
  }

  /** Notes the rows of a run, all of them or none. */
  note(run: string, rows: Iterable<{ readonly row: number; readonly fingerprint: string }>): void {
    this.#commit(() => {
      const insert = this.#database.prepare(
        'INSERT INTO sent_rows (run, row, service, fingerprint, organization) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
      );
      const { service, organization = null } = this.scope;
      for (const { row, fingerprint } of rows) {
        insert.run(run, row, service, fingerprint, organization);
      }
    });
  }

  /** Takes back a run that ended before its first request. */
  takeBack(run: string): void {
    this.#commit(() => {
      this.#database.prepare('DELETE FROM sent_rows WHERE run = ?').run(run);
    });
  }

  /** Keeps what became of the rows of a run, as its journal goes; those that were not sent are forgotten. */
  keep(run: string, rows: Iterable<Kept>): void {
    this.#commit(() => {
      const remove = this.#database.prepare('DELETE FROM sent_rows WHERE run = ? AND row = ?');
      const update = this.#database.prepare(
        'UPDATE sent_rows SET outcome = ?, created = ? WHERE run = ? AND row = ?',
      );
      for (const { row, outcome, created } of rows) {
        if (outcome === undefined) remove.run(run, row);
        else update.run(outcome, created ?? null, run, row);
      }
    });
  }

  /** From now on other rows tell what became of these. */
  linkAnswers(rows: Iterable<{ readonly from: Place; readonly to: Place }>): void {
    this.#commit(() => {
      for (const { from, to } of rows) this.#setAnswer(from, to);
    });
  }

  /** What was recorded of these rows elsewhere holds no more. */
  unlinkAnswers(rows: Iterable<Place>): void {
    this.#commit(() => {
      for (const row of rows) this.#setAnswer(row, undefined);
    });
  }

  #setAnswer({ run, row }: Place, answer: Place | undefined): void {
    this.#database
      .prepare('UPDATE sent_rows SET heir_run = ?, heir_row = ? WHERE run = ? AND row = ?')
      .run(answer?.run ?? null, answer?.row ?? null, run, row);
  }

  /** Undefined if it was never noted, or is forgotten. */
  at({ run, row }: Place): SentRow | undefined {
    const found = this.#database
      .prepare(`SELECT ${COLUMNS} FROM sent_rows WHERE run = ? AND row = ?`)
      .get(run, row);
    return found === undefined ? undefined : this.#sentRow(found);
  }

  /** The rows of a run of which others tell what became. */
  answeredElsewhere(run: string): SentRow[] {
    return this.#database
      .prepare(`SELECT ${COLUMNS} FROM sent_rows WHERE run = ? AND heir_run IS NOT NULL`)
      .all(run)
      .map((found) => this.#sentRow(found));
  }

  /** Finds every earlier write with a fingerprint, except those of other organizations. */
  finder(): (fingerprint: string) => SentBefore[] {
    const rows = this.#database.prepare(
      `SELECT ${COLUMNS} FROM sent_rows WHERE service = ? AND fingerprint = ?`,
    );
    const entries = this.#database.prepare(
      "SELECT id, state, created, organization FROM entries WHERE service = ? AND fingerprint = ? AND state IN ('pending', 'unknown', 'done', 'adopted')",
    );
    const { service } = this.scope;
    return (fingerprint) =>
      [
        ...rows.all(service, fingerprint).map((found) => this.#sentRow(found)),
        ...entries.all(service, fingerprint).map(
          ({ id, state, created, organization }): SentBefore => ({
            by: 'command',
            entry: id as string,
            inDoubt: state === 'pending' || state === 'unknown',
            whose: this.scope.whoseAt(organization as string | null),
            created: (created as string | null) ?? undefined,
          }),
        ),
      ].filter(({ whose }) => whose !== 'foreign');
  }

  #sentRow(stored: Readonly<Record<string, unknown>>): SentRow {
    const { run, row, outcome, created, heir_run: heirRun, heir_row: heirRow } = stored;
    return {
      by: 'run',
      run: run as string,
      row: Number(row),
      outcome: (outcome as SentOutcome | null) ?? undefined,
      created: (created as string | null) ?? undefined,
      whose: this.scope.whoseAt(stored.organization as string | null),
      answer: heirRun === null ? undefined : { run: heirRun as string, row: Number(heirRow) },
    };
  }
}

const COLUMNS = 'run, row, outcome, created, organization, heir_run, heir_row';
