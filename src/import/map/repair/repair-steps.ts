import { ProcError } from '../../../core/errors.ts';
import { isAbout, problemIn } from '../../../core/problem/row-problem.ts';
import { listed } from '../../../core/text/listed.ts';
import type { MappedRow } from '../../source/record.ts';
import type { RowStep, StepContext } from '../../stage/row-step.ts';
import type { Run } from '../../store/run-file.ts';
import { columnsSent } from '../column-use.ts';
import { textOf } from '../convert.ts';
import type { Mapping } from '../mapping.ts';
import { isAddedColumn, RAW } from './marks.ts';

export const repairedRow: RowStep = {
  begin: ({ header: { repairs } }) =>
    repairs === undefined ? undefined : { apply: (row) => withRepairedRow(row, repairs) },
};

function withRepairedRow(row: MappedRow, repaired: string): MappedRow {
  const fields =
    row.isUnread === true ? undefined : (row.fields as Readonly<Record<string, unknown>>);
  const run = textOf(fields?._run)?.trim() ?? '';
  if (run === '') return row;
  if (run !== repaired) {
    const problem = { code: 'other_run', field: '_run', args: { run, repaired } } as const;
    return { ...row, body: undefined, problem };
  }
  const was = Number(textOf(fields?._row));
  if (Number.isSafeInteger(was) && was > 0) return { ...row, repairs: was };
  return {
    ...row,
    body: undefined,
    problem: { code: 'no_row_number', field: '_row', args: { run } },
  };
}

const NAMED = 5;

/** How many changed codes the details list: there may be a million. */
const IN_DETAILS = 100;

/**
 * Compares each repaired row with the one that was rejected. An unreadable row that comes back unchanged
 * is rejected again: its cells may be under the wrong columns. If they are right, the user empties
 * `_raw`. Changed codes stop the import: a spreadsheet may have changed them. With `--restore-codes`,
 * the row gets its codes back.
 */
export const comparedWithRejected: RowStep = {
  begin({ earlier, header: { choices }, ...run }) {
    if (earlier === undefined) return undefined;
    const codes = codeColumns(earlier, run);
    const rejectedAs = rejectedRows(earlier);
    const changed = new Map<number, string>();
    let changes = 0;
    return {
      apply(row) {
        const was = row.repairs === undefined ? undefined : rejectedAs(row.repairs);
        if (was === undefined || row.problem !== undefined) return row;
        const now = row.fields as Fields;
        const { fields: before, problem } = was;
        const raw = textIn(before, RAW);
        if (problem !== undefined && raw !== '' && textIn(now, RAW) !== '' && isSame(before, now)) {
          const again = problem.code === 'unchanged' ? problem.args.problem : problem;
          return { ...row, problem: { code: 'unchanged', args: { problem: again } } };
        }
        const restored: Record<string, unknown> = {};
        for (const { field, from, into } of codes) {
          const [code, is] = [textIn(before, from), textIn(now, into)];
          // A field that caused the rejection is expected to change.
          const isExpected = problem !== undefined && isAbout(problem, field);
          // An unreadable record may have its cells under the wrong columns, so any cell may be the code.
          if (code === '' || code === is || isExpected || cellsIn(raw).includes(is)) continue;
          restored[into] = code;
          if (++changes <= IN_DETAILS) changed.set(row.row, `${code} → ${is || 'nothing'}`);
        }
        return choices.restoreCodes === true ? { ...row, fields: { ...now, ...restored } } : row;
      },
      check() {
        if (changes === 0 || choices.restoreCodes === true) return;
        const shown = [...changed].map(([row, change]) => `row ${row}: ${change}`);
        throw new ProcError(
          'invalid_input',
          `${changes === 1 ? 'the code of 1 row' : `the codes of ${changes} rows`} changed since the rejection: ${listed(shown, NAMED, '; ')}. Nothing was sent`,
          {
            hint: 'To take the codes back from the rejected rows, add --restore-codes. Spreadsheets remove leading zeros: format the column as text.',
            details: { changed: Object.fromEntries(changed) },
          },
        );
      },
    };
  },
};

type Fields = Readonly<Record<string, unknown>>;

/** The row as it was rejected. Of several rows that formed one body, the one at the same place. */
function rejectedRows({ rows }: Run) {
  const nextPlaces = new Map<number, number>();
  return (row: number) => {
    const found = rows.at(row);
    const text = found?.fields ?? found?.body;
    if (typeof text !== 'string') return undefined;
    const place = nextPlaces.get(row) ?? 0;
    nextPlaces.set(row, place + 1);
    const fields = [JSON.parse(text)].flat()[place] as Fields | undefined;
    const problem = typeof found?.reason === 'string' ? problemIn(found.reason) : undefined;
    return fields === undefined ? undefined : { fields, problem };
  };
}

/** The columns of codes and references, in the file of the earlier run and in this one. */
function codeColumns(
  { header }: Run,
  { shape, target, mapping }: Pick<StepContext, 'shape' | 'target' | 'mapping'>,
) {
  const { fields } = header.mapping as Mapping;
  const references = (shape.references ?? []).filter(({ into }) => into !== undefined);
  return [target.keyField, ...references.map(({ field }) => field)].flatMap((field) => {
    const [was, rule] = [fields[field], mapping.fields[field]];
    if (was === undefined || rule === undefined) return [];
    const now = [...columnsSent({ fields: { [field]: rule } })];
    return [...columnsSent({ fields: { [field]: was } })].map((from, at) => ({
      ...{ field, from },
      into: now[at] ?? from,
    }));
  });
}

function textIn(fields: Fields, name: string): string {
  return (Object.hasOwn(fields, name) ? (textOf(fields[name]) ?? '') : '').trim();
}

function isSame(before: Fields, now: Fields): boolean {
  return [...new Set([...Object.keys(before), ...Object.keys(now)])]
    .filter((name) => !isAddedColumn(name))
    .every((name) => textIn(before, name) === textIn(now, name));
}

function cellsIn(raw: string): string[] {
  return raw === '' ? [] : raw.split(/[",;\t|\r\n]+/).map((cell) => cell.trim());
}
