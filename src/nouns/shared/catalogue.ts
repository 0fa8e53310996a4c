import type { Ports } from '../../core/ports.ts';
import type { Row } from '../../core/result.ts';
import { listItems } from '../items/api.ts';

/** An item of the catalogue, as far as people name it. */
export interface CatalogueItem {
  readonly id: string;
  readonly code: string | undefined;
  readonly name: string | undefined;
}

/** The items that a command met while it composed a payload, by id: a payload has no names of them. */
export type MetItems = Map<string, CatalogueItem>;

/** What was read of the catalogue. */
export interface Catalogue {
  readonly items: readonly CatalogueItem[];
  /** Its end was seen: what is not among the items does not exist. */
  readonly isWhole: boolean;
}

/** All items, page by page, as the service has no search; no further than to where it is enough. */
export async function readItems(
  ports: Ports<'io' | 'lookup'>,
  isEnough: (items: readonly CatalogueItem[]) => boolean = () => false,
): Promise<Catalogue> {
  const items: CatalogueItem[] = [];
  const pages = ports.lookup.pages(listItems, { sort: 'code', dir: 'asc' });
  for await (const rows of pages.rows) {
    items.push(...rows.flatMap(itemOf));
    if (isEnough(items)) return { items, isWhole: false };
  }
  const failure = pages.failure();
  if (failure !== undefined) ports.io.say({ kind: 'warning', text: failure.message });
  return { items, isWhole: pages.complete() };
}

/** All items. */
export async function readCatalogue(
  ports: Ports<'io' | 'lookup'>,
): Promise<readonly CatalogueItem[]> {
  return (await readItems(ports)).items;
}

/** A row as an item; nothing where it has no id to refer to. */
export function itemOf(row: Row): CatalogueItem[] {
  const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
  const id = text(row.id);
  return id === undefined ? [] : [{ id, code: text(row.code), name: text(row.name) }];
}

/** `AR-5381 Adjustable Race`, or the id where it has neither. */
export function itemLabel({ id, code, name }: CatalogueItem): string {
  return [code, name].filter((part) => part !== undefined).join(' ') || id;
}

/** Labels that tell items apart: with the id where code and name are the same. */
export function itemLabels(items: readonly CatalogueItem[]): string[] {
  const labels = items.map(itemLabel);
  return items.map(({ id }, at) => {
    const label = labels[at]!;
    return labels.indexOf(label) === labels.lastIndexOf(label) ? label : `${label} (${id})`;
  });
}
