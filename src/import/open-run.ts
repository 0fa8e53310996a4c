/** What an import may use. */

/**
 * A request leaves within this time of before its transaction, or never. So a look-up of a row that another process has
 * sent waits for so long.
 */
export const INTENT_MS = 5_000;

/** Why a run stopped before it was complete. */
export interface Stop {
  readonly kind: 'interrupted' | 'refused' | 'impatient' | 'errors' | 'journal';
  readonly why: string;
  readonly error?: unknown;
}
