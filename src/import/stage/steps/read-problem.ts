import type { MappedRow, RowProblem } from '../../source/record.ts';
import type { RowStep } from '../row-step.ts';

export const readProblem: RowStep = {
  name: 'read problem',
  begin: ({ source: { name } }) => ({
    apply: (row) =>
      row.isUnread !== true || row.problem?.ofFile === true
        ? row
        : { ...row, problem: inFile(name, row) },
  }),
};

function inFile(name: string, { row, line, problem }: MappedRow): RowProblem {
  const { field, message = 'cannot be read' } = problem ?? {};
  const [, place = line === undefined ? `row ${row}` : `line ${line}`, what = message] =
    /^(line \d+(?:, column \d+)?): ([\s\S]*)$/.exec(message) ?? [];
  return { message: `${name}, ${place}: ${field === undefined ? '' : `${field}: `}${what}` };
}
