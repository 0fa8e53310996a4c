import { show } from '../../core/validate.ts';
import type { SourceRecord } from '../source/record.ts';
import { textOf } from './convert.ts';
import { columnsOf, type Mapping } from './mapping.ts';

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

export function unsentColumns(mapping: Mapping, columns: readonly string[]): string[] {
  const used = columnsSent(mapping);
  const roots = new Set([...used].map((column) => column.split('.', 1)[0]!));
  return columns.filter((column) => !used.has(column) && !roots.has(column));
}

/** Columns that the mapping uses. */
export function columnsSent({ fields }: Pick<Mapping, 'fields'>): ReadonlySet<string> {
  return new Set(Object.values(fields).flatMap(columnsOf));
}
