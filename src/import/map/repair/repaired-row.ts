import type { MappedRow } from '../../source/record.ts';
import type { RowStep } from '../../stage/row-step.ts';
import { textOf } from '../convert.ts';

/** Tells which row of the earlier run each row repairs, as its marks say. */
export const repairedRow: RowStep = {
  name: 'repaired row',
  begin: ({ header: { mends } }) =>
    mends === undefined ? undefined : { apply: (row) => marked(row, mends) },
};

function marked(row: MappedRow, repaired: string): MappedRow {
  const fields =
    row.isUnread === true ? undefined : (row.fields as Readonly<Record<string, unknown>>);
  const run = textOf(fields?._run)?.trim() ?? '';
  if (run === '') return row;
  if (run !== repaired) {
    const message = `is of the run ${run}, the rows before of ${repaired}; import them one by one`;
    return { ...row, body: undefined, problem: { field: '_run', message } };
  }
  const was = Number(textOf(fields?._row));
  if (Number.isSafeInteger(was) && was > 0) return { ...row, mends: was };
  const message = 'says no more which row of that run it is; leave it as it was';
  return { ...row, body: undefined, problem: { field: '_row', message } };
}
