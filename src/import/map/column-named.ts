import { ProcError } from '../../core/errors.ts';
import { listed } from '../../core/text/listed.ts';
import { nearest } from '../../core/text/nearest.ts';
import type { Source } from '../source/record.ts';
import { folded } from './match.ts';

export interface NamedColumn {
  readonly column: string;
  readonly position?: number;
}

/**
 * Finds the column that a user typed: its header, or its position in a table (`#3`). Undefined if
 * there is none.
 *
 * @param flag what is typed before the column, e.g. `--map code=`
 * @param place where the text was found, for errors
 * @throws ProcError `invalid_usage` if several columns have the header, or if the table has no such
 * position
 */
export function columnNamed(
  text: string,
  source: Pick<Source, 'columns' | 'table'>,
  flag: string,
  place?: string,
): NamedColumn | undefined {
  const { columns, table } = source;
  if (columns.includes(text)) return { column: text };
  // A header of a workbook may have line breaks, which nobody types.
  const alike = columns.filter((column) => folded(column) === folded(text));
  if (alike.length === 1) return { column: alike[0]! };
  if (table === undefined) return undefined;
  if (table.repeated.has(text)) throw repeatedHeader(text, source, flag, place);
  const [, digits] = /^#([1-9]\d{0,4})$/.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const position = Number(digits);
  const column = columnAt(position, source);
  if (column !== undefined) return { column, position };
  throw new ProcError(
    'invalid_usage',
    `${before(place)}there is no column ${text}: the table has ${table.width === 1 ? '1 column' : `${table.width} columns`}`,
  );
}

export function columnAt(
  position: number,
  { columns, table }: Pick<Source, 'columns' | 'table'>,
): string | undefined {
  if (table === undefined) return undefined;
  if (position <= table.width) return columns[position - 1];
  // A column of a workbook that has cells, but no header.
  const name = `column ${position}`;
  return columns.find((column) => column === name || column === `${name} (no header)`);
}

/** @param header of several columns */
export function repeatedHeader(
  header: string,
  { columns, table }: Pick<Source, 'columns' | 'table'>,
  flag: string,
  place?: string,
): ProcError {
  const same = table?.repeated.get(header) ?? [];
  const positions = same.map((column) => columns.indexOf(column) + 1);
  const others = positions.slice(0, -1).join(', ');
  return new ProcError(
    'invalid_usage',
    `${before(place)}${JSON.stringify(header)} is the header of columns ${others} and ${positions.at(-1)}`,
    {
      hint: `Name one by its position: ${flag}#${positions[0]}`,
    },
  );
}

function before(place: string | undefined): string {
  return place === undefined ? '' : `${place}: `;
}

/**
 * The columns of `--fill-down`, each by its header or position.
 *
 * @throws ProcError `invalid_usage` if there is no such column
 */
export function fillDownColumns(
  typed: readonly string[],
  source: Pick<Source, 'columns' | 'table' | 'name'>,
): readonly string[] {
  return typed.map((text) => {
    const named = columnNamed(text, source, '--fill-down ');
    if (named !== undefined) return named.column;
    throw noSuchColumn('--fill-down', text, source);
  });
}

export function noSuchColumn(
  flag: string,
  typed: string,
  { columns, name }: Pick<Source, 'columns' | 'name'>,
): ProcError {
  const near = nearest(typed, columns);
  const some = near === undefined ? listed(columns, 20) : JSON.stringify(near);
  return new ProcError('invalid_usage', `${flag} ${typed}: ${name} has no such column`, {
    hint: near === undefined ? `Columns: ${some}` : `Did you mean ${some}?`,
  });
}
