import type { Problem } from '../../../core/problem/row-problem.ts';
import { isRawNumber } from '../../../core/text/raw-number.ts';
import { folded } from '../../map/column-named.ts';
import { spreadsheetError, textOf } from '../../map/convert.ts';
import { columnOf } from '../../map/mapping.ts';
import type { FindingSample } from '../../report/findings.ts';
import type { RowStep } from '../row-step.ts';

/** Rejects a row that repeats the header: each mapped cell has the header of its column. */
export const repeatedHeader: RowStep = {
  begin({ mapping }) {
    const columns = Object.keys(mapping.fields).flatMap((field) => columnOf(mapping, field) ?? []);
    return {
      apply(row) {
        if (row.fields === undefined) return row;
        const fields = row.fields as Readonly<Record<string, unknown>>;
        let same = 0;
        for (const column of columns) {
          const text = textOf(fields[column])?.trim();
          if (text === undefined || text === '') continue;
          if (folded(text) !== folded(column)) return row;
          same++;
        }
        if (same < 2) return row;
        return { ...row, isNotData: true, problem: { code: 'repeated_header', args: {} } };
      },
    };
  },
};

/** Control characters other than tab and line ends. */
const CONTROL = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/;

/** `1.2E+10`: a spreadsheet kept only the beginning of a long number. */
const SHORTENED = /^\d(?:[.,]\d+)?e\+\d{2,}$/i;

/** Fields whose values identify something. */
const CODES = ['code', 'item.code', 'reference', 'account', 'contractId', 'order', 'orderId'];

/** Rejects rows with values that no person has meant: nothing can delete what they would create. */
export const cellErrors: RowStep = {
  begin: () => ({
    apply(row) {
      const problem = row.body === undefined ? undefined : problemIn(row.body, '');
      return problem === undefined ? row : { ...row, body: undefined, problem };
    },
  }),
};

/** The first problem of a text at any depth. Must be fast: it reads every text of every row. */
function problemIn(value: object, path: string): Problem | undefined {
  for (const key in value) {
    const inner = (value as Record<string, unknown>)[key];
    const field = Array.isArray(value) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`;
    if (typeof inner === 'string') {
      const text = inner.trim();
      const error = spreadsheetError(text);
      if (error !== undefined) return { code: 'cell_error', field, args: { error } };
      const control = CONTROL.exec(inner)?.[0];
      if (control !== undefined) {
        const digits = control.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
        return { code: 'control_character', field, args: { character: `U+${digits}` } };
      }
      if (CODES.includes(key) && SHORTENED.test(text)) {
        return { code: 'digits_lost', field, args: { text } };
      }
    } else if (typeof inner === 'object' && inner !== null && !isRawNumber(inner)) {
      const found = problemIn(inner, field);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

const SAMPLES = 3;

/** Counts the values with line breaks of a CSV file: a stray quote may have joined rows. */
export const lineBreaks: RowStep = {
  begin({ source: { format } }) {
    if (format.kind !== 'csv' || format.workbook !== undefined) return undefined;
    let count = 0;
    const samples: FindingSample[] = [];
    return {
      apply(row) {
        const fields = row.fields as Readonly<Record<string, unknown>> | undefined;
        for (const column in fields) {
          const value = fields[column];
          if (typeof value !== 'string' || !/[\r\n]/.test(value)) continue;
          count++;
          if (samples.length < SAMPLES)
            samples.push({ value: column, row: row.row, line: row.line ?? null });
        }
        return row;
      },
      findings: () => (count === 0 ? [] : [{ kind: 'line_breaks', count, samples }]),
    };
  },
};
