import { type Problem, problemIn } from '../../../core/problem/row-problem.ts';
import type { Journal } from '../../ledger/journal.ts';
import type { MappedRow } from '../../source/record.ts';
import type { RowStep } from '../../stage/row-step.ts';
import { textOf } from '../convert.ts';
import { isAddedColumn, RAW } from './added-columns.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Rejects unreadable rows that come back unchanged: their cells may be under the wrong columns. If
 * the cells are right, the user empties `_raw`.
 */
export const stillUnread: RowStep = {
  name: 'still unread',
  begin({ earlier }) {
    if (earlier === undefined) return undefined;
    const problemOf = problemsIn(earlier);
    return {
      apply(row) {
        const problem = row.repairs === undefined ? undefined : problemOf(row.repairs, row);
        return problem === undefined ? row : { ...row, body: undefined, problem };
      },
    };
  },
};

/** Says why a row is rejected again. `was` is the number of the row that it repairs. */
function problemsIn({ reported }: Journal): (was: number, row: MappedRow) => Problem | undefined {
  return (was, { fields }) => {
    if (fields === undefined || Array.isArray(fields)) return undefined;
    const now = fields as Fields;
    if (textIn(now, RAW) === '') return undefined;
    const found = reported.stagedAs(was);
    if (typeof found?.fields !== 'string' || found.fields.startsWith('[')) return undefined;
    const before = JSON.parse(found.fields) as Fields;
    if (textIn(before, RAW) === '') return undefined;
    const names = new Set([...Object.keys(before), ...Object.keys(now)]);
    const isAsItWas = [...names]
      .filter((name) => !isAddedColumn(name))
      .every((name) => textIn(before, name) === textIn(now, name));
    if (!isAsItWas || found.reason === null) return undefined;
    const problem = problemIn(found.reason);
    return problem.code === 'unchanged' ? problem : { code: 'unchanged', args: { problem } };
  };
}

function textIn(fields: Fields, name: string): string {
  return (Object.hasOwn(fields, name) ? (textOf(fields[name]) ?? '') : '').trim();
}
