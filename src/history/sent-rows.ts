import type { DatabaseSync } from 'node:sqlite';
import type { Scope, Whose } from '../core/scope.ts';
import { RUN_SPAN } from '../ledger/ledger-schema.ts';

/** What became of a row that was sent, as far as anybody knows; `dropped` was given up while unconfirmed. */
export type SentOutcome = 'created' | 'unconfirmed' | 'dropped';

/** A row of a run. */
export interface Place {
  readonly run: string;
  readonly row: number;
}

/** A row that a run sent, or may have sent. */
export interface SentRow extends Place {
  readonly by: 'run';
  /** Undefined: it surely was not sent. */
  readonly outcome: SentOutcome | undefined;
  readonly created: string | undefined;
  /** Another organization's rows are never among what is found, but may be what answers a row. */
  readonly whose: Exclude<Whose, 'elsewhere'>;
  /** Its run is gone, so nothing can be recorded there any more. */
  readonly isDiscarded: boolean;
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

/** A run of one organization at a service. */
export interface RunOf {
  readonly number: number;
  readonly name: string;
  readonly whose: Exclude<Whose, 'elsewhere'>;
}

/** Something that was created, as lists show it. */
export interface CreatedBefore {
  readonly id: string;
  readonly code: string | null;
  readonly name: string | null;
}

/** Marks what no run ever sent: a row that was repaired was refused, and sent by the later run. */
const OUTCOME = `CASE
  WHEN r.repaired_by IS NOT NULL THEN NULL
  WHEN r.state IN ('sending', 'unconfirmed') THEN 'unconfirmed'
  WHEN r.state IN ('created', 'dropped') THEN r.state END`;

const SENT = `SELECT r.key % ${RUN_SPAN} AS row, ${OUTCOME} AS outcome, r.id, n.name, n.organization,
    n.is_discarded, r.answered_by,
    (SELECT value FROM facts WHERE run = n.number AND key = 'keyMark') AS mark
  FROM rows r JOIN runs n ON n.number = r.key / ${RUN_SPAN}`;

/** Of the runs of a service, those that count. */
const COUNTS = 'n.service = ? AND n.is_entered AND NOT n.is_forgotten';

/** Every row of a run with this number, by a condition that the key of rows serves. */
const OF_RUN = `key > ?1 * ${RUN_SPAN} AND key < (?1 + 1) * ${RUN_SPAN}`;

/** What runs and single commands of one organization sent to a service, asked across all of them. */
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
        `SELECT EXISTS (SELECT 1 FROM runs n WHERE ${COUNTS.replace('?', '?1')})
          OR EXISTS (SELECT 1 FROM entries WHERE service = ?1) AS sent`,
      )
      .get(this.scope.service) as { sent: number };
    return sent === 0;
  }

  /** Imports sent rows to this service. */
  any(): boolean {
    const found = this.#database
      .prepare(`SELECT 1 FROM runs n WHERE ${COUNTS} LIMIT 1`)
      .get(this.scope.service);
    return found !== undefined;
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

  #setAnswer(place: Place, answer: Place | undefined): void {
    const by = answer === undefined ? null : this.#keyOf(answer);
    this.#database
      .prepare('UPDATE rows SET answered_by = ? WHERE key = ?')
      .run(by, this.#keyOf(place));
  }

  #keyOf({ run, row }: Place): number {
    const found = this.#database.prepare('SELECT number FROM runs WHERE name = ?').get(run);
    return Number(found?.number ?? 0) * RUN_SPAN + row;
  }

  /** Undefined if nothing is known of it any more. */
  at(place: Place): SentRow | undefined {
    const found = this.#database.prepare(`${SENT} WHERE r.key = ?`).get(this.#keyOf(place));
    return found === undefined ? undefined : this.#sentRow(found);
  }

  /** The rows of a run of which others tell what became. */
  answeredElsewhere(run: string): SentRow[] {
    return this.#database
      .prepare(`${SENT} WHERE n.name = ? AND r.answered_by IS NOT NULL ORDER BY r.key`)
      .all(run)
      .map((found) => this.#sentRow(found));
  }

  /** Finds every earlier write with a fingerprint, except those of other organizations. */
  finder(): (fingerprint: string) => SentBefore[] {
    // What a run inherited, it did not send: a later outcome is that of a person, who recorded it there.
    const rows = this.#database.prepare(
      `${SENT} WHERE r.fingerprint = ? AND ${COUNTS} AND (r.sent_at IS NOT NULL OR r.state = 'created') ORDER BY r.key`,
    );
    const entries = this.#database.prepare(
      "SELECT id, state, created, organization FROM entries WHERE service = ? AND fingerprint = ? AND state IN ('pending', 'unknown', 'done', 'adopted')",
    );
    const { service } = this.scope;
    return (fingerprint) =>
      [
        ...rows
          .all(fingerprint, service)
          .map((found) => this.#sentRow(found))
          .filter(({ outcome }) => outcome !== undefined),
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
    const { name, row, outcome, id, organization, mark, answered_by: by } = stored;
    return {
      by: 'run',
      run: name as string,
      row: Number(row),
      outcome: (outcome as SentOutcome | null) ?? undefined,
      created: (id as string | null) ?? undefined,
      whose: this.#whose(name as string, organization, mark),
      isDiscarded: stored.is_discarded === 1,
      answer: by === null ? undefined : this.#placeOf(Number(by)),
    };
  }

  #whose(run: string, organization: unknown, mark: unknown): RunOf['whose'] {
    const whose = this.scope.whoseAt(organization as string | null);
    if (whose !== 'unrecorded' || mark === null) return whose;
    return this.scope.sentWithThisKey(run, JSON.parse(mark as string) as string) ? 'ours' : whose;
  }

  #placeOf(key: number): Place | undefined {
    const found = this.#database
      .prepare('SELECT name FROM runs WHERE number = ?')
      .get(Math.floor(key / RUN_SPAN));
    return found === undefined ? undefined : { run: found.name as string, row: key % RUN_SPAN };
  }

  /** Runs of a noun that may have sent, except those of other organizations. */
  runs(noun: string): RunOf[] {
    return this.#database
      .prepare(
        `SELECT number, name, organization, (SELECT value FROM facts WHERE run = n.number AND key = 'keyMark') AS mark
          FROM runs n WHERE ${COUNTS} AND n.noun = ? AND NOT n.is_discarded ORDER BY n.name`,
      )
      .all(this.scope.service, noun)
      .map(({ number, name, organization, mark }) => ({
        number: Number(number),
        name: name as string,
        whose: this.#whose(name as string, organization, mark),
      }))
      .filter(({ whose }) => whose !== 'foreign');
  }

  /** What a run created. */
  createdBy({ number }: RunOf): Iterable<CreatedBefore> {
    return this.#database
      .prepare(
        `SELECT id, code, name FROM rows WHERE ${OF_RUN} AND state = 'created' AND id IS NOT NULL`,
      )
      .iterate(number) as Iterable<unknown> as Iterable<CreatedBefore>;
  }

  /** The row of a run that created something with an id. */
  creators({ number }: RunOf): (id: string) => number | undefined {
    const find = this.#database.prepare(
      `SELECT key % ${RUN_SPAN} AS row FROM rows WHERE ${OF_RUN} AND id = ?2 AND state = 'created'`,
    );
    return (id) => find.get(number, id)?.row as number | undefined;
  }
}
