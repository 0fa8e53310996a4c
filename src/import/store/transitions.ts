import type { SQLInputValue, StatementSync } from 'node:sqlite';
import { type Problem, type StoredProblem, storedProblem } from '../../core/problem/row-problem.ts';
import type { Queries } from './run-database.ts';

interface Change {
  /** Empty for a row that has no state yet. */
  readonly from: readonly RowState[];
  readonly to: readonly RowState[];
}

/** All allowed changes of state, and when each happens. */
export const TRANSITIONS = {
  /** The row has been read, mapped and checked. */
  stage: { from: [], to: ['pending', 'rejected'] },
  /** The file of the run was lost, and the ledger knows the row. */
  remake: { from: [], to: ['unconfirmed', 'created', 'dropped'] },
  /** Another row of the file has the same key. */
  collapse: { from: ['pending'], to: ['duplicate'] },
  /** The list shows its key. */
  exist: { from: ['pending'], to: ['existing'] },
  /** Staging rejected it, but the list shows its code. */
  find: { from: ['rejected'], to: ['existing'] },
  /** A rule that needs the catalogue refuses it. */
  refuse: { from: ['pending'], to: ['rejected'] },
  /** An earlier run or command sent the same, and its outcome is unknown. */
  inherit: { from: ['pending'], to: ['unconfirmed'] },
  /** An earlier run or command sent the same, and its outcome is known. */
  recall: { from: ['pending', 'unconfirmed'], to: ['existing', 'dropped'] },
  /** Its intent is on disk, so the request may leave. */
  send: { from: ['pending'], to: ['sending'] },
  /** The request ended; `pending` if it provably had no effect. */
  answer: { from: ['sending'], to: ['created', 'pending', 'rejected', 'unconfirmed'] },
  /** Another response of the run has the same id. */
  doubt: { from: ['created'], to: ['unconfirmed'] },
  /** Sending has stopped, and the row has no mark: its request cannot have left. */
  withdraw: { from: ['sending'], to: ['pending'] },
  /** Sending has stopped, and the row has a mark but no outcome, or a reboot may have lost the marks. */
  interrupt: { from: ['sending'], to: ['unconfirmed'] },
  /** A look-up found the outcome; or no look-up can find it, and the row is parked. */
  reconcile: {
    from: ['unconfirmed'],
    to: ['created', 'existing', 'pending', 'rejected', 'unconfirmed'],
  },
  /** The run is resumed: parked rows are looked up again. */
  reopen: { from: ['unconfirmed'], to: ['unconfirmed'] },
  /** Its key was taken (409) and has been looked up. */
  compare: { from: ['rejected'], to: ['existing', 'rejected'] },
  /** A person recorded its outcome, in this run or in a later one that inherited it. */
  resolve: { from: ['sending', 'unconfirmed'], to: ['created', 'pending', 'dropped'] },
  /** A person gives up the rest of the run. */
  giveUp: { from: ['pending'], to: ['dropped'] },
} as const satisfies Readonly<Record<string, Change>>;

type Transition = keyof typeof TRANSITIONS;

export type Target<T extends Transition> = (typeof TRANSITIONS)[T]['to'][number];

/** The states of a row. */
const STATES = [
  'pending',
  'sending',
  'created',
  'existing',
  'duplicate',
  'dropped',
  'rejected',
  'unconfirmed',
] as const;

export type RowState = (typeof STATES)[number];

/** A row with its record, as the tables of the run's file have it: `run-database.ts` explains them. */
export interface StoredRow {
  readonly row: number;
  readonly state: RowState;
  readonly code: string | null;
  /** Null if rows of the run are not identified by name. */
  readonly name: string | null;
  /** Id of the record, if the row exists in the service. */
  readonly id: string | null;
  readonly status: number | null;
  readonly reason: StoredProblem | null;
  /** ms */
  readonly sent_at: number | null;
  readonly tries: number;
  /** 1 if proc looks the row up only when the run is resumed, or never. */
  readonly looked_up: number;
  /** Null if the service has a list of the noun. */
  readonly fingerprint: string | null;
  /** Line of the source on which the row starts; null if not known. */
  readonly line: number | null;
  /** JSON text of the record in the source, or of all records that form the row; null if it equals the body. */
  readonly fields: string | null;
  /** JSON text, sent as it is; null if it could not be made. */
  readonly body: string | null;
  /** JSON text of `Places`, for bodies with several lines. */
  readonly places: string | null;
}

export type Counts = Readonly<Record<RowState, number>>;

export function noCounts(): Record<RowState, number> {
  return Object.fromEntries(STATES.map((state) => [state, 0])) as Record<RowState, number>;
}

