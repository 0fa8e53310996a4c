import type { Ports } from '../../../core/ports.ts';
import type { SentRows } from '../../../ledger/port.ts';
import { sentByText } from '../../../messages/problems.ts';
import { rowsIn } from '../../report/words.ts';
import type { Journal } from '../journal.ts';
import { type Earlier, earlierOf } from './earlier-runs.ts';

/**
 * A later run may have inherited unconfirmed rows of this run (`--on-sent skip`). If a person
 * resolved the rows there, this run takes over the outcomes.
 *
 * @returns number of rows
 */
export async function takeLaterOutcomes(
  journal: Journal,
  sentRows: SentRows,
  ports: Ports<'io'>,
): Promise<number> {
  const { run } = journal.header;
  const answered = await sentRows.answeredElsewhere(run);
  if (answered.length === 0) return 0;
  const found: { row: number; earlier: Earlier; outcome: 'created' | 'dropped' }[] = [];
  for (const { row, answer } of answered) {
    const earlier = answer?.sent === undefined ? undefined : earlierOf(answer.sent);
    if (earlier === undefined || earlier.outcome === 'unconfirmed') continue;
    found.push({ row, earlier, outcome: earlier.outcome });
  }
  const by = new Map<string, number>();
  let count = 0;
  journal.commit(() => {
    for (const { row, earlier, outcome } of found) {
      const dropped = { code: 'dropped_in', args: { by: earlier.by } } as const;
      const reason = outcome === 'dropped' ? dropped : null;
      if (!journal.rows.apply(row, 'resolve', outcome, { id: earlier.id, reason })) continue;
      count++;
      const source = sentByText(earlier.by);
      by.set(source, (by.get(source) ?? 0) + 1);
    }
  });
  if (count > 0) {
    const rows = rowsIn(count, 'unconfirmed row was', 'unconfirmed rows were');
    ports.io.say({
      kind: 'notice',
      text: `${rows} resolved in ${[...by.keys()].join(', ')}; this run takes over the outcome`,
    });
  }
  return count;
}
