import { type Problem, problemIn } from '../../../core/problem/row-problem.ts';
import { sentence } from '../../../messages/problems.ts';
import type { Journal } from '../../ledger/journal.ts';
import type { RejectedRow } from '../../ledger/rows/reported-rows.ts';
import { ADDED_COLUMNS, isAddedColumn, RAW } from '../../map/repair/added-columns.ts';

/** A rejected row: its fields as JSON text, and the columns that proc adds. */
export interface Rejected {
  readonly own: string;
  readonly added: Readonly<Record<(typeof ADDED_COLUMNS)[number], unknown>>;
  readonly problem: Problem | undefined;
  /** One of several rows that form one body. */
  readonly isGrouped: boolean;
}

export function* rejectedRows(journal: Journal): Generator<Rejected> {
  for (const row of journal.reported.rejected()) yield* partsOf(row, journal.header.run);
}

export function* partsOf(
  { row, status, reason, fields }: RejectedRow,
  run: string,
): Generator<Rejected> {
  const problem = reason === null ? undefined : problemIn(reason);
  const said = problem === undefined ? null : sentence(problem);
  const added = { _run: run, _row: row, _reason: said, _status: status };
  const text = fields ?? '{}';
  // An array has the source rows of one body. All are written, to be repaired together.
  if (text.startsWith('[')) {
    for (const own of JSON.parse(text) as object[]) {
      yield { own: JSON.stringify(own), added, problem, isGrouped: true };
    }
  } else yield { own: text, added, problem, isGrouped: false };
}

/**
 * The columns of the source, the columns that proc adds, and `_raw` if there are unreadable rows.
 */
export function columnsOf({ reported, header }: Journal): readonly string[] {
  const { columns } = header.source;
  const isUnread = columns.includes(RAW) || reported.hasRejectedWith(`"${RAW}":`);
  const own = columns.filter((name) => !isAddedColumn(name));
  return [...own, ...ADDED_COLUMNS, ...(isUnread ? [RAW] : [])];
}