/**
 * Values that are written with a state. A transition writes only the values that `COLUMNS` lists
 * for it.
 */
export interface Noted {
  readonly id?: string | null | undefined;
  readonly status?: number | null | undefined;
  readonly reason?: Problem | null | undefined;
  /**
   * While this is true, the run does not look the row up. An unconfirmed row is parked while this
   * is true.
   */
  readonly lookedUp?: boolean | undefined;
  /** For a row that another run may have sent: when, ms, and the number of its intent. */
  readonly sentAt?: number | null | undefined;
  readonly seen?: number | undefined;
}

type Column = 'id' | 'status' | 'reason' | 'looked_up' | 'sent_at' | 'tries' | 'seen';

const OUTCOME = ['id', 'status', 'reason', 'looked_up'] as const;
const INHERITED = ['id', 'reason', 'looked_up', 'sent_at', 'seen'] as const;

const COLUMNS = {
  collapse: ['reason'],
  refuse: ['reason'],
  inherit: INHERITED,
  recall: INHERITED,
  answer: [...OUTCOME, 'tries'],
  // The row keeps its id: a look-up may find that it is the right one.
  doubt: ['status', 'reason', 'looked_up', 'tries'],
  reconcile: OUTCOME,
  compare: OUTCOME,
  resolve: ['id', 'reason', 'looked_up'],
  withdraw: [],
} as const satisfies Partial<Readonly<Record<Transition, readonly Column[]>>>;

export type RowTransition = keyof typeof COLUMNS;

/** The state of a row, by the outcome of the same row or body in another run or command. */
export const TAKEN_OVER = {
  created: 'existing',
  dropped: 'dropped',
  unconfirmed: 'unconfirmed',
} as const;

export class RowWriter {
  readonly #sql: Queries;
  readonly #statements = new Map<RowTransition, StatementSync>();

  constructor(sql: Queries) {
    this.#sql = sql;
  }

