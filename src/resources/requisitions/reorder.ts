import type * as z from 'zod/mini';
import type { Context } from '../../core/command.ts';
import { ProcError } from '../../core/errors.ts';
import { show } from '../../core/validate.ts';
import { getAddress } from '../addresses/api.ts';
import { rememberAddress } from '../addresses/book.ts';
import { listItems } from '../items/api.ts';
import { itemOf, readCatalogue } from '../items/catalogue.ts';
import { ambiguous, byCode } from '../references.ts';
import type { createRequisition } from './api.ts';

export type Payload = z.input<typeof createRequisition.body>;
type Line = Payload['groups'][number]['items'][number];

/**
 * A payload made ready to be ordered once more: its code is left out, each address is looked at, and
 * items that were defined in place are resolved to the ones that exist since.
 *
 * @param onGone told of an address that is gone, of the groups that name it; without it that is an error.
 * @throws ProcError `not_found` where an address is gone, `ambiguous_reference`
 */
export async function orderAgain(
  payload: Payload,
  ctx: Context,
  onGone?: (addressId: string) => void,
): Promise<Payload> {
  const { code: _, ...rest } = payload;
  if (ctx.previewing) return rest;
  await checkAddresses(payload, ctx, onGone);
  const groups: Payload['groups'] = [];
  for (const group of payload.groups) {
    const items: Line[] = [];
    for (const line of group.items) items.push(await existing(line, ctx));
    groups.push({ ...group, items });
  }
  return { ...rest, groups };
}

async function checkAddresses(
  { groups }: Payload,
  ctx: Context,
  onGone: ((addressId: string) => void) | undefined,
): Promise<void> {
  const checked = new Set<string>();
  for (const { name, addressId } of groups) {
    if (addressId === undefined || checked.has(addressId)) continue;
    checked.add(addressId);
    try {
      const row = await ctx.call(getAddress, { params: { id: addressId } });
      await rememberAddress(ctx, addressId, row);
    } catch (thrown) {
      if (!(thrown instanceof ProcError) || thrown.code !== 'not_found') throw thrown;
      if (onGone !== undefined) {
        onGone(addressId);
        continue;
      }
      const group = name === undefined ? 'a group' : `group ${show(name)}`;
      throw new ProcError(
        'not_found',
        `the address ${addressId} of ${group} no longer exists; nothing was sent`,
        {
          status: thrown.status,
          hint: 'Give the groups anew, with --group and --item or --lines, or in a file. Addresses seen before: proc addresses known',
          cause: thrown,
        },
      );
    }
  }
}

/** The same line with the item that exists since; as it is where none does. */
async function existing(line: Line, ctx: Context): Promise<Line> {
  const { item, ...rest } = line;
  if (item === undefined || line.itemId !== undefined) return line;
  const rows =
    item.code === undefined
      ? (await readCatalogue(ctx)).filter(({ name }) => name === item.name)
      : await byCode(ctx, listItems, item.code, true);
  if (rows.length > 1)
    throw ambiguous(
      'item',
      item.code ?? item.name,
      rows.map((row) => ({ ...row })),
    );
  const id = rows[0]?.id;
  return typeof id === 'string' ? { ...rest, itemId: id } : line;
}

/**
 * Reads `--quantity CODE=20`.
 *
 * @throws ProcError `invalid_usage`
 */
export function readQuantities(flags: readonly string[]): ReadonlyMap<string, number> {
  const wishes = new Map<string, number>();
  for (const flag of flags) {
    const at = flag.lastIndexOf('=');
    const [ref, text] = [flag.slice(0, Math.max(0, at)).trim(), flag.slice(at + 1).trim()];
    if (at < 1 || !/^\d+$/.test(text) || !Number.isSafeInteger(Number(text))) {
      throw new ProcError('invalid_usage', `--quantity ${show(flag)}: expected CODE=NUMBER`, {
        hint: 'For instance --quantity AR-5381=20; CODE=0 leaves the item out',
      });
    }
    if (wishes.has(ref)) {
      throw new ProcError('invalid_usage', `--quantity: ${show(ref)} stands twice`);
    }
    wishes.set(ref, Number(text));
  }
  return wishes;
}

/**
 * Sets quantities by code (or item id); 0 leaves the line out, and a group without lines goes too.
 *
 * @throws ProcError `reference_not_found` where no line has the code, `ambiguous_reference`
 */
export async function withQuantities(
  payload: Payload,
  wishes: ReadonlyMap<string, number>,
  ctx: Context,
): Promise<Payload> {
  let groups = payload.groups;
  for (const [ref, quantity] of wishes) {
    const isMeant = await lineTest(ref, ctx);
    const count = groups.flatMap(({ items }) => items.filter(isMeant)).length;
    if (count === 0) throw noSuchLine(ref, ctx);
    if (count > 1 && quantity > 0) {
      throw new ProcError(
        'ambiguous_reference',
        `--quantity ${ref}=${quantity}: ${count} lines order it, and which is meant cannot be told`,
        { hint: `Leave them out (--quantity ${ref}=0) and add one: --item code=${ref},quantity=…` },
      );
    }
    groups = groups.map((group) => ({
      ...group,
      items: group.items
        .filter((line) => quantity > 0 || !isMeant(line))
        .map((line) => (isMeant(line) ? { ...line, quantity } : line)),
    }));
  }
  const touched = groups.filter(
    ({ items }, index) => items.length > 0 || payload.groups[index]!.items.length === 0,
  );
  return { ...payload, groups: touched };
}

async function lineTest(ref: string, ctx: Context): Promise<(line: Line) => boolean> {
  const rows = await byCode(ctx, listItems, ref, true);
  const ids = new Set([ref, ...rows.flatMap(itemOf).map(({ id }) => id)]);
  return ({ itemId, item }) => (itemId === undefined ? item?.code === ref : ids.has(itemId));
}

function noSuchLine(ref: string, ctx: Context): ProcError {
  return new ProcError(
    'reference_not_found',
    `--quantity: no line of it orders ${show(ref)}; nothing was sent`,
    {
      hint: ctx.previewing
        ? 'With --dry-run codes cannot be looked up; give the item id'
        : `To add it: --item code=${ref},quantity=…`,
    },
  );
}
