import type { RowState } from './states.ts';

interface Change {
  /** Empty for the first state of a row. */
  readonly from: readonly RowState[];
  readonly to: readonly RowState[];
}

/**
 * All allowed changes of state. A test compares them with the diagram in `docs/architecture.md`.
 */
export const TRANSITIONS = {
  /** The row is read, mapped and checked. */
  stage: { from: [], to: ['pending', 'rejected', 'filtered'] },
  /** Another row of the file has the same key. */
  collapse: { from: ['pending'], to: ['duplicate'] },
  /** The list shows the key of the row. */
  exist: { from: ['pending'], to: ['existing'] },
  /** A rule that needs the catalogue rejects the row. */
  refuse: { from: ['pending'], to: ['rejected'] },
  /** An earlier run or command sent the same body, and its outcome is unknown. */
  inherit: { from: ['pending'], to: ['unconfirmed'] },
  /** An earlier run or command sent the same body, and its outcome is known. */
  recall: { from: ['pending', 'unconfirmed'], to: ['existing', 'dropped'] },
  /** Recorded as sent: the request may leave. */
  send: { from: ['pending'], to: ['sending'] },
  /** The request ended. `pending` if it provably had no effect. */
  answer: { from: ['sending'], to: ['created', 'pending', 'rejected', 'unconfirmed'] },
  /** The run stopped before the request was handed over, so it cannot have left. */
  withdraw: { from: ['sending'], to: ['pending'] },
  /** The run stopped before an outcome was recorded. */
  interrupt: { from: ['sending'], to: ['unconfirmed'] },
  /** A look-up found the outcome. Or no look-up can find it, and the row is parked. */
  reconcile: {
    from: ['unconfirmed'],
    to: ['created', 'existing', 'pending', 'rejected', 'unconfirmed'],
  },
  /** The run is resumed, and parked rows are looked up again. */
  reopen: { from: ['unconfirmed'], to: ['unconfirmed'] },
  /** The service swaps responses, so the refusal may belong to another row. */
  unconfirm: { from: ['rejected'], to: ['unconfirmed'] },
  /** The key of the row was taken (409) and has been looked up. */
  compare: { from: ['rejected'], to: ['existing', 'rejected'] },
  /** A person recorded the outcome, in this run or in a later run that inherited the row. */
  resolve: { from: ['sending', 'unconfirmed'], to: ['created', 'pending', 'dropped'] },
  /** A later run imported the repaired row. */
  repair: { from: ['rejected'], to: ['created', 'existing', 'duplicate'] },
} as const satisfies Readonly<Record<string, Change>>;

export type Transition = keyof typeof TRANSITIONS;

export type Target<T extends Transition> = (typeof TRANSITIONS)[T]['to'][number];
