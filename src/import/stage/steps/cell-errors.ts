import type { Problem } from '../../../core/problem/row-problem.ts';
import { placeholder, spreadsheetError } from '../../../nouns/shared/doubtful-text.ts';
import { findText } from '../../../nouns/shared/find-text.ts';
import { textOf } from '../../map/convert.ts';
import { columnsOf } from '../../map/mapping-flags.ts';
import type { MappedRow } from '../../source/record.ts';
import type { RowStep, RowWork, StepContext } from '../row-step.ts';
import { codeFieldsOf } from './damaged-codes.ts';

/** The keys of codes and names: `code` in payloads, `item.code` in flat rows. */
const NAMES = ['code', 'name', 'item.code', 'item.name'];

/**
 * Rejects rows that would send a spreadsheet error, e.g. `#N/A`, in any field, or a placeholder such as
 * `N/A` or `?` as a code or name.
 */
export const cellErrors: RowStep = {
  name: 'cell errors',
  begin: (run) =>
    run.header.choices.allow.includes('error-values') ? undefined : new CellErrors(run),
};

class CellErrors implements RowWork {
  /**
   * Columns to check besides the body. In a template, the error is only part of a longer value. The
   * column of `--group-by` may not be in the body at all.
   */
  readonly #filled: readonly { readonly field: string; readonly columns: readonly string[] }[];
  readonly #nulls: ReadonlySet<string>;

  readonly #codesAndNames: ReadonlySet<string>;

  constructor(run: StepContext) {
    const { mapping } = run;
    const { groupBy } = run.header;
    this.#codesAndNames = new Set([...codeFieldsOf(run), ...NAMES]);
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
    const sent = findText(body, spreadsheetError);
    if (sent !== undefined)
      return rejected(row, { code: 'cell_error', field: sent.field, args: { error: sent.found } });
    // `attributes` may have any members, also some named `name`.
    const empty = findText({ ...body, attributes: undefined }, (text, key) =>
      this.#codesAndNames.has(key) ? placeholder(text) : undefined,
    );
    if (empty !== undefined)
      return rejected(row, {
        code: 'placeholder',
        field: empty.field,
        args: { text: empty.found },
      });
    const own = fields as Readonly<Record<string, unknown>> | undefined;
    for (const { field, columns } of this.#filled) {
      for (const column of columns) {
        const found = spreadsheetError(textOf(own?.[column]) ?? '');
        if (found !== undefined && !this.#nulls.has(found)) {
          return rejected(row, { code: 'cell_error', field, args: { error: found } });
        }
      }
    }
    return row;
  }
}

function rejected(row: MappedRow, problem: Problem): MappedRow {
  return { ...row, body: undefined, problem };
}
