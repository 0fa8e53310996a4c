import { numberText, textOf, writtenNumber } from '../../core/numbers.ts';
import { type Problem, together } from '../../core/row-problem.ts';
import { show } from '../../core/validate.ts';
import { listed } from '../../core/wording.ts';
import { valueAt } from '../../output/cell.ts';
import type { MappedRow, SourceRecord } from '../source/record.ts';
import { type ImportField, type ImportTarget, requiredBy } from '../targets/import-target.ts';
import { amountOf, type Converted, convert, spreadsheetError } from './convert.ts';
import { columnOf, fillTemplate, type Mapping, placeIn, type Rule } from './mapping.ts';

type Fields = Readonly<Record<string, unknown>>;

/** With the value as it stands in the source, if it cannot be read. */
type Found = Converted & { readonly given?: unknown };

/**
 * The returned function turns records into bodies. It trims text, and leaves out empty values. The body of a row with
 * problems has the values that could be read.
 */
export function compileMapping(
  mapping: Mapping,
  target: Pick<ImportTarget, 'fields' | 'needed'>,
): (record: SourceRecord & { readonly fields: Fields }) => MappedRow {
  const { fields: rules } = mapping;
  const steps = target.fields.flatMap((field) => {
    const rule = rules[field.name];
    return rule === undefined ? [] : [{ field, rule, find: finder(rule, field, mapping) }];
  });
  const required = requiredBy(target);
  return ({ row, line, fields }) => {
    const problems: Problem[] = [];
    const body: Record<string, unknown> = {};
    const unread: Record<string, unknown> = {};
    let isEmpty = true;
    for (const { field, rule, find } of steps) {
      const { value, problem, given } = find(fields);
      if (value === undefined && problem === undefined) continue;
      if (problem === undefined) body[field.name] = value;
      else {
        problems.push({ text: problem, field: field.name, place: placeIn(rule) });
        unread[field.name] = given;
      }
      if (!('constant' in rule)) isEmpty = false;
    }
    if (isEmpty) {
      const problem = { text: 'all mapped columns are empty' };
      return { row, line, fields, own: body, body: undefined, problem };
    }
    for (const names of required) {
      if (names.some((name) => body[name] !== undefined || name in unread)) continue;
      const field = names.find((name) => rules[name] !== undefined) ?? names[0]!;
      const others = names.filter((name) => name !== field).join(', ');
      const text = `is required, but empty${others === '' ? '' : ` (or ${others})`}`;
      problems.push({ text, field, place: placeIn(rules[field]) });
    }
    const own = problems.length === 0 ? body : { ...body, ...unread };
    return { row, line, fields, own, body, problem: together(problems) };
  };
}

/** Values of a table that a reason names: the file of rejected rows is imported without the map. */
const MOST_VALUES = 20;

function finder(
  rule: Rule,
  { name, kind, currency }: ImportField,
  { decimal, values = {} }: Mapping,
): (fields: Fields) => Found {
  if ('constant' in rule) {
    // Constants have decimal points, even if the file uses commas.
    const constant = { ...convert(rule.constant, kind, '.'), given: rule.constant };
    return () => constant;
  }
  const table = Object.hasOwn(values, name) ? values[name] : undefined;
  const sent = listed([...new Set(Object.values(table ?? {}))], MOST_VALUES);
  const read = (value: unknown, mark: Mapping['decimal']) =>
    convert(
      currency !== undefined && typeof value === 'string' ? amountOf(value).number : value,
      kind,
      mark,
    );
  // The file of rejected rows is imported without --decimal and without the map, where `12.34` may be a number.
  const rejectedAgain = (value: unknown) =>
    kind !== 'string' && read(value, undefined).problem === undefined ? undefined : value;
  const converted = (value: unknown): Found => {
    if (value === undefined) return {};
    const text = table === undefined ? undefined : (textOf(value) ?? '');
    if (text !== undefined && !Object.hasOwn(table!, text))
      return {
        problem: `${show(value)} is not in the values of the map; write one of: ${sent}`,
        given: rejectedAgain(value),
      };
    const found: Found = read(text === undefined ? value : table![text], decimal);
    return found.problem === undefined ? found : { ...found, given: rejectedAgain(value) };
  };
  if ('column' in rule) return (fields) => converted(present(valueAt(fields, rule.column), kind));
  return (fields) => {
    let problem: string | undefined;
    const text = fillTemplate(rule.template, (column) => {
      const value = present(valueAt(fields, column), 'string');
      const part = textOf(value);
      const error = part === undefined ? undefined : spreadsheetError(part);
      if (error !== undefined) problem = `the cell contains the spreadsheet error ${error}`;
      if (value !== undefined && part === undefined)
        problem = `column ${show(column)} must be text, got ${show(value)}`;
      return part;
    });
    return problem === undefined ? converted(text) : { problem, given: text };
  };
}

/**
 * The returned function compares the currency in the cell of an amount with that of the row or, if the row has none, of
 * its order. It fills an empty currency.
 */
export function currencyCheck(
  { fields }: Pick<ImportTarget, 'fields'>,
  mapping: Mapping,
): (row: MappedRow) => MappedRow {
  const { name = '', currency: field = '' } = fields.find((one) => one.currency) ?? {};
  const column = columnOf(mapping, name);
  return (row) => {
    const { body, own } = row;
    if (column === undefined || body === undefined) return row;
    const cell = valueAt(row.fields ?? {}, column);
    const { currency, codes } = amountOf(typeof cell === 'string' ? cell.trim() : '');
    const given = body[field];
    if (currency === undefined || codes.includes(String(given).trim().toUpperCase())) return row;
    if (given === undefined) {
      const filled = codes.length === 1 ? { [field]: codes[0] } : {};
      return { ...row, body: { ...body, ...filled }, own: { ...own, ...filled } };
    }
    const text = `the cell says ${currency}, but the ${field} of the row is ${given}`;
    const amount = numberText(body[name]);
    // The file of rejected rows has both currencies: without that of the cell it would import as it is.
    const both = { [name]: `${currency} ${writtenNumber(amount ?? '')}`, [field]: given };
    return {
      ...row,
      own: amount === undefined ? own : { ...own, ...both },
      problem: together([row.problem, { text, field: name, place: { header: column } }]),
    };
  };
}

/** The trimmed value; undefined if it is empty. Only fields of the kind `any` keep a null of JSON. */
function present(value: unknown, kind: ImportField['kind']): unknown {
  if (value === null) return kind === 'any' ? null : undefined;
  if (typeof value !== 'string') return value;
  const text = value.trim();
  return text === '' ? undefined : text;
}
