import type { Problem } from '../../../core/problem/row-problem.ts';
import { compileMapping } from '../../map/compile.ts';
import { textOf } from '../../map/convert.ts';
import type { MappedRow } from '../../source/record.ts';
import type { RowStep } from '../row-step.ts';

export const readProblem: RowStep = {
  begin: ({ source: { name } }) => ({
    apply: (row) =>
      row.isUnread !== true || row.isFileProblem === true
        ? row
        : { ...row, problem: inFile(name, row) },
  }),
};

/** The place in the file; a mistake inside a record that has lines of its own keeps its place. */
function inFile(file: string, { row, line, problem }: MappedRow): Problem {
  const at = problem?.place?.line === undefined ? (line === undefined ? { row } : { line }) : {};
  const unread: Problem = { code: 'unreadable', args: {} };
  return { ...(problem ?? unread), place: { file, ...at, ...problem?.place } };
}

/** Gives an empty cell of the columns of `--fill-down` the value of the row above. */
export const fillDown: RowStep = {
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

export const mapColumns: RowStep = {
  begin({ mapping, shape, marks }) {
    const map = compileMapping(mapping, shape.fields, marks);
    return {
      apply: (row) =>
        row.problem === undefined ? { ...row, ...map(row as Parameters<typeof map>[0]) } : row,
    };
  },
};

export const resolvedReferences: RowStep = {
  begin: ({ resolver }) => resolver && { apply: resolver },
};
