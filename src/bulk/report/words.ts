/** `1 row`, `2 rows`; of another thing where that is named. */
export function rowsIn(count: number, one = 'row', many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
