interface Change {
  /** Empty for a row that has no state yet. */
  readonly from: readonly RowState[];
  readonly to: readonly RowState[];
}

/** All allowed changes of state, and when each happens. */
export const TRANSITIONS = {
  /** The row has been read, mapped and checked. */
  stage: { from: [], to: ['pending', 'rejected', 'filtered'] },
  /** Another row of the file has the same key. */
  collapse: { from: ['pending'], to: ['duplicate'] },
  /** The list shows its key. */
  exist: { from: ['pending'], to: ['existing'] },
  /** Staging rejected it, but the list shows its code. */
  find: { from: ['rejected'], to: ['existing'] },
  /** A run has rejected it before, and a later one imported it repaired. */
  settle: { from: ['pending', 'rejected'], to: ['existing'] },
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
  /** A later run imported the repaired row. */
  repair: { from: ['rejected'], to: ['created', 'existing', 'duplicate'] },
} as const satisfies Readonly<Record<string, Change>>;

export type Transition = keyof typeof TRANSITIONS;

export type Target<T extends Transition> = (typeof TRANSITIONS)[T]['to'][number];

/** The states of a row. `docs/glossary.md` explains them. */
const STATES = [
  'filtered',
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

export type Counts = Readonly<Record<RowState, number>>;

export function noCounts(): Record<RowState, number> {
  return Object.fromEntries(STATES.map((state) => [state, 0])) as Record<RowState, number>;
}
