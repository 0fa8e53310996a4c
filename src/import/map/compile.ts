import { messageOf } from '../../core/errors.ts';
import { type Problem, together } from '../../core/problem/row-problem.ts';
import { shown } from '../../core/validate.ts';
import type { MappedRow, SourceRecord } from '../source/record.ts';
import type { ImportField, TargetFields } from '../targets/import-target.ts';
import { amountOf, convert, type Marks, textOf } from './convert.ts';
import {
  compileExpression,
  fillTemplate,
  type Mapping,
  parseTemplate,
  placeIn,
  type Rule,
} from './mapping.ts';
import { normalise } from './match.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Reads a value from a record; undefined if it is empty. Throws {@link InvalidValue}. */
type Find = (fields: Fields) => unknown;

class InvalidValue extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.code);
    this.problem = problem;
  }
}

/**
 * The returned function turns records into bodies. It trims text, and leaves out empty values and
 * the words of `--null`.
 */
export function compileMapping(
  mapping: Mapping,
  target: TargetFields,
  marks: ReadonlyMap<string, Marks> = new Map(),
): (record: SourceRecord) => MappedRow {
  const isNull = nullWords(mapping.nulls);
  const steps = target.fields.map((field) => {
    const rule = mapping.fields[field.name];
    return {
      field,
      rule,
      find: rule && finder(rule, { field, isNull, mapping, marks: marks.get(field.name) }),
    };
  });
  const money = steps.find(({ field, find }) => field.currency !== undefined && find !== undefined);
  return (record) => {
    const { row, line, fields, salvaged, problem } = record;
    if (fields === undefined) return { row, line, fields: salvaged, body: undefined, problem };
    const problems: Problem[] = [];
    const body: Record<string, unknown> = {};
    let isEmpty = true;
    for (const { field, rule, find } of steps) {
      let value: unknown;
      try {
        value = find?.(fields);
      } catch (thrown) {
        if (!(thrown instanceof InvalidValue)) throw thrown;
        problems.push({ ...thrown.problem, field: field.name, place: placeIn(rule) });
        isEmpty = false;
        continue;
      }
      if (value !== undefined) {
        body[field.name] = value;
        if (rule !== undefined && !('constant' in rule)) isEmpty = false;
      } else if (field.required === true && !(rule !== undefined && 'from' in rule)) {
        const place = placeIn(rule);
        problems.push({ code: 'required_empty', field: field.name, args: {}, place });
      }
    }
    if (isEmpty && problems.length === 0) problems.push({ code: 'all_empty', args: {} });
    if (money?.rule !== undefined && 'column' in money.rule) {
      const cell = own(fields, money.rule.column);
      const found =
        typeof cell === 'string' ? withCurrency(body, cell.trim(), money.field) : undefined;
      if (found !== undefined) problems.push({ ...found, place: placeIn(money.rule) });
    }
    const wrong = together(problems);
    if (wrong !== undefined) return { row, line, fields, body: undefined, problem: wrong };
    return { row, line, fields, body };
  };
}

interface Finding {
  readonly field: ImportField;
  readonly isNull: (text: string) => boolean;
  readonly mapping: Mapping;
  readonly marks: Marks | undefined;
}

function finder(rule: Rule, { field, isNull, mapping, marks }: Finding): Find {
  const { decimal } = mapping;
  const replaced = replacing(mapping.values?.[field.name], field);
  const filled = (value: unknown): unknown => replaced(present(value, field.kind, isNull));
  const converted = (value: unknown): unknown => {
    if (value === undefined || (field.kind === 'string' && typeof value === 'string')) return value;
    const text =
      field.currency !== undefined && typeof value === 'string' ? amountOf(value).number : value;
    const result = convert(text, field.kind, decimal, marks);
    if (result.problem !== undefined) throw new InvalidValue(result.problem);
    return result.value;
  };
  // The resolver of references fills this field later.
  if ('from' in rule) return () => undefined;
  if ('constant' in rule) {
    // Constants have decimal points, even if the file uses commas.
    const { value } = convert(replaced(rule.constant), field.kind, '.');
    return () => value;
  }
  if ('column' in rule) return (fields) => converted(filled(own(fields, rule.column)));
  if ('template' in rule) {
    const template = parseTemplate(rule.template) ?? { parts: [], after: rule.template };
    return (fields) =>
      converted(
        fillTemplate(template, (column) => {
          const value = present(own(fields, column), 'string', isNull);
          const text = textOf(value);
          if (value !== undefined && text === undefined) {
            throw new InvalidValue({
              code: 'column_not_text',
              args: { column, got: shown(value) },
            });
          }
          return text;
        }),
      );
  }
  const search = compileExpression(rule.jmespath, field.name);
  return (fields) => {
    let found: unknown;
    try {
      found = search(plain(fields) as Fields);
    } catch (thrown) {
      throw new InvalidValue({ code: 'expression_failed', args: { says: messageOf(thrown) } });
    }
    // Without a match, an expression returns null, or even a built-in method of JavaScript.
    if (found === null || typeof found === 'function') return undefined;
    return converted(filled(found));
  };
}

/**
 * Replaces the values of `--map-value`, and other words for the values of an enumeration. Neither
 * depends on case. The result is undefined if the value becomes an empty one.
 */
function replacing(
  values: Readonly<Record<string, string>> = {},
  { choices = {} }: ImportField,
): (value: unknown) => unknown {
  // An exact spelling wins over one that differs only in case.
  const mapped = new Map([
    ...Object.entries(values).map(([from, to]) => [from.toLowerCase(), to] as const),
    ...Object.entries(values),
  ]);
  const words = new Map(
    Object.entries(choices).flatMap(([choice, others]) =>
      [choice, ...others].map((word) => [normalise(word), choice] as const),
    ),
  );
  if (mapped.size + words.size === 0) return (value) => value;
  return (value) => {
    const text = textOf(value);
    if (text === undefined) return value;
    const own = mapped.get(text) ?? mapped.get(text.toLowerCase());
    if (own === '') return undefined;
    return words.get(normalise(own ?? text)) ?? own ?? value;
  };
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
  return {
    code: 'currency_differs',
    field: name,
    args: { text: currency, field, currency: given },
  };
}

/** Names such as `constructor` exist on every object, but are not columns. */
function own(fields: Fields, column: string): unknown {
  return Object.hasOwn(fields, column) ? fields[column] : undefined;
}

/** Hashing a long text takes time, so a text longer than every word is not looked up. */
function nullWords(words: readonly string[]): (text: string) => boolean {
  const known = new Set(words);
  const longest = Math.max(0, ...words.map(({ length }) => length));
  return (text) => text.length <= longest && known.has(text);
}

/**
 * The trimmed value; undefined if it is empty or a word of `--null`. Only fields of the kind `any`
 * keep a null of JSON.
 */
function present(value: unknown, kind: ImportField['kind'], isNull: Finding['isNull']): unknown {
  if (value === null) return kind === 'any' ? null : undefined;
  if (typeof value !== 'string') return value;
  const text = value.trim();
  return text === '' || isNull(text) ? undefined : text;
}

/** Exact numbers (`1.10`) become ordinary numbers, so that JMESPath can compute with them. */
function plain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const text = textOf(value);
  if (text !== undefined) return Number(text);
  if (Array.isArray(value)) return value.map(plain);
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, plain(one)]));
}
