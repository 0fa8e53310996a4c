import type { Ports } from '../../../core/ports.ts';
import type { SentRows } from '../../../history/sent-rows.ts';
import { rowsIn } from '../../report/words.ts';
import type { Journal } from '../journal.ts';
import { type Earlier, earlierOf } from './earlier-runs.ts';

/**
 * Unconfirmed rows of this run that a later one inherited (`--on-sent skip`), and that were resolved
 * there: that holds here too.
 *
 * @returns how many there were
 */
export function takeAnswers(journal: Journal, sentRows: SentRows, ports: Ports<'io'>): number {
  const { run } = journal.header;
  const answered = sentRows.answeredElsewhere(run);
  if (answered.length === 0) return 0;
  const found: { row: number; earlier: Earlier; outcome: 'created' | 'dropped' }[] = [];
  for (const { row, answer } of answered) {
    const told = answer === undefined ? undefined : sentRows.at(answer);
    const earlier = told === undefined ? undefined : earlierOf(told, sentRows);
    if (earlier === undefined || earlier.outcome === 'unconfirmed') continue;
    found.push({ row, earlier, outcome: earlier.outcome });
  }
  const by = new Map<string, number>();
  let count = 0;
  journal.commit(() => {
    for (const { row, earlier, outcome } of found) {
      const reason = outcome === 'dropped' ? `given up in ${earlier.by}` : null;
      if (!journal.apply(row, 'resolve', outcome, { id: earlier.id, reason })) continue;
      count++;
      by.set(earlier.by, (by.get(earlier.by) ?? 0) + 1);
    }
  });
  if (count > 0) {
    const rows = rowsIn(count, 'row in doubt was', 'rows in doubt were');
    ports.io.say({
      kind: 'notice',
      text: `${rows} answered in ${[...by.keys()].join(', ')} meanwhile: taken over from there`,
    });
  }
  return count;
}
