import type { ProblemPlace } from '../../core/row-problem.ts';
import type { DecimalMark } from '../../core/text/decimal.ts';

export type Rule =
  | { readonly column: string }
  /** Text with column names in braces. */
  | { readonly template: string }
  | { readonly constant: string }
  /** A field of the record that the row refers to, e.g. `order.currency`. */
  | { readonly from: string };

/** How records become bodies. Equal mappings have equal JSON. */
export interface Mapping {
  /** By field name, in the order of the noun's fields. */
  readonly fields: Readonly<Record<string, Rule>>;
  readonly decimal?: DecimalMark | undefined;
  /** By field: what is sent for each value of the file. A value that is not there rejects its row. */
  readonly values?: Readonly<Record<string, Readonly<Record<string, string>>>> | undefined;
}

/** The column that alone fills a field; undefined if none does. */
export function columnOf({ fields }: Pick<Mapping, 'fields'>, field: string): string | undefined {
  const rule = fields[field];
  return rule !== undefined && 'column' in rule ? rule.column : undefined;
}

/** The columns that a rule names. */
export function columnsOf(rule: Rule): readonly string[] {
  if ('column' in rule) return [rule.column];
  if (!('template' in rule)) return [];
  return (parseTemplate(rule.template)?.parts ?? []).map(({ column }) => column);
}

/** Columns that the mapping uses. */
export function columnsSent({ fields }: Pick<Mapping, 'fields'>): ReadonlySet<string> {
  return new Set(Object.values(fields).flatMap(columnsOf));
}

/** The column or template of the value; undefined if the rule names neither. */
export function placeIn(rule: Rule | undefined): ProblemPlace | undefined {
  if (rule === undefined || 'constant' in rule || 'from' in rule) return undefined;
  return 'column' in rule ? { header: rule.column } : { expression: rule.template };
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
