import type { Context } from '../../context.ts';
import { ProcError } from '../../core/errors.ts';
import { textOf } from '../../core/numbers.ts';
import type { Row } from '../../core/result.ts';
import { listed } from '../../core/wording.ts';
import type { FoundRows } from '../../listing/search.ts';
import { listItems } from '../items/index.ts';

export interface CatalogueItem {
  readonly id: string;
  readonly code: string | undefined;
  readonly name: string | undefined;
}

/** Items read while a payload was built, by id. The payload has only ids, and a review shows names. */
export type MetItems = Map<string, CatalogueItem>;

export interface Catalogue {
  readonly items: readonly CatalogueItem[];
  /** The list was read to its end, so items that are missing here do not exist. */
  readonly isWhole: boolean;
}

/** Reads items page by page until `isEnough`; the service has no search. */
export async function readItems(
  ctx: Context,
  isEnough: (items: readonly CatalogueItem[]) => boolean = () => false,
): Promise<Catalogue> {
  const items: CatalogueItem[] = [];
  const pages = ctx.http().pages(listItems, { stableSort: 'code' });
  for await (const rows of pages.rows) {
    items.push(...rows.flatMap(itemOf));
    if (isEnough(items)) return { items, isWhole: false };
  }
  const failure = pages.failure();
  if (failure !== undefined) ctx.io.say({ kind: 'warning', text: failure.message });
  return { items, isWhole: pages.complete() };
}

export function itemOf(row: Row): CatalogueItem[] {
  const text = (value: unknown) => textOf(value) || undefined;
  const id = text(row.id);
  return id === undefined ? [] : [{ id, code: text(row.code), name: text(row.name) }];
}

/** `CS-4759 LL Crankset`, or the id if it has neither code nor name. */
export function itemLabel({ id, code, name }: CatalogueItem): string {
  return [code, name].filter((part) => part !== undefined).join(' ') || id;
}

/** Unique labels: items with the same code and name get their id added. */
export function itemLabels(items: readonly CatalogueItem[]): string[] {
  const labels = items.map(itemLabel);
  return items.map(({ id }, at) => {
    const label = labels[at]!;
    return labels.indexOf(label) === labels.lastIndexOf(label) ? label : `${label} (${id})`;
  });
}

/**
 * The items that have one of these codes, compared by the fold.
 *
 * @throws ProcError `catalogue_unverified` if the list of items may be incomplete
 */
export async function itemsWithCodes(
  codes: readonly string[],
  find: (codes: readonly string[]) => Promise<FoundRows>,
): Promise<readonly CatalogueItem[]> {
  const { rows, isProved } = await find(codes);
  if (isProved) return rows.flatMap(itemOf);
  throw new ProcError(
    'catalogue_unverified',
    `the list of items may be incomplete, so proc cannot tell whether it has ${listed(codes, 3)}; nothing was sent`,
    {
      hint: 'Detect the parameter names: proc doctor. To use existing items, refer to them by itemId',
    },
  );
}
