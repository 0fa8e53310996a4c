/** What every rejected row carries besides its own fields. */
export const MARKS = ['_run', '_row', '_reason', '_status'] as const;

/** The text of a record that could not be read: nobody can say which of its cells is which. */
export const RAW = '_raw';

/** Columns that a file of rejected rows has, and its source had not. */
export function isMark(column: string): boolean {
  return column === RAW || (MARKS as readonly string[]).includes(column);
}

/** A column as it was, where somebody wrote its mark in another case. */
export function markNamed(column: string): string {
  const name = column.trim().toLowerCase();
  return isMark(name) ? name : column;
}
