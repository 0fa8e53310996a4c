/** The columns that proc adds to rejected rows. */
export const ADDED_COLUMNS = ['_run', '_row', '_reason', '_status'] as const;

/** The column with the whole text of an unreadable record. proc cannot tell which cells belong to which columns. */
export const RAW = '_raw';

/** Whether a file of rejected rows has this column although its source does not. */
export function isAddedColumn(column: string): boolean {
  return column === RAW || (ADDED_COLUMNS as readonly string[]).includes(column);
}

/** The column's own name, if somebody changed its case. */
export function originalName(column: string): string {
  const name = column.trim().toLowerCase();
  return isAddedColumn(name) ? name : column;
}
