import type { Journal } from './journal.ts';

/** Something is left to do, or in doubt. */
export function isUnfinished(journal: Journal): boolean {
  if (journal.phase !== 'finished') return true;
  const { unknown, sent, pending } = journal.counts();
  return unknown + sent + pending > 0;
}

/** Going on changes something: rows are left to send, or to look up. What was given up is a person's matter. */
export function canGoOn(journal: Journal): boolean {
  if (journal.phase !== 'finished') return true;
  const { sent, pending } = journal.counts();
  if (sent + pending > 0) return true;
  return (
    journal.database
      .prepare("SELECT 1 FROM rows WHERE state = 'unknown' AND looked_up = 0 LIMIT 1")
      .get() !== undefined
  );
}
