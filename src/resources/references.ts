import type { Context } from '../core/command.ts';
import type { EndpointSpec } from '../core/endpoint.ts';
import { ProcError } from '../core/errors.ts';
import type { Row } from '../core/result.ts';
import { inShell } from '../core/typed.ts';
import { lookInBook } from './addresses/book.ts';
import { listItems } from './items/api.ts';
import { type CatalogueItem, itemOf } from './items/catalogue.ts';
import { listOrders } from './orders/api.ts';
import { listSectors } from './sectors/api.ts';

/** Reading a list failed in a way that says nothing about the reference: it is then sent as typed. */
const NO_LOOKUP = new Set(['not_found', 'refused', 'undecodable', 'redirected']);

/** The sectors as each command found them: read once, however many of them it is given by name. */
const SECTORS = new WeakMap<Context, readonly Row[]>();

/**
 * The id of what a person named: an id, or an order's or item's code, or a sector's
 * key or name. One match is resolved, none is sent as an id as typed.
 *
 * @throws ProcError `ambiguous_reference`, with all candidates
 */
export async function orderId(ctx: Context, ref: string): Promise<string> {
  return idOf(ctx, ref, 'order', await byCode(ctx, listOrders, ref));
}

/** {@inheritDoc orderId} */
export async function itemId(ctx: Context, ref: string): Promise<string> {
  return idOf(ctx, ref, 'item', await byCode(ctx, listItems, ref));
}

/** {@inheritDoc orderId} */
export async function sectorId(ctx: Context, ref: string): Promise<string> {
  return idOf(ctx, ref, 'sector', await sectorsNamed(ctx, ref));
}

/** The id of an address from its local alias; anything else is an id as typed. */
export async function addressId(ctx: Context, ref: string): Promise<string> {
  const id = await lookInBook(ctx, undefined, (book) => book.idOf(ref));
  if (id !== undefined && ctx.globals.verbose) {
    ctx.say({ kind: 'notice', text: `address ${ref} has the id ${id}` });
  }
  return id ?? ref;
}

/**
 * What goes into a requisition's `sector`: of the sector that was named, the field that the dialect's
 * `sectorValue` says (id, key or name is not stated by the contract). As typed where none matches.
 */
export async function sectorValue(ctx: Context, ref: string): Promise<string> {
  if (ctx.previewing) return ref;
  const [sector, ...others] = await sectorsNamed(ctx, ref);
  if (others.length > 0) throw ambiguous('sector', ref, [sector!, ...others]);
  const value = sector?.[(await ctx.target()).dialect('requisitions').sectorValue];
  return typeof value === 'string' ? value : ref;
}

/**
 * The one item with this code; for flags that say `code=`, where an id is not meant.
 *
 * @throws ProcError `reference_not_found`, `ambiguous_reference`
 */
export async function itemWithCode(ctx: Context, code: string): Promise<CatalogueItem> {
  if (ctx.previewing) return { id: `<item ${code}>`, code, name: undefined };
  const rows = await byCode(ctx, listItems, code, true);
  if (rows.length > 1) throw ambiguous('item', code, rows);
  const [item] = rows.flatMap(itemOf);
  if (item !== undefined) return item;
  throw new ProcError(
    'reference_not_found',
    `no item has the code ${JSON.stringify(code)}; nothing was sent`,
    {
      hint: `Look for it: proc items find ${inShell(code)}. To define it in place: --new-item name=…,code=${inShell(code)},quantity=…`,
    },
  );
}

/** All rows of a sorted list whose code is this. */
export async function byCode(
  ctx: Context,
  list: EndpointSpec,
  code: string,
  mustLook = false,
): Promise<readonly Row[]> {
  if (ctx.previewing) return [];
  return lookUp(mustLook, () => ctx.find(list, 'code', code));
}

async function sectorsNamed(ctx: Context, ref: string): Promise<readonly Row[]> {
  if (ctx.previewing) return [];
  const sectors = SECTORS.get(ctx) ?? (await lookUp(false, () => ctx.call(listSectors, {})));
  SECTORS.set(ctx, sectors);
  const exact = sectors.filter(({ id, key, name }) => [id, key, name].includes(ref));
  if (exact.length > 0) return exact;
  const folded = ref.toLowerCase();
  return sectors.filter(({ key, name }) =>
    [key, name].some((text) => typeof text === 'string' && text.toLowerCase() === folded),
  );
}

async function lookUp(
  mustLook: boolean,
  read: () => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  try {
    return await read();
  } catch (thrown) {
    if (!mustLook && thrown instanceof ProcError && NO_LOOKUP.has(thrown.code)) return [];
    throw thrown;
  }
}

function idOf(ctx: Context, ref: string, what: string, rows: readonly Row[]): string {
  const ids = new Map(rows.map((row) => [row.id, row]));
  if (ids.size > 1) throw ambiguous(what, ref, [...ids.values()]);
  const [id] = ids.keys();
  if (typeof id !== 'string') return ref;
  if (id !== ref && ctx.globals.verbose) {
    ctx.say({ kind: 'notice', text: `${what} ${ref} has the id ${id}` });
  }
  return id;
}

/** Several things may be meant; all are named. */
export function ambiguous(what: string, ref: string, rows: readonly Row[]): ProcError {
  const candidates = rows.map(({ id, code, key, name, title }) => ({ id, code, key, name, title }));
  const shown = rows.map(({ id, name, title }) => `${id} (${name ?? title ?? ''})`).join(', ');
  return new ProcError(
    'ambiguous_reference',
    `${what} ${JSON.stringify(ref)} may be any of: ${shown}`,
    {
      hint: 'Give the id of the one you mean.',
      details: { candidates },
    },
  );
}
