import { textOf } from '../../map/convert.ts';
import type { Mapping } from '../../map/mapping.ts';
import { columnsOf } from '../../map/parse.ts';
import type { MappedRow } from '../../source/record.ts';
import type { RowStep, RowWork } from '../row-step.ts';
import { codeFieldsOf } from './damaged-codes.ts';

/**
 * What a cell with a failed formula shows, in English and Spanish. LibreOffice also shows numbered
 * errors.
 */
const NAMES = [
  ...['N/A', 'N/D', 'NA', 'REF!', 'VALUE!', 'VALOR!', 'NAME?', 'NOMBRE?', 'DIV/0!', 'NUM!'],
  ...['NULL!', 'NULO!', 'SPILL!', 'DESBORDAMIENTO!', 'CALC!', 'GETTING_DATA', 'BLOCKED!'],
  ...['CONNECT!', 'FIELD!', 'UNKNOWN!', 'BUSY!'],
].map((name) => name.replace('?', '\\?'));
const ERROR = new RegExp(`^(?:#[¡¿]?(?:${NAMES.join('|')})|Err:\\d{3})$`, 'i');

/**
 * Rejects rows with a spreadsheet error in a cell: a failed lookup is not a code. In a workbook
 * this applies to every mapped field; in other files only to codes, because text may contain
 * `#N/A`.
 */
export const cellErrors: RowStep = {
  name: 'cell errors',
  begin(run) {
    const { mapping, header, source, earlier } = run;
    const isOfWorkbook =
      source.format.workbook !== undefined ||
      // A workbook's rejected rows come back as text.
      earlier?.header.source.format.workbook !== undefined;
    return new CellErrors(mapping, isOfWorkbook ? undefined : codeFieldsOf(run), header.groupBy);
  },
};

class CellErrors implements RowWork {
  readonly #watched: readonly { readonly field: string; readonly columns: readonly string[] }[];
  readonly #groupBy: string | undefined;
  readonly #nulls: ReadonlySet<string>;

  /** @param fields the fields to check; undefined: all */
  constructor(
    mapping: Mapping,
    fields: readonly string[] | undefined,
    groupBy: string | undefined,
  ) {
    this.#watched = Object.entries(mapping.fields)
      .filter(([field]) => fields?.includes(field) ?? true)
      .map(([field, rule]) => ({ field, columns: columnsOf(rule) }));
    this.#groupBy = groupBy;
    this.#nulls = new Set(mapping.nulls);
  }

  apply(row: MappedRow): MappedRow {
    const { body, fields } = row;
    if (body === undefined || fields === undefined || Array.isArray(fields)) return row;
    const own = fields as Readonly<Record<string, unknown>>;
    for (const { field, columns } of this.#watched) {
      // The columns of an expression are not known, so check its result.
      const values = columns.length === 0 ? [body[field]] : columns.map((name) => own[name]);
      const shown = values.map((value) => this.#errorIn(value)).find((one) => one !== undefined);
      if (shown !== undefined) return rejected(row, field, shown);
    }
    if (this.#groupBy === undefined) return row;
    const shown = this.#errorIn(own[this.#groupBy]);
    return shown === undefined ? row : rejected(row, this.#groupBy, shown);
  }

  #errorIn(value: unknown): string | undefined {
    const text = textOf(value)?.trim();
    // All errors begin with one of these characters: most cells need no further check.
    if (text === undefined || (text[0] !== '#' && text[0] !== 'E' && text[0] !== 'e')) return;
    return ERROR.test(text) && !this.#nulls.has(text) ? text : undefined;
  }
}

function rejected(row: MappedRow, field: string, shown: string): MappedRow {
  const message = `the cell contains the spreadsheet error ${shown}`;
  return { ...row, body: undefined, problem: { field, message } };
}
