/** What every rejected row carries besides its own fields. */
export const MARKS = ['_run', '_row', '_reason', '_status'] as const;

export function isMark(column: string): boolean {
  return (MARKS as readonly string[]).includes(column);
}
