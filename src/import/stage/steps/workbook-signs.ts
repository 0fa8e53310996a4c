import type { Finding } from '../../../messages/findings.ts';
import { columnsSent } from '../../map/column-use.ts';
import type { Counted, WorkbookSigns } from '../../source/xlsx/signs.ts';
import type { RowStep, RowWork, StepContext } from '../row-step.ts';
import { codeFieldsOf } from './damaged-codes.ts';

const NAMED = 3;

export const workbookSigns: RowStep = {
  begin: (run) => run.source.signs && watch(run, run.source.signs),
};

function watch(run: StepContext, signs: WorkbookSigns): RowWork {
  const sent = columnsSent(run.mapping);
  let hidden = 0;
  const hiddenSamples: { value: string }[] = [];
  return {
    apply(row) {
      if (row.line === undefined || !signs.isHidden(row.line)) return row;
      if (hidden++ < NAMED) hiddenSamples.push({ value: String(row.line) });
      return row;
    },
    findings() {
      const { hiddenColumns } = signs;
      const found: Finding[] = [
        { kind: 'hidden_rows', count: hidden, samples: hiddenSamples },
        {
          kind: 'hidden_columns',
          count: hiddenColumns.length,
          samples: hiddenColumns.slice(0, NAMED).map((value) => ({ value })),
        },
        { kind: 'long_numbers', ...sum(signs.longNumbers, sent) },
        ...codeFieldsOf(run).map((field): Finding => {
          const columns = columnsSent({ fields: { [field]: run.mapping.fields[field]! } });
          return { kind: 'shown_zeros', field, ...sum(signs.shownZeros, columns) };
        }),
      ];
      return found.filter(({ count }) => count > 0);
    },
  };
}

function sum(
  counted: ReadonlyMap<string, Counted>,
  columns: ReadonlySet<string>,
): Pick<Finding, 'count' | 'samples'> {
  const all = [...counted].flatMap(([column, found]) => (columns.has(column) ? [found] : []));
  return {
    count: all.reduce((total, { count }) => total + count, 0),
    samples: all.flatMap(({ samples }) => samples.map((value) => ({ value }))).slice(0, NAMED),
  };
}
