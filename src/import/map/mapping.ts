import { compile, TreeInterpreter, tokenize } from '@jmespath-community/jmespath';
import { messageOf, ProcError } from '../../core/errors.ts';
import type { ProblemPlace } from '../../core/problem/row-problem.ts';
import type { DecimalMark } from '../../core/text/decimal.ts';
import { checkExpression } from '../../core/text/expression.ts';

export type Rule =
  | {
      readonly column: string;
      /** 3 if the user typed `#3` instead of the name. */
      readonly position?: number;
    }
  /** Text with column names in braces. */
  | { readonly template: string }
  | { readonly jmespath: string }
  | { readonly constant: string }
  /** A field of the record that the row refers to, e.g. `order.currency`. */
  | { readonly from: string };

/**
 * How records become bodies. `--save-map` writes a mapping as JSON, and `--map-file` reads the JSON.
 * Equal mappings have equal JSON.
 */
export interface Mapping {
  /** By field name, in the order of the noun's fields. */
  readonly fields: Readonly<Record<string, Rule>>;
  /** Words that mean an empty cell, sorted. */
  readonly nulls: readonly string[];
  readonly decimal?: DecimalMark | undefined;
  /** By field: other values for values of the source, e.g. `EA` for `ST`. */
  readonly values?: Readonly<Record<string, Readonly<Record<string, string>>>> | undefined;
}

/** The column that alone fills a field; undefined if none does. */
export function columnOf({ fields }: Pick<Mapping, 'fields'>, field: string): string | undefined {
  const rule = fields[field];
  return rule !== undefined && 'column' in rule ? rule.column : undefined;
}

/** The column or expression of the value; undefined if the rule names neither. */
export function placeIn(rule: Rule | undefined): ProblemPlace | undefined {
  if (rule === undefined || 'constant' in rule || 'from' in rule) return undefined;
  if ('column' in rule) return { header: rule.column };
  return { expression: 'template' in rule ? rule.template : `jmes:${rule.jmespath}` };
}

type Data = Parameters<typeof TreeInterpreter.search>[1];

/** Throws the library's errors. */
type Search = (fields: Readonly<Record<string, unknown>>) => unknown;

/** Compiles the expression after `jmes:`. Throws `invalid_usage`. */
export function compileExpression(expression: string, field: string): Search {
  checkExpression(expression, `--map ${field}=jmes:…`);
  try {
    const compiled = compile(expression);
    return (fields) => TreeInterpreter.search(compiled, fields as Data);
  } catch (thrown) {
    throw new ProcError(
      'invalid_usage',
      `--map ${field}=jmes:${expression} is not a valid JMESPath expression: ${messageOf(thrown)}`,
      { hint: `Use e.g. --map '${field}=jmes:product.name'`, cause: thrown },
    );
  }
}

/** All names in an expression. Some may be columns. */
export function namesIn(expression: string): readonly string[] {
  return tokenize(expression)
    .filter(({ type }) => ['UnquotedIdentifier', 'QuotedIdentifier'].includes(String(type)))
    .map(({ value }) => String(value));
}

/** `{Model} {Color}` split up: the text before each column, and the text after the last one. */
interface Template {
  readonly parts: readonly { readonly before: string; readonly column: string }[];
  readonly after: string;
}

export function parseTemplate(text: string): Template | undefined {
  const parts: { before: string; column: string }[] = [];
  let end = 0;
  for (const match of text.matchAll(/\{([^{}]+)\}/g)) {
    parts.push({ before: text.slice(end, match.index), column: match[1]!.trim() });
    end = match.index + match[0].length;
  }
  return parts.length === 0 ? undefined : { parts, after: text.slice(end) };
}

/**
 * An empty column drops the text before it: `{Model} - {Color}` without a colour is only the model.
 * Undefined if all columns are empty.
 *
 * @param value returns the trimmed text of a column; undefined if it is empty
 */
export function fillTemplate(
  { parts, after }: Template,
  value: (column: string) => string | undefined,
): string | undefined {
  let text: string | undefined;
  let isLastThere = false;
  for (const [index, { before, column }] of parts.entries()) {
    const part = value(column);
    isLastThere = part !== undefined;
    // Text between columns is a separator, which the first value does not need.
    if (part !== undefined) {
      text = text === undefined ? (index === 0 ? before : '') + part : text + before + part;
    }
  }
  return text === undefined ? undefined : (text + (isLastThere ? after : '')).trim();
}
