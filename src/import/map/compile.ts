import { messageOf } from '../../core/errors.ts';
import { show } from '../../core/validate.ts';
import type { MappedRow, RowProblem, SourceRecord } from '../source/record.ts';
import type { ImportField, TargetFields } from '../targets/target-fields.ts';
import { convert, textOf } from './convert.ts';
import { compileExpression } from './jmespath.ts';
import type { Decimal, Mapping, Rule } from './mapping.ts';
import { fillTemplate, parseTemplate } from './template.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Finds a value in a record; undefined where it is empty. Throws {@link Unfit}. */
type Find = (fields: Fields) => unknown;

/** A value that its field cannot take, with the reason. */
class Unfit extends Error {}

/**
 * Makes the function that turns records into bodies. Text is trimmed; empty values and words for
 * nothing are left out. A row that cannot be turned into a body has a problem, which names the field
 * and the column.
 */
export function compileMapping(
  mapping: Mapping,
  target: TargetFields,
): (record: SourceRecord) => MappedRow {
  const nulls = new Set(mapping.nulls);
  const steps = target.fields.map((field) => {
    const rule = mapping.fields[field.name];
    return { field, rule, find: rule && finder(rule, field, nulls, mapping.decimal) };
  });
  return (record) => {
    const { row, line, fields, salvaged, problem } = record;
    if (fields === undefined) return { row, line, fields: salvaged, body: undefined, problem };
    const rejected = (problem: RowProblem): MappedRow => ({
      row,
      line,
      fields,
      body: undefined,
      problem,
    });
    const body: Record<string, unknown> = {};
    let isEmpty = true;
    for (const { field, rule, find } of steps) {
      let value: unknown;
      try {
        value = find?.(fields);
      } catch (thrown) {
        if (!(thrown instanceof Unfit)) throw thrown;
        return rejected({ field: field.name, message: `${source(rule)}${thrown.message}` });
      }
      if (value !== undefined) {
        body[field.name] = value;
        if (rule !== undefined && !('constant' in rule)) isEmpty = false;
      } else if (field.required === true && !(rule !== undefined && 'from' in rule)) {
        return rejected({ field: field.name, message: `${source(rule)}is required, but empty` });
      }
    }
    if (isEmpty) return rejected({ message: 'every column that is mapped is empty' });
    return { row, line, fields, body };
  };
}

function finder(
  rule: Rule,
  field: ImportField,
  nulls: ReadonlySet<string>,
  decimal: Decimal | undefined,
): Find {
  const filled = (value: unknown): unknown => present(value, field.kind, nulls);
  const converted = (value: unknown): unknown => {
    if (value === undefined || (field.kind === 'string' && typeof value === 'string')) return value;
    const result = convert(value, field.kind, decimal);
    if (result.problem !== undefined) throw new Unfit(result.problem);
    return result.value;
  };
  // Taken from what the row refers to, once that is known.
  if ('from' in rule) return () => undefined;
  if ('constant' in rule) {
    // A flag is typed by somebody who reads the manual: its decimals are after a point.
    const { value } = convert(rule.constant, field.kind, '.');
    return () => value;
  }
  if ('column' in rule) return (fields) => converted(filled(own(fields, rule.column)));
  if ('template' in rule) {
    const template = parseTemplate(rule.template) ?? { parts: [], after: rule.template };
    return (fields) =>
      converted(
        fillTemplate(template, (column) => {
          const value = present(own(fields, column), 'string', nulls);
          const text = textOf(value);
          if (value !== undefined && text === undefined) {
            throw new Unfit(`column ${JSON.stringify(column)} must be text, got ${show(value)}`);
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
      throw new Unfit(messageOf(thrown));
    }
    // An expression that finds nothing gives null; one may also reach a method of JavaScript's own.
    if (found === null || typeof found === 'function') return undefined;
    return converted(filled(found));
  };
}

/** A column named `constructor` must not find the prototype's. */
function own(fields: Fields, column: string): unknown {
  return Object.hasOwn(fields, column) ? fields[column] : undefined;
}

/** The value, trimmed; undefined where it says nothing. A field of any kind can be null. */
function present(value: unknown, kind: ImportField['kind'], nulls: ReadonlySet<string>): unknown {
  if (value === null) return kind === 'any' ? null : undefined;
  if (typeof value !== 'string') return value;
  const text = value.trim();
  return text === '' || nulls.has(text) ? undefined : text;
}

/** Where the value comes from, for a message; a constant was checked before. */
function source(rule: Rule | undefined): string {
  if (rule === undefined || 'constant' in rule || 'from' in rule) return '';
  if ('column' in rule) return `column ${JSON.stringify(rule.column)}: `;
  return 'template' in rule ? `${rule.template}: ` : `jmes:${rule.jmespath}: `;
}

/** Expressions compute with numbers, not with their exact texts. */
function plain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const text = textOf(value);
  if (text !== undefined) return Number(text);
  if (Array.isArray(value)) return value.map(plain);
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, plain(one)]));
}
