import {
  countLines,
  type LineCounts,
  NO_LINES,
  type WithLines,
} from '../../nouns/shared/lines/items-in-place.ts';
import type { Journal } from '../ledger/journal.ts';
import type { RowState } from '../ledger/rows/states.ts';

const AT_ONCE = 2_000;

/** What the rows in a state order. */
export function countOrderLines(journal: Journal, state: RowState): LineCounts {
  let counts = NO_LINES;
  for (const batch of bodiesIn(journal, `state = '${state}'`)) {
    for (const { body } of batch) counts = countLines(body, counts);
  }
  return counts;
}

interface Stored {
  readonly row: number;
  readonly text: string;
  readonly body: WithLines;
}

/** In batches, so that no statement is open while the journal is written. */
export function* bodiesIn(journal: Journal, where: string): Generator<Stored[]> {
  const statement = journal.database.prepare(
    `SELECT row, body FROM rows JOIN records USING (row) WHERE row > ? AND ${where} AND body IS NOT NULL ORDER BY row LIMIT ?`,
  );
  for (let last = 0; ; ) {
    const rows = statement.all(last, AT_ONCE).map(({ row, body }) => ({
      row: Number(row),
      text: body as string,
      body: JSON.parse(body as string) as WithLines,
    }));
    if (rows.length === 0) return;
    last = rows.at(-1)!.row;
    yield rows;
  }
}
