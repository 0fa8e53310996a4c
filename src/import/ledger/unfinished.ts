import type { Journal } from './journal.ts';

/** Something is left to do, or in doubt. */
export function isUnfinished(journal: Journal): boolean {
  if (journal.phase !== 'finished') return true;
  const { unknown, sent, pending } = journal.counts();
  return unknown + sent + pending > 0;
}

/** Rows in doubt of which no look-up can tell more: only a person can, by `imports resolve`. */
export function beyondLookUp(journal: Journal): number {
  return journal.unconfirmed.countParked();
}

/** Going on changes something: rows are left to send, or to look up. What was given up is a person's matter. */
export function canGoOn(journal: Journal): boolean {
  if (journal.phase !== 'finished') return true;
  const { sent, pending, unknown } = journal.counts();
  return pending > 0 || sent + unknown > beyondLookUp(journal);
}
