/** What a row can be. At the end of a run none is `sent`, and each is in just one of the others. */
const STATES = [
  /** Left out by `--where`. */
  'filtered',
  /** To be created; surely not applied so far. */
  'pending',
  /** Its request left or was about to; no outcome is written yet. */
  'sending',
  /** Created by this run, with its id. */
  'created',
  /** Was there already, with its id. */
  'existing',
  /** Another row of the file stands for it. */
  'duplicate',
  /** Given up by the user while unconfirmed. */
  'dropped',
  /** Invalid, or refused by the service, with the reason. */
  'rejected',
  /**
   * Unconfirmed: sent, and whether it was applied is not known. Open as long as a look-up can tell,
   * else parked; inherited if an earlier run or command sent it, and this one did not.
   */
  'unconfirmed',
] as const;

export type RowState = (typeof STATES)[number];

export type Counts = Readonly<Record<RowState, number>>;

export function noCounts(): Record<RowState, number> {
  return Object.fromEntries(STATES.map((state) => [state, 0])) as Record<RowState, number>;
}
