import type { Problem } from '../../../core/problem/row-problem.ts';
import { foldSpelling } from '../../../listing/spelling.ts';
import type { FindingSample } from '../../../messages/findings.ts';
import {
  findText,
  htmlEntity,
  invisibleIn,
  mojibake,
  placeholder,
  spreadsheetError,
} from '../../../nouns/shared/doubtful-text.ts';
import { deliversNowhere } from '../../../nouns/shared/items-in-place.ts';
import { textOf } from '../../map/convert.ts';
import { columnOf } from '../../map/mapping.ts';
import { columnsOf } from '../../map/mapping-flags.ts';
import type { MappedRow } from '../../source/record.ts';
import { found, type RowStep } from '../row-step.ts';
import { codeFieldsOf } from './damaged-codes.ts';

/** The keys of codes and names: `code` in payloads, `item.code` in flat rows. */
const NAMES = ['code', 'name', 'item.code', 'item.name'];

/**
 * Rejects rows that would send a spreadsheet error, e.g. `#N/A`, in any field, or a placeholder such as
 * `N/A` or `?` as a code or name.
 */
export const cellErrors: RowStep = {
  begin(run) {
    const { mapping, header } = run;
    const { groupBy, choices } = header;
    if (choices.allow.includes('error-values')) return undefined;
    const codesAndNames = new Set([...codeFieldsOf(run), ...NAMES]);
    // Columns to check besides the body. In a template, the error is only part of a longer value. The
    // column of `--group-by` may not be in the body at all.
    const filled = Object.entries(mapping.fields).flatMap(([field, rule]) =>
      'template' in rule ? columnsOf(rule).map((column) => ({ field, column })) : [],
    );
    if (groupBy !== undefined) filled.push({ field: groupBy, column: groupBy });
    const nulls = new Set(mapping.nulls);
    return {
      apply(row) {
        const { body, fields } = row;
        if (body === undefined) return row;
        const sent = findText(body, spreadsheetError);
        if (sent !== undefined) {
          const args = { error: sent.found };
          return rejected(row, { code: 'cell_error', field: sent.field, args });
        }
        // `attributes` may have any members, also some named `name`.
        const empty = findText({ ...body, attributes: undefined }, (text, key) =>
          codesAndNames.has(key) ? placeholder(text) : undefined,
        );
        if (empty !== undefined) {
          const args = { text: empty.found };
          return rejected(row, { code: 'placeholder', field: empty.field, args });
        }
        const own = fields as Readonly<Record<string, unknown>> | undefined;
        for (const { field, column } of filled) {
          const error = spreadsheetError(textOf(own?.[column]) ?? '');
          if (error !== undefined && !nulls.has(error)) {
            return rejected(row, { code: 'cell_error', field, args: { error } });
          }
        }
        return row;
      },
    };
  },
};

function rejected(row: MappedRow, problem: Problem): MappedRow {
  return { ...row, body: undefined, problem };
}

/** The keys of item codes: `code` in payloads, `item.code` in flat rows. */
const ITEM_CODE_KEYS = ['code', 'item.code'];
const NAME_KEYS = ['name', 'item.name', 'title'];

/**
 * Rejects rows with control characters in a field, or with zero-width or replacement characters in a
 * code or name. Nobody can see these characters, and the service cannot delete what an import creates.
 */
export const invisibleCharacters: RowStep = {
  begin(run) {
    if (run.header.choices.allow.includes('invisible')) return undefined;
    const fields = codeFieldsOf(run);
    const codes = new Set([...fields, ...ITEM_CODE_KEYS]);
    const check = (text: string, key: string) =>
      invisibleIn(text, codes.has(key) ? 'code' : NAME_KEYS.includes(key) ? 'name' : 'text');
    // Trimming has removed U+FEFF from the body, but the character shows that the text is damaged.
    // So the columns of codes are checked as well.
    const columns = fields.flatMap((field) => {
      const column = columnOf(run.mapping, field);
      return column === undefined ? [] : [{ field, column }];
    });
    return {
      apply(row) {
        const { body, fields: own } = row;
        if (body === undefined) return row;
        let seen = findText(body, check);
        for (const { field, column } of columns) {
          const text = textOf((own as Readonly<Record<string, unknown>> | undefined)?.[column]);
          if (text?.includes('\uFEFF')) {
            seen ??= { field, found: { kind: 'zero-width', character: 'U+FEFF' } };
          }
        }
        if (seen === undefined) return row;
        const { field, found: args } = seen;
        return { ...row, body: undefined, problem: { code: 'invisible', field, args } };
      },
    };
  },
};

