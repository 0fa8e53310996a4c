import { findText } from '../../../nouns/shared/find-text.ts';
import { textOf } from '../../map/convert.ts';
import type { Mapping } from '../../map/mapping.ts';
import { columnsOf } from '../../map/parse.ts';
import type { MappedRow } from '../../source/record.ts';
import type { RowStep, RowWork } from '../row-step.ts';

/**
 * Errors that a cell with a failed formula shows after `#`, in English and Spanish. LibreOffice
 * also shows numbers: `Err:502`.
 */
const NAMES = [
  ...['N/A', 'N/D', 'NA', 'REF!', 'VALUE!', 'VALOR!', 'NAME?', 'NOMBRE?', 'DIV/0!', 'NUM!'],
  ...['NULL!', 'NULO!', 'SPILL!', 'DESBORDAMIENTO!', 'CALC!', 'GETTING_DATA', 'BLOCKED!'],
  ...['BLOQUEADO!', 'CONNECT!', 'CONECTAR!', 'FIELD!', 'CAMPO!', 'UNKNOWN!', 'DESCONOCIDO!'],
  ...['BUSY!', 'OCUPADO!', 'PYTHON!', 'EXTERNAL!', 'TIMEOUT!'],
].map((name) => name.replace('?', '\\?'));
/** A spreadsheet shows `#####` if a number does not fit its column. */
const ERROR = new RegExp(`^(?:#[¡¿]?(?:${NAMES.join('|')})|#{5,}|Err:\\d{3})$`, 'i');

/** Rejects rows that would send a spreadsheet error, e.g. `#N/A` as a code. */
export const cellErrors: RowStep = {
  name: 'cell errors',
  begin: ({ mapping, header: { choices, groupBy } }) =>
    choices.allow.includes('error-values') ? undefined : new CellErrors(mapping, groupBy),
};

class CellErrors implements RowWork {
  /**
   * Columns to check besides the body. In a template, the error is only part of a longer value. The
   * column of `--group-by` may not be in the body at all.
   */
  readonly #filled: readonly { readonly field: string; readonly columns: readonly string[] }[];
  readonly #nulls: ReadonlySet<string>;

  constructor(mapping: Mapping, groupBy: string | undefined) {
    this.#filled = Object.entries(mapping.fields).flatMap(([field, rule]) =>
      'template' in rule ? [{ field, columns: columnsOf(rule) }] : [],
    );
    if (groupBy !== undefined) {
      this.#filled = [...this.#filled, { field: groupBy, columns: [groupBy] }];
    }
    this.#nulls = new Set(mapping.nulls);
  }

  apply(row: MappedRow): MappedRow {
    const { body, fields } = row;
    if (body === undefined) return row;
    const sent = findText(body, errorIn);
    if (sent !== undefined) return rejected(row, sent.field, sent.found);
    const own = fields as Readonly<Record<string, unknown>> | undefined;
    for (const { field, columns } of this.#filled) {
      for (const column of columns) {
        const found = errorIn(textOf(own?.[column]));
        if (found !== undefined && !this.#nulls.has(found)) return rejected(row, field, found);
      }
    }
    return row;
  }
}

function errorIn(value: string | undefined): string | undefined {
  const text = value?.trim();
  // Every error begins with one of these characters, so most cells need no regular expression.
  if (text === undefined || (text[0] !== '#' && text[0] !== 'E' && text[0] !== 'e')) return;
  return ERROR.test(text) ? text : undefined;
}

function rejected(row: MappedRow, field: string, shown: string): MappedRow {
  const message = `the cell contains the spreadsheet error ${shown} (--allow error-values)`;
  return { ...row, body: undefined, problem: { field, message } };
}
