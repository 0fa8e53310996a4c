import type { EndpointSpec } from '../core/endpoint.ts';
import type { ListSource } from './list-reader.ts';
import { Listing } from './listing.ts';
import { scan } from './scan.ts';
import { MOST_CODES, searchCodes } from './search-codes.ts';
import { codedList } from './sorted-list.ts';

export interface FoundRow {
  readonly id: string;
  readonly code: string | undefined;
  readonly name: string | undefined;
}

export interface WantedCodes {
  readonly size: number;
  has(code: string): boolean;
  all(): Iterable<string>;
  /**
   * The words may be ids too. Unless a search finds every word as a code, the whole list is read, because
   * lists cannot be searched by id.
   */
  readonly mayBeIds?: boolean;
  onOther?(code: string): void;
}

/**
 * Reports every row that has an id and a wanted code. If the whole list is read and `mayBeIds` is set, also
 * reports every row with a wanted id.
 *
 * @returns true if words that were not reported provably do not exist
 * @throws ProcError if the list cannot be read
 */
export async function findCodes(
  endpoint: EndpointSpec,
  wanted: WantedCodes,
  source: ListSource,
  onFound: (wanted: string, item: FoundRow) => void,
): Promise<boolean> {
  const searched =
    wanted.size > MOST_CODES
      ? undefined
      : await searchCodes(endpoint, new Set(wanted.all()), source);
  if (searched !== undefined) {
    for (const { id, code, name } of searched) {
      const found = String(code);
      onFound(found, { id: String(id), code: found, name: textOf(name) });
    }
    const isAll = new Set(searched.map(({ code }) => code)).size === wanted.size;
    if (isAll || wanted.mayBeIds !== true) return true;
  }
  let isReferable = true;
  const isWhole = await scan(new Listing(codedList(endpoint), source), (rows) => {
    for (const { id, code, name } of rows) {
      const isWanted = code !== null && wanted.has(code);
      if (isWanted && id === undefined) isReferable = false;
      if (!isWanted && code !== null) wanted.onOther?.(code);
      if (id === undefined) continue;
      const item = { id, code: code ?? undefined, name: name ?? undefined };
      if (isWanted) onFound(code, item);
      if (wanted.mayBeIds === true && id !== code && wanted.has(id)) onFound(id, item);
    }
  });
  return isWhole && isReferable;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
