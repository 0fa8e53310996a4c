import type { Ports } from '../../../core/ports.ts';
import type { SentRows } from '../../../ledger/port.ts';
import { importPlanMessages } from '../../../messages/planning.ts';
import { sentByText } from '../../../messages/problems.ts';
import { countedIn } from '../../report/words.ts';
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
  const lang = await ports.io.lang();
  const by = new Set<string>();
  let count = 0;
  journal.commit(() => {
    for (const { row, earlier, outcome } of found) {
      const dropped = { code: 'dropped_in', args: { by: earlier.by } } as const;
      const reason = outcome === 'dropped' ? dropped : null;
      if (!journal.rows.apply(row, 'resolve', outcome, { id: earlier.id, reason })) continue;
      count++;
      const source = sentByText(earlier.by, lang);
      by.add(source);
    }
  });
  if (count > 0) {
    const text = importPlanMessages[lang].resolvedIn(
      count,
      countedIn(journal.header),
      [...by].join(', '),
    );
    ports.io.say({ kind: 'notice', text });
  }
  return count;
}
