import type { Journal } from '../../ledger/journal.ts';
import type { MappedRow } from '../../source/record.ts';
import type { RowStep } from '../../stage/row-step.ts';
import { textOf } from '../convert.ts';
import { isAddedColumn, RAW } from './added-columns.ts';

const UNCHANGED = 'is unchanged';
const SINCE = 'since it was rejected';
const ADVICE = 'correct its cells. If they are right, empty the column _raw';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Rejects unreadable rows that come back unchanged: their cells may be under the wrong columns. If
 * the cells are right, the user empties `_raw`.
 */
export const stillUnread: RowStep = {
  name: 'still unread',
  begin({ earlier }) {
    if (earlier === undefined) return undefined;
    const reasonOf = reasonsIn(earlier);
    return {
      apply(row) {
        const message = row.repairs === undefined ? undefined : reasonOf(row.repairs, row);
        return message === undefined ? row : { ...row, body: undefined, problem: { message } };
      },
    };
  },
};

/** Says why a row is rejected again. `was` is the number of the row that it repairs. */
function reasonsIn({ reported }: Journal): (was: number, row: MappedRow) => string | undefined {
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
    if (!isAsItWas) return undefined;
    const reason = String(found.reason);
    return reason.startsWith(UNCHANGED) ? reason : `${UNCHANGED} ${SINCE} (${reason}); ${ADVICE}`;
  };
}

function textIn(fields: Fields, name: string): string {
  return (Object.hasOwn(fields, name) ? (textOf(fields[name]) ?? '') : '').trim();
}
