import type { DecimalMark } from '../../core/numbers.ts';
import type { ProblemPlace } from '../../core/row-problem.ts';

export type Rule =
  | { readonly column: string }
  /** Text with column names in braces. */
  | { readonly template: string }
  | { readonly constant: string };

/** How records become bodies. */
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
  return 'template' in rule ? piecesOf(rule.template).filter((_, at) => at % 2 === 1) : [];
}

/** Columns that the mapping uses. */
export function columnsSent({ fields }: Pick<Mapping, 'fields'>): ReadonlySet<string> {
  return new Set(Object.values(fields).flatMap(columnsOf));
}

/** The column or template of the value; undefined if the rule names neither. */
export function placeIn(rule: Rule | undefined): ProblemPlace | undefined {
  if (rule === undefined || 'constant' in rule) return undefined;
  return 'column' in rule ? { header: rule.column } : { expression: rule.template };
}

/** `{Model} {Color}` split up: text and column names in turn, text first and last. */
export function piecesOf(template: string): readonly string[] {
  return template.split(/\{([^{}]+)\}/).map((piece, at) => (at % 2 === 1 ? piece.trim() : piece));
}

/**
 * An empty column drops the text before it: `{Model} - {Color}` without a colour is only the model.
 * Undefined if all columns are empty.
 *
 * @param value returns the trimmed text of a column; undefined if it is empty
 */
export function fillTemplate(
  template: string,
  value: (column: string) => string | undefined,
): string | undefined {
  const pieces = piecesOf(template);
  let text: string | undefined;
  let isLastThere = false;
  for (let at = 1; at < pieces.length; at += 2) {
    const part = value(pieces[at]!);
    isLastThere = part !== undefined;
    // Text between columns is a separator, which the first value does not need.
    const before = text !== undefined || at === 1 ? pieces[at - 1] : '';
    if (part !== undefined) text = `${text ?? ''}${before}${part}`;
  }
  return text === undefined ? undefined : (text + (isLastThere ? pieces.at(-1) : '')).trim();
}
