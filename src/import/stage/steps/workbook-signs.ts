import type { Finding, RowFinding } from '../../../messages/findings.ts';
import { columnsSent } from '../../map/column-use.ts';
import { textOf } from '../../map/convert.ts';
import type { MappedRow } from '../../source/record.ts';
import type { Counted, WorkbookSigns } from '../../source/xlsx/signs.ts';
import { found, type RowStep, type RowWork, type StepContext } from '../row-step.ts';
import { codeFieldsOf } from './damaged-codes.ts';

const NAMED = 3;

export const workbookSigns: RowStep = {
  begin: (run) => run.source.signs && watch(run, run.source.signs),
};

type Counts = ReadonlyMap<string, Counted>;

function watch(run: StepContext, signs: WorkbookSigns): RowWork {
  const { hiddenColumns } = signs;
  const sent = columnsSent(run.mapping);
  const long = only(signs.longNumbers, sent);
  const zeros = codeFieldsOf(run).map((field) => {
    const columns = columnsSent({ fields: { [field]: run.mapping.fields[field]! } });
    return { field, counts: only(signs.shownZeros, columns) };
  });
  return {
    apply(row) {
      const { line } = row;
      if (line === undefined) return row;
      const own: RowFinding[] = [
        ...(signs.isHidden(line)
          ? [{ kind: 'hidden_rows', sample: { value: String(line) } } as const]
          : []),
        ...cellsIn(long, row, line).map((sample) => ({ kind: 'long_numbers', sample }) as const),
        ...zeros.flatMap(({ field, counts }) =>
          cellsIn(counts, row, line).map(
            (sample) => ({ kind: 'shown_zeros', field, sample }) as const,
          ),
        ),
      ];
      return own.reduce(found, row);
    },
    findings() {
      const all: Finding[] = [
        {
          kind: 'hidden_columns',
          count: hiddenColumns.length,
          samples: hiddenColumns.slice(0, NAMED).map((value) => ({ value })),
        },
        // The samples are as the workbook shows the cells, which the rows do not have.
        { kind: 'long_numbers', ...sum(long) },
        ...zeros.map(
          ({ field, counts }): Finding => ({ kind: 'shown_zeros', field, ...sum(counts) }),
        ),
      ];
      return all.filter(({ count }) => count > 0);
    },
  };
}

function only(counted: Counts, columns: ReadonlySet<string>): Counts {
  return new Map([...counted].filter(([column]) => columns.has(column)));
}

function cellsIn(counted: Counts, { fields }: MappedRow, line: number): { value: string }[] {
  return [...counted].flatMap(([column, cells]) => {
    if (!cells.isIn(line)) return [];
    const cell = (fields as Readonly<Record<string, unknown>> | undefined)?.[column];
    return [{ value: textOf(cell) ?? '' }];
  });
}

function sum(counted: Counts): Pick<Finding, 'count' | 'samples'> {
  const all = [...counted.values()];
  return {
    count: all.reduce((total, { count }) => total + count, 0),
    samples: all.flatMap(({ samples }) => samples.map((value) => ({ value }))).slice(0, NAMED),
  };
}
