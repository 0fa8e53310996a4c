import { compileMapping } from '../../map/compile.ts';
import type { RowStep } from '../row-step.ts';

/** Turns columns into a payload by the mapping. */
export const mapColumns: RowStep = {
  name: 'map columns',
  begin({ mapping, shape }) {
    const map = compileMapping(mapping, shape.fields);
    return {
      apply: (row) => (row.isUnread === true ? row : map(row as Parameters<typeof map>[0])),
    };
  },
};
