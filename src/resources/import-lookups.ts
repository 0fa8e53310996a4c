import { PageWalk } from '../client/pages.ts';
import type { Context } from '../core/command.ts';
import type { EndpointSpec } from '../core/endpoint.ts';
import type { Row } from '../core/result.ts';
import { lookInBook } from './addresses/book.ts';
import { listItems } from './items/api.ts';
import { listOrders } from './orders/api.ts';
import { listSectors } from './sectors/api.ts';

/** What a row can refer to. */
export type ReferenceKind = 'order' | 'item' | 'sector' | 'address';

/** What the contract says that each has; an address is known by its id alone. */
const KNOWN_FIELDS: Readonly<Record<ReferenceKind, readonly string[]>> = {
  order: Object.keys(listOrders.response.schema.shape),
  item: Object.keys(listItems.response.schema.shape),
  sector: Object.keys(listSectors.response.schema.shape),
  address: ['id'],
};

/** Fields that rows can take over from what they refer to. */
export function fieldsOf(kind: ReferenceKind): readonly string[] {
  return KNOWN_FIELDS[kind];
}

/** Everything that rows refer to, looked up at once. */
export interface Lookup {
  /** All that are called so. */
  find(text: string): readonly Row[];
  /** What goes into the body: the id, or of a sector what the dialect says. */
  value(row: Row): unknown;
  /** False where a list could not be read to a proved end: what was not found may be there. */
  readonly isComplete: boolean;
  /** For messages: `no order has the code or id`. */
  readonly missing: string;
}

/** Reads one page of a list, or a whole list that has no pages. Works in a dry run too. */
export type ReadList = (
  list: EndpointSpec,
  query: Readonly<Record<string, unknown>>,
) => Promise<readonly Row[]>;

/**
 * Rows of a list with these codes, all of them, by searches in it where that takes fewer requests than
 * reading it; else undefined.
 */
export type SearchList = (
  list: EndpointSpec,
  codes: ReadonlySet<string>,
) => Promise<readonly Row[] | undefined>;

/**
 * Looks up what rows refer to: orders and items by code or id, sectors by id, key or
 * name, addresses by their alias on this machine. Each text is looked up once, however many rows have
 * it: by a search, or page by page through the list, of which only what is wanted is kept.
 */
export async function lookUpAll(
  kind: ReferenceKind,
  wanted: ReadonlySet<string>,
  { read, search }: { readonly read: ReadList; readonly search: SearchList },
  ctx: Context,
): Promise<Lookup> {
  switch (kind) {
    case 'order':
      return byCode(listOrders, 'order', wanted, read, search, ctx);
    case 'item':
      return byCode(listItems, 'item', wanted, read, search, ctx);
    case 'sector':
      return sectors(read, ctx);
    case 'address':
      return addresses(ctx);
  }
}

async function byCode(
  list: EndpointSpec,
  one: string,
  wanted: ReadonlySet<string>,
  read: ReadList,
  search: SearchList,
  ctx: Context,
): Promise<Lookup> {
  const found = new Map<string, Map<unknown, Row>>();
  const note = (text: unknown, row: Row) => {
    if (typeof text !== 'string' || !wanted.has(text)) return;
    const rows = found.get(text) ?? new Map<unknown, Row>();
    found.set(text, rows.set(row.id, row));
  };
  let isComplete = true;
  for (const row of (await search(list, wanted)) ?? []) note(row.code, row);
  // What is no code may be an id, by which no list is sorted.
  if ([...wanted].some((text) => !found.has(text))) {
    const pages = new PageWalk(
      (page) => read(list, page === undefined ? {} : { ...page, sort: 'code', dir: 'asc' }),
      ctx.say,
    );
    for await (const rows of pages.rows()) {
      for (const row of rows) {
        note(row.code, row);
        note(row.id, row);
      }
    }
    isComplete = pages.complete();
  }
  return {
    find: (text) => [...(found.get(text)?.values() ?? [])],
    value: ({ id }) => id,
    isComplete,
    missing: `no ${one} has this code or id`,
  };
}

async function sectors(read: ReadList, ctx: Context): Promise<Lookup> {
  const all = await read(listSectors, {});
  const field = (await ctx.target()).dialect('requisitions').sectorValue;
  return {
    find(text) {
      const exact = all.filter(({ id, key, name }) => [id, key, name].includes(text));
      if (exact.length > 0) return exact;
      const folded = text.toLowerCase();
      return all.filter(({ key, name }) =>
        [key, name].some((one) => typeof one === 'string' && one.toLowerCase() === folded),
      );
    },
    value: (row) => row[field],
    isComplete: true,
    missing: 'no sector has this id, key or name',
  };
}

async function addresses(ctx: Context): Promise<Lookup> {
  const aliases = await lookInBook(ctx, new Map<string, string>(), (book) => book.aliases());
  return {
    find(text) {
      const id = aliases.get(text);
      return id === undefined ? [] : [{ id }];
    },
    value: ({ id }) => id,
    isComplete: true,
    missing: 'this machine knows no address by this alias (proc addresses alias)',
  };
}
