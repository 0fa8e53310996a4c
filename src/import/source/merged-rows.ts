import { PairIndex } from '../../listing/pair-index.ts';
import { textOf } from '../map/convert.ts';
import type { Source } from './record.ts';

export interface MergedRows {
  readonly key: string;
  readonly rows: readonly [number, number];
  readonly column: string;
}

/**
 * Matches amounts, counts, dates and times. Without `isExact` these are not compared: even rows that
 * belong together usually differ in them.
 */
const FIGURE = /^[\d\s.,:/%$€£+-]*$/;

/**
 * Finds two rows that have the same value in the key column and differ in other columns.
 *
 * @param columns the columns to compare
 * @param isExact compare amounts, counts, dates and times too
 * @returns the first two rows that differ; undefined if there are none
 */
export async function mergedRows(
  source: Source,
  keyColumn: string,
  columns: readonly string[],
  isExact = false,
): Promise<MergedRows | undefined> {
  const seen = new PairIndex();
  const textIn = (fields: Fields, column: string): string => {
    const text = textOf(fields[column])?.trim() ?? '';
    return isExact || !FIGURE.test(text) ? text : '';
  };
  for await (const batch of source.records()) {
    for (const { row, fields } of batch) {
      const key = fields === undefined ? '' : (textOf(fields[keyColumn])?.trim() ?? '');
      if (fields === undefined || key === '') continue;
      const rest = columns.map((column) => textIn(fields, column)).join('\0');
      if (seen.add(key, rest) !== 'other') continue;
      const first = await firstWith(source, keyColumn, key);
      const column = columns.find((one) => textIn(first.fields, one) !== textIn(fields, one));
      if (column !== undefined) return { key, rows: [first.row, row], column };
    }
  }
  return undefined;
}

type Fields = Readonly<Record<string, unknown>>;

async function firstWith(source: Source, keyColumn: string, key: string) {
  for await (const batch of source.records()) {
    for (const { row, fields } of batch) {
      if (fields !== undefined && textOf(fields[keyColumn])?.trim() === key) return { row, fields };
    }
  }
  return { row: 0, fields: {} };
}
