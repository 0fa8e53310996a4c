import { grouped } from '../../core/numbers.ts';

/** What the counts of a run count. Only requisitions are made of several rows. */
export type Counted = 'rows' | 'requisitions';

/** E.g. `create 12 items from items.csv`. */
export function importing(
  count: number,
  { one, many }: { readonly one: string; readonly many: string },
  file: string,
  newItems = 0,
): string {
  const items = newItems === 1 ? ' and 1 new item' : ` and ${grouped(newItems)} new items`;
  return `create ${grouped(count)} ${count === 1 ? one : many}${newItems === 0 ? '' : items} from ${file}`;
}

/** `1 row`, `1,200 rows`; or another noun with its plural. */
export function rowsIn(count: number, one = 'row', many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

/** Several rows may make one requisition, which the run sends, rejects and counts as a whole. */
export function countedIn({ groupBy }: { readonly groupBy: string | undefined }): Counted {
  return groupBy === undefined ? 'rows' : 'requisitions';
}

/** What the run counts, e.g. `2 requisitions`; with a kind, `1 pending row`. */
export function countIn(
  header: { readonly groupBy: string | undefined },
  count: number,
  kind = '',
): string {
  return rowsIn(count, `${kind}${countedIn(header).slice(0, -1)}`);
}

export function placeOf(row: number, line: number | null | undefined): string {
  return line === null || line === undefined ? `row ${row}` : `row ${row}, line ${line}`;
}
