import type { EndpointSpec } from '../core/endpoint.ts';
import { idText } from '../core/service/same-value.ts';
import { type ListSource, listReader, MAX_PAGE } from './list-reader.ts';

/** The search for the end of a list gives up after this row. */
const MOST_ROWS = 1e8;

/**
 * Where a list that is not sorted shows new records. Reads its first pages, and searches for its last ones.
 *
 * @param ids of the new records, in the order of their creation
 */
export async function placeOfNew(
  ids: readonly string[],
  spec: EndpointSpec,
  source: ListSource,
): Promise<'first' | 'last' | 'elsewhere' | 'unknown'> {
  if (ids.length < 2) return 'unknown';
  const reader = listReader(spec, source);
  const pageAt = async (index: number) => {
    const rows = await reader.rows({ limit: MAX_PAGE, offset: index * MAX_PAGE, index }, {});
    return rows.map(({ id }) => idText(id));
  };
  const first = await pageAt(0);
  if (begins(first, ids.toReversed())) return 'first';
  if (reader.isWhole || first.length < MAX_PAGE) return ends(first, ids) ? 'last' : 'elsewhere';
  let [low, high] = [0, 1];
  while ((await pageAt(high)).length > 0) {
    low = high;
    high *= 4;
    if (high * MAX_PAGE > MOST_ROWS) return 'unknown';
  }
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if ((await pageAt(middle)).length > 0) low = middle;
    else high = middle;
  }
  const last = low === 0 ? first : [...(await pageAt(low - 1)), ...(await pageAt(low))];
  return ends(last, ids) ? 'last' : 'elsewhere';
}

function begins(rows: readonly (string | undefined)[], ids: readonly string[]): boolean {
  return ids.every((id, at) => rows[at] === id);
}

function ends(rows: readonly (string | undefined)[], ids: readonly string[]): boolean {
  return begins(rows.slice(-ids.length), ids);
}
