import { compileMapping } from '../../map/compile.ts';
import type { RowStep } from '../row-step.ts';

export const mapColumns: RowStep = {
  name: 'map columns',
  begin({ mapping, shape }) {
    const map = compileMapping(mapping, shape.fields);
    return {
      apply: (row) => (row.isUnread === true ? row : map(row as Parameters<typeof map>[0])),
    };
  },
};
