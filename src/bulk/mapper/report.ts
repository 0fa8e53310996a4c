import { show } from '../../core/validate.ts';
import type { SourceRecord } from '../record.ts';
import { textOf } from './convert.ts';
import { namesIn } from './jmespath.ts';
import type { Mapping, Rule } from './mapping.ts';
import { columnsOf } from './parse.ts';

/** How many values a column is shown by. */
const SAMPLES = 3;

const SAMPLE_LENGTH = 40;

/** The flags that give this mapping, quoted for a shell: ready to be typed after the command. */
export function suggestCommand(mapping: Mapping): string[] {
  const flags: string[] = [];
  for (const [field, rule] of Object.entries(mapping.fields)) {
    if ('constant' in rule) flags.push(`--set ${quote(`${field}=${rule.constant}`)}`);
    else if ('from' in rule) flags.push(`--set ${quote(`${field}=@${rule.from}`)}`);
    else flags.push(`--map ${quote(`${field}=${rightSide(rule)}`)}`);
  }
  if (mapping.decimal !== undefined) flags.push(`--decimal ${mapping.decimal}`);
  for (const word of mapping.nulls) flags.push(`--null ${quote(word)}`);
  return flags;
}

function rightSide(
  rule: Exclude<Rule, { readonly constant: string } | { readonly from: string }>,
): string {
  if ('column' in rule) return rule.column;
  return 'template' in rule ? rule.template : `jmes:${rule.jmespath}`;
}

/** For POSIX shells. */
function quote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Up to three different values of a column, shortened. */
export function samples(head: readonly SourceRecord[], column: string): string[] {
  const found = new Set<string>();
  for (const { fields } of head) {
    const value =
      fields !== undefined && Object.hasOwn(fields, column) ? fields[column] : undefined;
    const text = (
      textOf(value) ?? (value === undefined || value === null ? '' : show(value))
    ).trim();
    if (text !== '') {
      found.add(text.length > SAMPLE_LENGTH ? `${text.slice(0, SAMPLE_LENGTH - 1)}…` : text);
    }
    if (found.size === SAMPLES) break;
  }
  return [...found];
}

/** Columns of which something else is sent under their very name (`--set currency=@order.currency`). */
export function replacedColumns(mapping: Mapping, columns: readonly string[]): string[] {
  return unsentColumns(mapping, columns).filter((column) => Object.hasOwn(mapping.fields, column));
}

/** Columns that the mapping does not use, in their order. */
export function unsentColumns(mapping: Mapping, columns: readonly string[]): string[] {
  const used = new Set<string>();
  for (const rule of Object.values(mapping.fields)) {
    for (const column of 'jmespath' in rule ? namesIn(rule.jmespath) : columnsOf(rule))
      used.add(column);
  }
  return columns.filter((column) => !used.has(column));
}
