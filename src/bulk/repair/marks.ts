/** What every rejected row carries besides its own fields. */
export const MARKS = ['_run', '_row', '_reason', '_status'] as const;

/** The text of a record that could not be read: nobody can say which of its cells is which. */
export const RAW = '_raw';

/** Columns that a file of rejected rows has, and its source had not. */
export function isMark(column: string): boolean {
  return column === RAW || (MARKS as readonly string[]).includes(column);
}
