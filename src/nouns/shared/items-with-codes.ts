import { ProcError } from '../../core/errors.ts';
import { listed } from '../../core/text/listed.ts';
import type { ListSource } from '../../listing/list-reader.ts';
import { findCodes } from '../../listing/search-codes.ts';
import { listItems } from '../items/index.ts';
import type { CatalogueItem } from './catalogue.ts';

/**
 * The items with these codes, by code.
 *
 * @throws ProcError `catalogue_unverified` if the list of items may be incomplete
 */
export async function itemsWithCodes(
  codes: ReadonlySet<string>,
  source: ListSource,
): Promise<ReadonlyMap<string, readonly CatalogueItem[]>> {
  const found = new Map<string, CatalogueItem[]>();
  const isVerified = await findCodes(listItems, codes, source, (code, item) => {
    const known = found.get(code) ?? [];
    if (!known.some(({ id }) => id === item.id)) found.set(code, [...known, item]);
  });
  if (isVerified) return found;
  throw new ProcError(
    'catalogue_unverified',
    `the list of items may be incomplete, so proc cannot tell whether it has ${listed([...codes], 3)}; nothing was sent`,
    {
      hint: 'Detect the parameter names: proc doctor. To use existing items, refer to them by itemId',
    },
  );
}
