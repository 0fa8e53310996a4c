import { show } from '../../core/validate.ts';
import type { SourceRecord } from '../source/record.ts';
import { textOf } from './convert.ts';
import { type Mapping, namesIn } from './mapping.ts';
import { columnsOf } from './mapping-flags.ts';

const SAMPLES = 3;

const SAMPLE_LENGTH = 40;

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

/**
 * Columns that have the name of a field, although a rule such as `--set currency=@order.currency`
 * fills the field.
 */
export function replacedColumns(mapping: Mapping, columns: readonly string[]): string[] {
  return unsentColumns(mapping, columns).filter((column) => Object.hasOwn(mapping.fields, column));
}

export function unsentColumns(mapping: Mapping, columns: readonly string[]): string[] {
  const used = columnsSent(mapping);
  return columns.filter((column) => !used.has(column));
}

/** Columns that the mapping uses, and names in its expressions that may be columns. */
export function columnsSent({ fields }: Pick<Mapping, 'fields'>): ReadonlySet<string> {
  const used = new Set<string>();
  for (const rule of Object.values(fields)) {
    for (const column of 'jmespath' in rule ? namesIn(rule.jmespath) : columnsOf(rule))
      used.add(column);
  }
  return used;
}