  /** @returns false if the state of the row does not allow the transition; then nothing is written */
  apply<T extends RowTransition>(
    row: number,
    transition: T,
    to: Target<T>,
    noted: Noted = {},
  ): boolean {
    if (!leadsTo(transition, to))
      throw new Error(`"${transition}" does not lead to the state ${to}`);
    const columns: readonly Column[] = COLUMNS[transition];
    let statement = this.#statements.get(transition);
    if (statement === undefined) {
      const sets = columns.map((one) => (one === 'tries' ? ', tries = tries + ?' : `, ${one} = ?`));
      statement = this.#sql.prepare(
        `UPDATE rows SET state = ?${sets.join('')} WHERE row = ? AND ${leaving(transition)}`,
      );
      this.#statements.set(transition, statement);
    }
    const values = columns.map((one) => valueIn(one, to, noted));
    return statement.run(to, ...values, row).changes === 1;
  }

  /** The row has the outcome that another run or command knows. */
  takeOver(row: number, outcome: keyof typeof TAKEN_OVER, noted: Noted): void {
    const to = TAKEN_OVER[outcome];
    if (to === 'unconfirmed') this.apply(row, 'inherit', to, noted);
    else this.apply(row, 'recall', to, noted);
  }

  /**
   * Marks a range of pending rows as sent. Parameters: the time in ms, the row before the range,
   * the last row of the range.
   */
  markSending(): StatementSync {
    return this.#sql.prepare(
      `UPDATE rows SET ${becoming('send')}, sent_at = ? WHERE row > ? AND row <= ? AND ${leaving('send')}`,
    );
  }

  /**
   * Marks rows as created, from the JSON text of an array of `[row, id]`. Leaves out rows whose id cannot be
   * theirs: another created row of the run has it, or the list or this machine knew it before.
   */
  markCreated(): StatementSync {
    return this.#sql.prepare(
      `UPDATE OR IGNORE rows SET state = 'created', id = made.value ->> 1, status = NULL, reason = NULL
       FROM json_each(?) AS made WHERE rows.row = made.value ->> 0 AND rows.${leaving('answer')}
         AND NOT EXISTS (SELECT 1 FROM catalogue c WHERE c.id = made.value ->> 1)
         AND NOT EXISTS (SELECT 1 FROM taken_ids t WHERE t.id = made.value ->> 1)`,
    );
  }

  /**
   * Marks a row as created whose request left before another process opened the run for writing.
   *
   * @param sentAt when the intent of that request was written, ms
   */
  confirm(row: number, sentAt: number, id: string | null): void {
    const from = [...TRANSITIONS.answer.from, ...TRANSITIONS.reconcile.from];
    this.#sql.run(
      `UPDATE OR IGNORE rows SET state = 'created', id = ?, status = NULL, reason = NULL
        WHERE row = ? AND sent_at = ? AND state IN (${from.map((state) => `'${state}'`).join(', ')})`,
      id,
      row,
      sentAt,
    );
  }

  /**
   * Rows that the list shows: pending ones, or rejected ones of a run that has sent nothing.
   *
   * @param records SQL: the records of a row
   */
  exist(transition: 'exist' | 'find', records: string): number {
    return this.#sql.run(
      `UPDATE rows SET ${becoming(transition)}, id = (SELECT min(c.id) FROM ${records}), reason = NULL
        WHERE ${leaving(transition)} AND EXISTS (SELECT 1 FROM ${records})`,
    );
  }

  /**
   * Pending rows with the stored code of another row: of a row that was sent, or of an earlier pending
   * row. Needs {@link defineStored}.
   */
  collapseStored(): number {
    this.#sql.exec(
      `CREATE TEMP TABLE stored_codes AS SELECT row AS key, stored_code(code) AS code, state <> 'pending' AS is_sent
         FROM rows WHERE code IS NOT NULL AND state IN ('pending', 'sending', 'created', 'unconfirmed', 'existing');
       CREATE INDEX temp.stored_codes_by_code ON stored_codes (code)`,
    );
    try {
      return this.#sql.run(
        `UPDATE rows SET ${becoming('collapse')},
           reason = json_object('code', 'same_key', 'args', json_object('row', (SELECT min(o.key) FROM temp.stored_codes o
             WHERE o.code = s.code AND o.key <> s.key AND (o.is_sent OR o.key < s.key))))
         FROM temp.stored_codes s WHERE s.key = rows.row AND rows.${leaving('collapse')}
           AND EXISTS (SELECT 1 FROM temp.stored_codes o
             WHERE o.code = s.code AND o.key <> s.key AND (o.is_sent OR o.key < s.key))`,
      );
    } finally {
      this.#sql.exec('DROP TABLE temp.stored_codes');
    }
  }

  /** Defines `stored_code` in SQL: the code as the service stores it. */
  defineStored(storedCode: (code: string) => string): void {
    this.#sql.database.function('stored_code', { deterministic: true }, (code) =>
      storedCode(String(code)),
    );
  }

  /** Rows that are being sent, and when their intents were written, ms. */
  sending(): { readonly row: number; readonly at: number }[] {
    return this.#sql.all(`SELECT row, sent_at AS at FROM rows WHERE ${leaving('withdraw')}`);
  }

  interrupt(): number {
    return this.#sql.run(
      `UPDATE rows SET ${becoming('interrupt')}, reason = ? WHERE ${leaving('interrupt')}`,
      storedProblem({ code: 'stopped_while_sent', args: {} }),
    );
  }

  /** Makes parked rows open again, if this run sent them. */
  reopen(): number {
    return this.#sql.run(
      `UPDATE rows SET looked_up = 0 WHERE ${leaving('reopen')} AND sent_at IS NOT NULL`,
    );
  }

  /** Drops the rows that are still to be sent. */
  giveUp(): number {
    return this.#sql.run(
      `UPDATE rows SET ${becoming('giveUp')}, reason = ? WHERE ${leaving('giveUp')}`,
      storedProblem({ code: 'given_up', args: {} }),
    );
  }
}

function valueIn(column: Column, to: RowState, noted: Noted): SQLInputValue {
  switch (column) {
    case 'looked_up':
      return noted.lookedUp === true ? 1 : 0;
    case 'sent_at':
      // For `inherit` and `recall`: this run did not send the row.
      return noted.sentAt ?? null;
    case 'seen':
      return noted.seen ?? null;
    case 'tries':
      return to === 'unconfirmed' ? 1 : 0;
    case 'reason':
      return noted.reason == null ? null : storedProblem(noted.reason);
    default:
      return noted[column] ?? null;
  }
}

function leadsTo(transition: Transition, to: RowState): boolean {
  const targets: readonly RowState[] = TRANSITIONS[transition].to;
  return targets.includes(to);
}

/** Only for a transition that leads to a single state. */
function becoming(transition: Transition): string {
  const [to] = TRANSITIONS[transition].to;
  return `state = '${to}'`;
}

/** SQL condition: the state of the row allows the transition. */
function leaving(transition: Transition): string {
  const from: readonly RowState[] = TRANSITIONS[transition].from;
  // With `=` instead of `IN`, SQLite can use partial indexes.
  if (from.length === 1) return `state = '${from[0]}'`;
  return `state IN (${from.map((state) => `'${state}'`).join(', ')})`;
}
