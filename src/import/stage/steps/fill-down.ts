import { textOf } from '../../map/convert.ts';
import type { RowStep } from '../row-step.ts';

/** Gives an empty cell of the columns of `--fill-down` the value of the row above. */
export const fillDown: RowStep = {
  name: 'fill down',
  begin({ header: { choices } }) {
    const columns = choices.fillDown ?? [];
    if (columns.length === 0) return undefined;
    const last = new Map<string, unknown>();
    let isLost = false;
    return {
      apply(row) {
        if (row.isUnread === true) {
          // The row may have had the value of the rows below it.
          isLost = true;
          last.clear();
          return row;
        }
        if (row.problem !== undefined || row.fields === undefined) return row;
        const fields: Record<string, unknown> = { ...(row.fields as Record<string, unknown>) };
        for (const column of columns) {
          const own = Object.hasOwn(fields, column) ? fields[column] : undefined;
          if (own !== undefined && own !== null && textOf(own)?.trim() !== '') {
            last.set(column, own);
          } else if (last.has(column)) {
            fields[column] = last.get(column);
          } else if (isLost) {
            return { ...row, problem: { code: 'fill_lost', field: column, args: {} } };
          }
        }
        return { ...row, fields };
      },
    };
  },
};
