import type { Context } from '../../core/command.ts';
import type { Row } from '../../core/result.ts';
import { listItems } from './api.ts';

/** An item of the catalogue, as far as people name it. */
export interface CatalogueItem {
  readonly id: string;
  readonly code: string | undefined;
  readonly name: string | undefined;
}

/** All items, page by page: the service has no search. */
export async function readCatalogue(ctx: Context): Promise<CatalogueItem[]> {
  const items: CatalogueItem[] = [];
  for await (const rows of ctx.pages(listItems, { sort: 'code', dir: 'asc' }).rows) {
    items.push(...rows.flatMap(itemOf));
  }
  return items;
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
