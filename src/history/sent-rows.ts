import type { DatabaseSync } from 'node:sqlite';
import type { Ownership, Scope } from '../core/scope.ts';
import { RUN_SPAN } from '../ledger/ledger-schema.ts';

export type SentOutcome = 'created' | 'unconfirmed' | 'dropped';

export interface Place {
  readonly run: string;
  readonly row: number;
}

/** A row that a run sent, or may have sent. */
export interface SentRow extends Place {
  readonly by: 'run';
  /** Undefined if the row had no effect, or was repaired by a later run. */
  readonly outcome: SentOutcome | undefined;
  readonly created: string | undefined;
  readonly ownership: Exclude<Ownership, 'elsewhere'>;
  /** The run was discarded, so no outcome can be recorded in it. */
  readonly isDiscarded: boolean;
  /** Where a person recorded the outcome: the row of a later run that inherited this row. */
  readonly answer: Place | undefined;
}

/** An earlier write with the same content: a row of a run, or a single command. */
export type SentBefore =
  | SentRow
  | {
      readonly by: 'command';
      readonly entry: string;
      readonly isUnconfirmed: boolean;
      readonly ownership: Exclude<Ownership, 'elsewhere'>;
      readonly created: string | undefined;
    };

export interface RunOf {
  readonly number: number;
  readonly name: string;
  readonly ownership: Exclude<Ownership, 'elsewhere'>;
  /** Milliseconds since the epoch; undefined until the run is finished. */
  readonly finishedAt: number | undefined;
}

export interface CreatedBefore {
  readonly id: string;
  readonly code: string | null;
  readonly name: string | null;
}

/**
 * NULL if the row was not sent or was refused. NULL also for a repaired row: the outcome is in the
 * later run that repaired it.
 */
const OUTCOME = `CASE
  WHEN r.repaired_by IS NOT NULL THEN NULL
  WHEN r.state IN ('sending', 'unconfirmed') THEN 'unconfirmed'
  WHEN r.state IN ('created', 'dropped') THEN r.state END`;

const SENT = `SELECT r.key % ${RUN_SPAN} AS row, ${OUTCOME} AS outcome, r.id, n.name, n.organization,
    n.is_discarded, r.answered_by,
    (SELECT value FROM facts WHERE run = n.number AND key = 'keyMark') AS mark
  FROM rows r JOIN runs n ON n.number = r.key / ${RUN_SPAN}`;

/** The runs of a service that may have sent rows. */
const COUNTS = 'n.service = ? AND n.is_entered AND NOT n.is_forgotten';

/** All rows of a run, as a condition on the primary key. Bind the number of the run twice. */
const OF_RUN = `key > ? * ${RUN_SPAN} AND key < (? + 1) * ${RUN_SPAN}`;

/** Finds earlier writes to the service of `scope`: rows of imports, and single commands. */
export class SentRows {
  readonly #database: DatabaseSync;
  readonly scope: Scope;
  readonly #commit: (work: () => void) => void;

  constructor(database: DatabaseSync, scope: Scope, commit: (work: () => void) => void) {
    this.#database = database;
    this.scope = scope;
    this.#commit = commit;
  }

  isEmpty(): boolean {
    const { sent } = this.#database
      .prepare(
        `SELECT EXISTS (SELECT 1 FROM runs n WHERE ${COUNTS})
          OR EXISTS (SELECT 1 FROM entries WHERE service = ?) AS sent`,
      )
      .get(this.scope.service, this.scope.service) as { sent: number };
    return sent === 0;
  }

  /** Whether imports may have sent rows to this service. */
  any(): boolean {
    const found = this.#database
      .prepare(`SELECT 1 FROM runs n WHERE ${COUNTS} LIMIT 1`)
      .get(this.scope.service);
    return found !== undefined;
  }

