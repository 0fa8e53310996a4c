import type { MappedRow } from '../../source/record.ts';
import type { RowStep } from '../../stage/row-step.ts';
import { textOf } from '../convert.ts';

export const repairedRow: RowStep = {
  name: 'repaired row',
  begin: ({ header: { repairs } }) =>
    repairs === undefined ? undefined : { apply: (row) => withRepairedRow(row, repairs) },
};

function withRepairedRow(row: MappedRow, repaired: string): MappedRow {
  const fields =
    row.isUnread === true ? undefined : (row.fields as Readonly<Record<string, unknown>>);
  const run = textOf(fields?._run)?.trim() ?? '';
  if (run === '') return row;
  if (run !== repaired) {
    const message = `belongs to run ${run}, but the rows before it belong to run ${repaired}; import the rows of one run at a time`;
    return { ...row, body: undefined, problem: { field: '_run', message } };
  }
  const was = Number(textOf(fields?._row));
  if (Number.isSafeInteger(was) && was > 0) return { ...row, repairs: was };
  const message = `is not a row number of run ${run}; restore the original value`;
  return { ...row, body: undefined, problem: { field: '_row', message } };
}
