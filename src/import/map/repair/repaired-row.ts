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
    const problem = { code: 'other_run', field: '_run', args: { run, repaired } } as const;
    return { ...row, body: undefined, problem };
  }
  const was = Number(textOf(fields?._row));
  if (Number.isSafeInteger(was) && was > 0) return { ...row, repairs: was };
  return {
    ...row,
    body: undefined,
    problem: { code: 'no_row_number', field: '_row', args: { run } },
  };
}
