import type { Journal } from './journal.ts';

/** Something is left to do, or in doubt. */
export function isUnfinished(journal: Journal): boolean {
  if (journal.phase !== 'finished') return true;
  const { unknown, sent, pending } = journal.counts();
  return unknown + sent + pending > 0;
}
