import { ProcError } from '../../core/errors.ts';
import { listed } from '../../core/text/listed.ts';
import { nearest } from '../../core/text/nearest.ts';
import type { Source } from '../source/record.ts';

/** The same for names that differ only in case, spaces, `_` and `-`: `Unit_of Measure`. */
export function folded(name: string): string {
  return name.replace(/[\s_-]+/g, '').toLowerCase();
}

/** The columns whose header is `name`, but for case, spaces, `_` and `-`; the exact one alone if it exists. */
export function columnsNamed(
  name: string,
  { columns, table }: Pick<Source, 'columns' | 'table'>,
): readonly string[] {
  if (columns.includes(name)) return [name];
  const headers = new Map<string, string>();
  for (const [header, same] of table?.repeated ?? []) {
    for (const column of same) headers.set(column, header);
  }
  return columns.filter((column) => folded(headers.get(column) ?? column) === folded(name));
}

/**
 * Finds the column that a user typed. In JSON, a dotted name leads into nested objects.
 *
 * @param flag where it was typed, for errors
 * @throws ProcError `invalid_usage` if there is no such column, or if several are meant
 */
export function columnTyped(
  text: string,
  source: Pick<Source, 'columns' | 'table' | 'name'>,
  flag: string,
): string {
  const found = columnsNamed(text, source);
  if (found.length > 1) throw severalColumns(flag, text, found);
  if (found.length === 1) return found[0]!;
  const [first = ''] = text.split('.');
  if (source.table === undefined && first !== text && source.columns.includes(first)) return text;
  const { columns, name } = source;
  const near = nearest(text, columns);
  throw new ProcError('invalid_usage', `${flag}: ${name} has no column ${JSON.stringify(text)}`, {
    hint:
      near === undefined
        ? `Columns: ${listed(columns, 20)}`
        : `Did you mean ${JSON.stringify(near)}?`,
  });
}

/** @param flag what asked for the column */
export function severalColumns(flag: string, text: string, found: readonly string[]): ProcError {
  const shown = found.map((column) => JSON.stringify(column)).join(', ');
  return new ProcError('invalid_usage', `${flag}: ${text} may be any of ${shown}`, {
    hint: 'Name one of them exactly',
  });
}
