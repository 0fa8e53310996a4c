export const ADDED_COLUMNS = ['_run', '_row', '_reason', '_status'] as const;

/** The column with the whole text of an unreadable record. */
export const RAW = '_raw';

export function isAddedColumn(column: string): boolean {
  return column === RAW || (ADDED_COLUMNS as readonly string[]).includes(column);
}

/** `_Run` becomes `_run`, for the columns that proc adds. Other columns keep their names. */
export function originalName(column: string): string {
  const name = column.trim().toLowerCase();
  return isAddedColumn(name) ? name : column;
}