  /** Links each row `from` to the row `to`, which has the outcome of both. */
  linkAnswers(rows: Iterable<{ readonly from: Place; readonly to: Place }>): void {
    this.#commit(() => {
      for (const { from, to } of rows) this.#setAnswer(from, to);
    });
  }

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

  at(place: Place): SentRow | undefined {
    const found = this.#database.prepare(`${SENT} WHERE r.key = ?`).get(this.#keyOf(place));
    return found === undefined ? undefined : this.#sentRow(found);
  }

  /** The rows of `run` that `linkAnswers` has linked to another row. */
  answeredElsewhere(run: string): SentRow[] {
    return this.#database
      .prepare(`${SENT} WHERE n.name = ? AND r.answered_by IS NOT NULL ORDER BY r.key`)
      .all(run)
      .map((found) => this.#sentRow(found));
  }

  /**
   * Returns a function that finds earlier writes by fingerprint. Leaves out writes without effect
   * and writes of other organizations.
   */
  finder(): (fingerprint: string) => SentBefore[] {
    // Leaves out rows that a run inherited and did not send. The earlier write that such a row
    // repeats is found instead.
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
            isUnconfirmed: state === 'pending' || state === 'unknown',
            ownership: this.scope.ownershipIn(organization as string | null),
            created: (created as string | null) ?? undefined,
          }),
        ),
      ].filter(({ ownership }) => ownership !== 'foreign');
  }

  #sentRow(stored: Readonly<Record<string, unknown>>): SentRow {
    const { name, row, outcome, id, organization, mark, answered_by: by } = stored;
    return {
      by: 'run',
      run: name as string,
      row: Number(row),
      outcome: (outcome as SentOutcome | null) ?? undefined,
      created: (id as string | null) ?? undefined,
      ownership: this.#ownership(name as string, organization, mark),
      isDiscarded: stored.is_discarded === 1,
      answer: by === null ? undefined : this.#placeOf(Number(by)),
    };
  }

  #ownership(run: string, organization: unknown, mark: unknown): RunOf['ownership'] {
    const ownership = this.scope.ownershipIn(organization as string | null);
    if (ownership !== 'unrecorded' || mark === null) return ownership;
    return this.scope.sentWithThisKey(run, JSON.parse(mark as string) as string)
      ? 'ours'
      : ownership;
  }

  #placeOf(key: number): Place | undefined {
    const found = this.#database
      .prepare('SELECT name FROM runs WHERE number = ?')
      .get(Math.floor(key / RUN_SPAN));
    return found === undefined ? undefined : { run: found.name as string, row: key % RUN_SPAN };
  }

  /** Runs of a noun that may have sent rows. Leaves out discarded runs and runs of other organizations. */
  runs(noun: string): RunOf[] {
    return this.#database
      .prepare(
        `SELECT number, name, organization, (SELECT value FROM facts WHERE run = n.number AND key = 'keyMark') AS mark,
          (SELECT value FROM facts WHERE run = n.number AND key = 'finishedAt') AS finished
          FROM runs n WHERE ${COUNTS} AND n.noun = ? AND NOT n.is_discarded ORDER BY n.name`,
      )
      .all(this.scope.service, noun)
      .map(({ number, name, organization, mark, finished }) => ({
        number: Number(number),
        name: name as string,
        ownership: this.#ownership(name as string, organization, mark),
        finishedAt: finished === null ? undefined : Number(finished),
      }))
      .filter(({ ownership }) => ownership !== 'foreign');
  }

  /** Names of all runs of a noun that may have sent rows, also of discarded runs. */
  everyRun(noun: string): string[] {
    return this.#database
      .prepare(
        `SELECT name, organization, (SELECT value FROM facts WHERE run = n.number AND key = 'keyMark') AS mark
          FROM runs n WHERE ${COUNTS} AND n.noun = ? ORDER BY n.name`,
      )
      .all(this.scope.service, noun)
      .filter(
        ({ name, organization, mark }) =>
          this.#ownership(name as string, organization, mark) !== 'foreign',
      )
      .map(({ name }) => name as string);
  }

  createdBy({ number }: RunOf): Iterable<CreatedBefore> {
    return this.#database
      .prepare(
        `SELECT id, code, name FROM rows WHERE ${OF_RUN} AND state = 'created' AND id IS NOT NULL`,
      )
      .iterate(number, number) as Iterable<unknown> as Iterable<CreatedBefore>;
  }

  /** Which of the given ids belong to records that the run created. Reads all rows of the run. */
  createdAmong(ids: readonly string[], { number }: RunOf): string[] {
    return this.#database
      .prepare(
        `SELECT id FROM rows WHERE ${OF_RUN} AND state = 'created' AND id IN (SELECT value FROM json_each(?))`,
      )
      .all(number, number, JSON.stringify(ids))
      .map(({ id }) => id as string);
  }

  /** The row of any run that created a record of the noun. */
  creatorOf(noun: string, id: string): (Place & { readonly code: string | null }) | undefined {
    const find = this.#database.prepare(
      `SELECT key % ${RUN_SPAN} AS row, code FROM rows WHERE ${OF_RUN} AND id = ? AND state = 'created'`,
    );
    for (const { number, name } of this.runs(noun)) {
      const found = find.get(number, number, id) as
        | { row: number; code: string | null }
        | undefined;
      if (found !== undefined) return { run: name, ...found };
    }
    return undefined;
  }

  creators({ number }: RunOf): (id: string) => number | undefined {
    const find = this.#database.prepare(
      `SELECT key % ${RUN_SPAN} AS row FROM rows WHERE ${OF_RUN} AND id = ? AND state = 'created'`,
    );
    return (id) => find.get(number, number, id)?.row as number | undefined;
  }
}
