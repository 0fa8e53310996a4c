import type { RowStep } from '../row-step.ts';

const LISTED = 5;

/** Finds rows without an amount: somebody may have forgotten to fill a cell. */
export const missingAmounts: RowStep = {
  name: 'missing amounts',
  begin({ target: { against } }) {
    if (against === undefined) return undefined;
    const field = against.amount;
    const rows: number[] = [];
    let count = 0;
    return {
      apply(row) {
        if (row.body === undefined || (row.body[field] ?? undefined) !== undefined) return row;
        count++;
        if (rows.length < LISTED) rows.push(row.row);
        return row;
      },
      findings() {
        if (count === 0) return [];
        const samples = rows.map((row) => ({ value: String(row) }));
        return [{ kind: 'missing_amounts', field, count, samples }];
      },
    };
  },
};
