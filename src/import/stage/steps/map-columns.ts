import { compileMapping } from '../../map/compile.ts';
import type { RowStep } from '../row-step.ts';

export const mapColumns: RowStep = {
  name: 'map columns',
  begin({ mapping, shape, marks }) {
    const map = compileMapping(mapping, shape.fields, marks);
    return {
      apply(row) {
        if (row.problem !== undefined) return row;
        const mapped = map(row as Parameters<typeof map>[0]);
        return row.formulas === undefined ? mapped : { ...mapped, formulas: row.formulas };
      },
    };
  },
};
