import { ProcError } from '../../../core/errors.ts';
import { isAbout, type Problem, problemIn } from '../../../core/problem/row-problem.ts';
import { listed } from '../../../core/text/listed.ts';
import type { Journal } from '../../ledger/journal.ts';
import type { MappedRow } from '../../source/record.ts';
import type { RowStep, StepContext } from '../../stage/row-step.ts';
import type { ImportTarget } from '../../targets/import-target.ts';
import { compileMapping } from '../compile.ts';
import { textOf } from '../convert.ts';
import type { Mapping } from '../mapping.ts';
import { columnsOf } from '../mapping-flags.ts';
import { isAddedColumn, RAW } from './marks.ts';

export const repairedRow: RowStep = {
  name: 'repaired row',
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
function problemsIn({
  rows: { reported },
}: Journal): (was: number, row: MappedRow) => Problem | undefined {
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

const NAMED = 5;

/** How many changed codes the details list: there may be a million. */
const IN_DETAILS = 100;

/**
 * Stops the import if a repaired row has another code than before: a spreadsheet may have changed
 * it.
 */
export const changedCodes: RowStep = {
  name: 'changed codes',
  begin(run) {
    const { earlier, header } = run;
    if (earlier === undefined) return undefined;
    const compare = codeComparison(earlier, run);
    const changed = new Map<number, string>();
    let changes = 0;
    return {
      apply(row) {
        const change = row.repairs === undefined ? undefined : compare(row.repairs, row);
        if (change !== undefined && ++changes <= IN_DETAILS) changed.set(row.row, change);
        return row;
      },
      check() {
        if (changes === 0 || header.choices.allow.includes('changed-codes')) return;
        const shown = [...changed].map(([row, change]) => `row ${row}: ${change}`);
        throw new ProcError(
          'invalid_input',
          `${changes === 1 ? 'the code of 1 row' : `the codes of ${changes} rows`} changed since the rejection: ${listed(shown, NAMED, '; ')}. Nothing was sent`,
          {
            hint: 'Restore the codes. Spreadsheets remove leading zeros: format the column as text. If the new codes are right, add --allow changed-codes',
            details: { changed: Object.fromEntries(changed) },
          },
        );
      },
    };
  },
};

/** Describes how the code of a row has changed. `was` is the number of the row that it repairs. */
type Compare = (was: number, row: MappedRow) => string | undefined;

interface CodeField {
  readonly name: string;
  of(fields: Fields): string | undefined;
  /** The other cells of a record, without the columns that proc added. */
  rest(fields: Fields): string;
}

function codeComparison(earlier: Journal, { shape, target }: StepContext): Compare {
  const fields = codeFields(earlier, shape, target.keyField);
  const nextPlaces = new Map<number, number>();
  return (was, { fields: now, body }) => {
    const found = earlier.rows.reported.stagedAs(was);
    const text = found?.fields ?? found?.body;
    if (typeof text !== 'string' || now === undefined || Array.isArray(now)) return undefined;
    const before = JSON.parse(text) as Fields | Fields[];
    const place = nextPlaces.get(was) ?? 0;
    if (Array.isArray(before)) nextPlaces.set(was, place + 1);
    if (body === undefined) return undefined;
    const reason = found?.reason;
    const problem = typeof reason === 'string' ? problemIn(reason) : undefined;
    for (const field of fields) {
      // A field that caused the rejection is expected to change.
      if (problem !== undefined && isAbout(problem, field.name)) continue;
      const code = textOf(body[field.name]);
      const change = Array.isArray(before)
        ? changeInGroup(field, before, place, now as Fields, code)
        : changeInRow(field.of(before), rawOf(before), code);
      if (change !== undefined) return `${change.join(', ')} → ${code ?? 'nothing'}`;
    }
    return undefined;
  };
}

function codeFields(
  { header: { mapping: was } }: Journal,
  shape: ImportTarget,
  keyField: string,
): readonly CodeField[] {
  const names = [
    keyField,
    ...(shape.references ?? []).filter(({ into }) => into !== undefined).map(({ field }) => field),
  ];
  const mapping = was as Mapping;
  return names.flatMap((name) => {
    const rule = mapping.fields[name];
    const field = shape.fields.fields.find((one) => one.name === name);
    if (rule === undefined || 'constant' in rule || field === undefined) return [];
    const map = compileMapping(
      { ...mapping, fields: { [name]: rule } },
      { fields: [{ ...field, required: false }] },
    );
    const own = new Set(columnsOf(rule));
    return [
      {
        name,
        of: (fields: Fields) => textOf(map({ row: 0, line: undefined, fields }).body?.[name]),
        rest: (fields: Fields) =>
          JSON.stringify(
            Object.entries(fields)
              .filter(([column]) => !own.has(column) && !isAddedColumn(column))
              .map(([column, value]) => [column, (textOf(value) ?? '').trim()])
              .filter(([, text]) => text !== '')
              .sort(([a = ''], [b = '']) => (a < b ? -1 : 1)),
          ),
      },
    ];
  });
}

function rawOf(fields: Fields): string {
  return Object.hasOwn(fields, RAW) ? (textOf(fields[RAW]) ?? '') : '';
}

/** @returns the earlier codes; undefined if the change is acceptable */
function changeInRow(
  before: string | undefined,
  raw: string,
  now: string | undefined,
): readonly string[] | undefined {
  if (before === undefined || now === before) return undefined;
  // An unreadable record may have its cells under the wrong columns, so any cell may be the code.
  return now !== undefined && isCellOf(raw, now) ? undefined : [before];
}

function isCellOf(raw: string, code: string): boolean {
  return raw.split(/[",;\t|\r\n]+/).some((cell) => cell.trim() === code);
}

/**
 * Compares one of several rows that formed one body. A person may have added or removed rows, and
 * not every row needs a code.
 */
function changeInGroup(
  field: CodeField,
  before: readonly Fields[],
  place: number,
  now: Fields,
  code: string | undefined,
): readonly string[] | undefined {
  const codes = before.map((one) => field.of(one));
  const rest = field.rest(now);
  const isThere = before.some((one, at) => codes[at] === code && field.rest(one) === rest);
  if (isThere) return undefined;
  // If only the code differs from the row at the same position, the code was changed or swapped.
  const there = before[place];
  if (there !== undefined && codes[place] !== undefined && field.rest(there) === rest) {
    return changeInRow(codes[place], rawOf(there), code) && [codes[place]];
  }
  if (codes.includes(code) || before.some((one) => isRawWith(one, code))) return undefined;
  const known = [...new Set(codes.filter((one) => one !== undefined))];
  const isAdded = there !== undefined && codes[place] === undefined;
  return known.length === 0 || isAdded ? undefined : known.slice(0, 3);
}

function isRawWith(fields: Fields, code: string | undefined): boolean {
  return code !== undefined && isCellOf(rawOf(fields), code);
}
