import {
  countLines,
  type LineCounts,
  NO_LINES,
  type WithLines,
} from '../../../nouns/shared/items-in-place.ts';
import type { Journal } from '../journal.ts';
import type { RowState } from './transitions.ts';

export function countOrderLines(journal: Journal, state: RowState): LineCounts {
  let counts = NO_LINES;
  for (const batch of journal.rows.planned.bodiesIn(state)) {
    for (const { body } of batch) counts = countLines(JSON.parse(body) as WithLines, counts);
  }
  return counts;
}
