/** The states of a row. At the end of a run no row is `sending`. */
const STATES = [
  /** Left out by `--where`. */
  'filtered',
  /** To be created, and provably not created so far. */
  'pending',
  /** Its request has left or is about to; no outcome is recorded yet. */
  'sending',
  /** Created by this run, or by a later run that repaired the row. */
  'created',
  /** The service already had the record. */
  'existing',
  /** Another row of the file has the same key and is used instead. */
  'duplicate',
  /** Unconfirmed before, and the user gave it up. */
  'dropped',
  /** Invalid, or refused by the service. */
  'rejected',
  /**
   * Sent, and the outcome is unknown. While a look-up may find the outcome, the row is *open*;
   * after that, it is *parked*. An *inherited* row was sent by an earlier run or command, not by
   * this run.
   */
  'unconfirmed',
] as const;

export type RowState = (typeof STATES)[number];

export type Counts = Readonly<Record<RowState, number>>;

export function noCounts(): Record<RowState, number> {
  return Object.fromEntries(STATES.map((state) => [state, 0])) as Record<RowState, number>;
}
