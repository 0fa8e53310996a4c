import { type Problem, together } from '../../core/row-problem.ts';
import { show } from '../../core/validate.ts';
import { valueAt } from '../../output/field-path.ts';
import type { MappedRow, SourceRecord } from '../source/record.ts';
import type { ImportField, ImportTarget } from '../targets/import-target.ts';
import { amountOf, convert, spreadsheetError, textOf } from './convert.ts';
import { fillTemplate, type Mapping, parseTemplate, placeIn, type Rule } from './mapping.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Reads a value from a record; undefined if it is empty. Throws {@link InvalidValue}. */
type Find = (fields: Fields) => unknown;

class InvalidValue extends Error {}

/**
 * The returned function turns records into bodies. It trims text, and leaves out empty values. The body of a row with
 * problems has the values that could be read.
 */
export function compileMapping(
  mapping: Mapping,
  { fields: { fields: own }, needed = [] }: Pick<ImportTarget, 'fields' | 'needed'>,
): (record: SourceRecord & { readonly fields: Fields }) => MappedRow {
  const steps = own.map((field) => {
    const rule = mapping.fields[field.name];
    return { field, rule, find: rule && finder(rule, field, mapping) };
  });
  const required = own.flatMap(({ name, required: is }) => (is === true ? [[name]] : []));
  const money = steps.find(({ field, find }) => field.currency !== undefined && find !== undefined);
  return ({ row, line, fields }) => {
    const problems: Problem[] = [];
    const body: Record<string, unknown> = {};
    const invalid = new Set<string>();
    let isEmpty = true;
    for (const { field, rule, find } of steps) {
      try {
        const value = find?.(fields);
        if (value === undefined) continue;
        body[field.name] = value;
      } catch (thrown) {
        if (!(thrown instanceof InvalidValue)) throw thrown;
        problems.push({ text: thrown.message, field: field.name, place: placeIn(rule) });
        invalid.add(field.name);
      }
      if (rule !== undefined && !('constant' in rule)) isEmpty = false;
    }
    if (isEmpty)
      return {
        row,
        line,
        fields,
        body: undefined,
        problem: { text: 'all mapped columns are empty' },
      };
    for (const names of [...required, ...needed]) {
      const isFilled = (name: string) => {
        const rule = mapping.fields[name];
        // The resolver of references fills `from` later.
        return body[name] !== undefined || invalid.has(name) || (rule && 'from' in rule);
      };
      if (!names.some(isFilled)) problems.push(isMissing(names, mapping));
    }
    if (money?.rule !== undefined && 'column' in money.rule) {
      const cell = valueAt(fields, money.rule.column);
      const found =
        typeof cell === 'string' ? withCurrency(body, cell.trim(), money.field) : undefined;
      if (found !== undefined) problems.push({ ...found, place: placeIn(money.rule) });
    }
    return { row, line, fields, body, problem: together(problems) };
  };
}

function isMissing(names: readonly string[], { fields }: Mapping): Problem {
  const field = names.find((name) => fields[name] !== undefined) ?? names[0]!;
  const others = names.filter((name) => name !== field).join(', ');
  const text = `is required, but empty${others === '' ? '' : ` (or ${others})`}`;
  return { text, field, place: placeIn(fields[field]) };
}

function finder(rule: Rule, field: ImportField, { decimal, values = {} }: Mapping): Find {
  const table = Object.hasOwn(values, field.name) ? values[field.name] : undefined;
  const converted = (value: unknown): unknown => {
    if (value === undefined) return value;
    const listed = table === undefined ? value : valueIn(table, value);
    if (field.kind === 'string' && typeof listed === 'string') return listed;
    const text =
      field.currency !== undefined && typeof listed === 'string' ? amountOf(listed).number : listed;
    const result = convert(text, field.kind, decimal);
    if (result.problem !== undefined) throw new InvalidValue(result.problem);
    return result.value;
  };
  // The resolver of references fills this field later.
  if ('from' in rule) return () => undefined;
  if ('constant' in rule) {
    // Constants have decimal points, even if the file uses commas.
    const { value } = convert(rule.constant, field.kind, '.');
    return () => value;
  }
  if ('column' in rule) {
    return (fields) => converted(present(valueAt(fields, rule.column), field.kind));
  }
  const template = parseTemplate(rule.template)!;
  return (fields) =>
    converted(
      fillTemplate(template, (column) => {
        const value = present(valueAt(fields, column), 'string');
        const text = textOf(value);
        if (value !== undefined && text === undefined) {
          throw new InvalidValue(`column ${show(column)} must be text, got ${show(value)}`);
        }
        const error = text === undefined ? undefined : spreadsheetError(text);
        if (error !== undefined)
          throw new InvalidValue(`the cell contains the spreadsheet error ${error}`);
        return text;
      }),
    );
}

function valueIn(table: Readonly<Record<string, string>>, value: unknown): string {
  const text = textOf(value);
  if (text !== undefined && Object.hasOwn(table, text)) return table[text]!;
  throw new InvalidValue(`${show(value)} is not in the values of the map`);
}

/**
 * The currency of the amount's cell fills the empty currency of the body.
 *
 * @returns the problem if the body has another currency
 */
function withCurrency(
  body: Record<string, unknown>,
  cell: string,
  { name, currency: field = '' }: ImportField,
): Problem | undefined {
  const { currency, codes } = amountOf(cell);
  if (currency === undefined) return undefined;
  const given = body[field];
  if (given === undefined) {
    if (codes.length === 1) body[field] = codes[0];
    return undefined;
  }
  if (typeof given !== 'string' || codes.includes(given.trim().toUpperCase())) return undefined;
  return { text: otherCurrency(currency, field, given), field: name };
}

export function otherCurrency(cell: string, field: string, own: string): string {
  return `the cell says ${cell}, but the ${field} of the row is ${own}`;
}

/** The trimmed value; undefined if it is empty. Only fields of the kind `any` keep a null of JSON. */
function present(value: unknown, kind: ImportField['kind']): unknown {
  if (value === null) return kind === 'any' ? null : undefined;
  if (typeof value !== 'string') return value;
  const text = value.trim();
  return text === '' ? undefined : text;
}
