import type { Problem } from '../../../core/problem/row-problem.ts';
import { compileMapping } from '../../map/compile.ts';
import type { MappedRow } from '../../source/record.ts';
import type { RowStep } from '../row-step.ts';

export const readProblem: RowStep = {
  begin: ({ source: { name } }) => ({
    apply: (row) => (row.isUnread === true ? { ...row, problem: inFile(name, row) } : row),
  }),
};

/** The place in the file; a mistake inside a record that has lines of its own keeps its place. */
function inFile(file: string, { row, line, problem }: MappedRow): Problem {
  const at = problem?.place?.line === undefined ? (line === undefined ? { row } : { line }) : {};
  const unread: Problem = { code: 'unreadable', args: {} };
  return { ...(problem ?? unread), place: { file, ...at, ...problem?.place } };
}

export const mapColumns: RowStep = {
  begin({ mapping, shape, target, marks }) {
    // What makes one body of several rows is needed in one of them.
    const needed = shape === target ? target.needed : undefined;
    const map = compileMapping(mapping, { fields: shape.fields, needed }, marks);
    return {
      apply: (row) =>
        row.problem === undefined ? { ...row, ...map(row as Parameters<typeof map>[0]) } : row,
    };
  },
};

export const resolvedReferences: RowStep = {
  begin: ({ resolver }) => resolver && { apply: resolver },
};
