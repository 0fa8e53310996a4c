import { DialogueError } from '../../../core/errors.ts';
import { isAbout, type Problem, problemIn } from '../../../core/problem/row-problem.ts';
import { listed } from '../../../core/text/listed.ts';
import type { MappedRow } from '../../source/record.ts';
import type { RowStep, StepContext } from '../../stage/row-step.ts';
import type { Run } from '../../store/run-file.ts';
import type { ImportTarget } from '../../targets/import-target.ts';
import { compileMapping } from '../compile.ts';
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

type Fields = Readonly<Record<string, unknown>>;

/**
 * Rejects unreadable rows that come back unchanged: their cells may be under the wrong columns. If
 * the cells are right, the user empties `_raw`.
 */
export const stillUnread: RowStep = {
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
function problemsIn({ rows }: Run): (was: number, row: MappedRow) => Problem | undefined {
  return (was, { fields }) => {
    if (fields === undefined || Array.isArray(fields)) return undefined;
    const now = fields as Fields;
    if (textIn(now, RAW) === '') return undefined;
    const found = rows.at(was);
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
 * it. With `--restore-codes`, the row gets its code back.
 */
export const changedCodes: RowStep = {
  begin(run) {
    const { earlier, header } = run;
    if (earlier === undefined) return undefined;
    const compare = codeComparison(earlier, run);
    const changed = new Map<number, string>();
    let changes = 0;
    return {
      apply(row) {
        const change = row.repairs === undefined ? undefined : compare(row.repairs, row);
        if (change === undefined) return row;
        if (header.choices.restoreCodes === true)
          return { ...row, body: { ...row.body, [change.name]: change.was } };
        if (++changes <= IN_DETAILS)
          changed.set(row.row, `${change.was} → ${change.is ?? 'nothing'}`);
        return row;
      },
      check() {
        if (changes === 0 || header.choices.allow.includes('changed-codes')) return;
        const shown = [...changed].map(([row, change]) => `row ${row}: ${change}`);
        throw new DialogueError(
          'invalid_input',
          {
            en: `${changes === 1 ? 'the code of 1 row' : `the codes of ${changes} rows`} changed since the rejection: ${listed(shown, NAMED, '; ')}. Nothing was sent`,
            es: `desde el rechazo ${changes === 1 ? 'cambió el código de 1 fila' : `cambiaron los códigos de ${changes} filas`}: ${listed(
              [...changed].map(([row, change]) => `fila ${row}: ${change}`),
              NAMED,
              '; ',
            )}. No se envió nada`,
          },
          {
            hint: {
              en: 'To take the codes back from the rejected rows, add --restore-codes. Spreadsheets remove leading zeros: format the column as text. If the new codes are right, add --allow changed-codes',
              es: 'Para recuperar los códigos de las filas rechazadas, agregue --restore-codes. Las hojas de cálculo quitan los ceros iniciales: dé a la columna el formato de texto. Si los códigos nuevos son correctos, agregue --allow changed-codes',
            },
            details: { changed: Object.fromEntries(changed) },
          },
        );
      },
    };
  },
};

interface CodeChanged {
  readonly name: string;
  readonly was: string;
  readonly is: string | undefined;
}

/** How a code of a row has changed. `was` is the number of the row that it repairs. */
type Compare = (was: number, row: MappedRow) => CodeChanged | undefined;

interface CodeField {
  readonly name: string;
  of(fields: Fields): string | undefined;
}

/** Of several rows that formed one body, each is compared with the row at the same place. */
function codeComparison(earlier: Run, { shape, target }: StepContext): Compare {
  const fields = codeFields(earlier, shape, target.keyField);
  const nextPlaces = new Map<number, number>();
  return (was, { fields: now, body }) => {
    const found = earlier.rows.at(was);
    const text = found?.fields ?? found?.body;
    if (typeof text !== 'string' || now === undefined || Array.isArray(now)) return undefined;
    const place = nextPlaces.get(was) ?? 0;
    nextPlaces.set(was, place + 1);
    const stored = JSON.parse(text) as Fields | Fields[];
    const before = Array.isArray(stored) ? stored[place] : (stored as Fields);
    if (body === undefined || before === undefined) return undefined;
    const reason = found?.reason;
    const problem = typeof reason === 'string' ? problemIn(reason) : undefined;
    for (const { name, of } of fields) {
      // A field that caused the rejection is expected to change.
      if (problem !== undefined && isAbout(problem, name)) continue;
      const [code, rejected] = [textOf(body[name]), of(before)];
      if (rejected === undefined || code === rejected) continue;
      // An unreadable record may have its cells under the wrong columns, so any cell may be the code.
      if (code !== undefined && cellsIn(textIn(before, RAW)).includes(code)) continue;
      return { name, was: rejected, is: code };
    }
    return undefined;
  };
}

function codeFields(
  { header: { mapping: was } }: Run,
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
    const of = (fields: Fields) => textOf(map({ row: 0, line: undefined, fields }).body?.[name]);
    return [{ name, of }];
  });
}

function cellsIn(raw: string): string[] {
  return raw.split(/[",;\t|\r\n]+/).map((cell) => cell.trim());
}
