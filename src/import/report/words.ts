/** `1 row`, `2 rows`; of another thing where that is named. */
export function rowsIn(count: number, one = 'row', many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** A row as a person finds it: by its number, and by its line if the file has lines. */
export function placeOf(row: number, line: number | null | undefined): string {
  return line === null || line === undefined ? `row ${row}` : `row ${row}, line ${line}`;
}