const LENGTH = 40;
const SAMPLES = 3;

const GARBLED = [
  { kind: 'mojibake', find: mojibake },
  { kind: 'html_entities', find: htmlEntity },
] as const;

/** Finds text that was read in a wrong encoding (`VÃ¡lvula`), and HTML entities (`&amp;`). */
export const garbledText: RowStep = {
  begin: () => ({
    apply(row) {
      const { body, row: number, line } = row;
      if (body === undefined) return row;
      let checked = row;
      for (const { kind, find } of GARBLED) {
        const text = findText(body, find)?.found;
        if (text === undefined) continue;
        const value = text.length > LENGTH ? `${text.slice(0, LENGTH - 1)}…` : text;
        checked = found(checked, { kind, sample: { value, row: number, line } });
      }
      return checked;
    },
  }),
};

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
            samples.push({ value: column, row: row.row, line: row.line });
        }
        return row;
      },
      findings: () => (count === 0 ? [] : [{ kind: 'line_breaks', count, samples }]),
    };
  },
};

/** Limits memory: a column of free texts may be mapped to the unit by mistake. */
const MOST_UNITS = 1_000;
const UNITS_NAMED = 3;

/** Finds units of measure that differ only in spelling, e.g. `kit` and `KIT`: many services take them for two. */
export const unitTwins: RowStep = {
  begin({ target, shape }) {
    const isUnit = (key: string) => key === 'unitOfMeasure' || key === 'item.unitOfMeasure';
    const hasUnits = shape.fields.fields.some(({ name }) => isUnit(name));
    if (!hasUnits && target.definesItems !== true) return undefined;
    const first = new Map<string, FindingSample>();
    const others = new Map<string, FindingSample>();
    return {
      apply(row) {
        if (row.body === undefined) return row;
        const twin = findText(row.body, (value, key): FindingSample | undefined => {
          if (!isUnit(key)) return undefined;
          const folded = foldSpelling(value);
          const sample = { value, row: row.row, line: row.line };
          const other = first.get(folded);
          if (other === undefined && first.size < MOST_UNITS) first.set(folded, sample);
          return other === undefined || other.value === value ? undefined : { ...sample, other };
        });
        if (twin === undefined) return row;
        const { field, found: sample } = twin;
        if (!others.has(sample.value) && others.size < MOST_UNITS) others.set(sample.value, sample);
        return found(row, { kind: 'unit_twins', field, sample });
      },
      findings() {
        const samples = [...others.values()];
        if (samples.length === 0) return [];
        const [kind, field] = ['unit_twins', 'unitOfMeasure'] as const;
        return [{ kind, field, count: samples.length, samples: samples.slice(0, UNITS_NAMED) }];
      },
    };
  },
};

/** Finds amounts of 0, and deliveries without an address: the contract allows both. */
export const doubtfulAmounts: RowStep = {
  begin({ target: { against, definesItems } }) {
    if (against === undefined && definesItems !== true) return undefined;
    const isDoubtful = (body: Readonly<Record<string, unknown>>): boolean =>
      against === undefined ? deliversNowhere(body) : body[against.amount] === 0;
    const { kind, field } =
      against === undefined
        ? ({ kind: 'no_address', field: 'addressId' } as const)
        : ({ kind: 'zero_amounts', field: against.amount } as const);
    return {
      apply: (row) =>
        row.body === undefined || !isDoubtful(row.body)
          ? row
          : found(row, { kind, field, sample: { value: String(row.row) } }),
    };
  },
};
