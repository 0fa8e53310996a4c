import type * as z from 'zod/mini';
import { ProcError } from '../../../core/errors.ts';
import type { Ports } from '../../../core/ports.ts';
import { show } from '../../../core/validate.ts';
import { getAddress } from '../../addresses/api.ts';
import { listItems } from '../../items/api.ts';
import type { createRequisition } from '../../requisition/api.ts';
import { rememberAddress } from '../address-book.ts';
import { type Catalogue, type CatalogueItem, itemOf, readItems } from '../catalogue.ts';
import { byCode } from '../references/references.ts';
import { codeOf, decide, type ItemsInPlace } from './items-in-place.ts';

export type Payload = z.input<typeof createRequisition.body>;
export type Line = Payload['groups'][number]['items'][number];

/** A line of an earlier requisition about whose item something is to be said. */
export interface Doubt {
  /**
   * `several`: defined in place then, and several items, or one with another name, may be it now. `gone`: the catalogue has it
   * no more. `new`: defined in place then, and the catalogue does not have it.
   */
  readonly kind: 'several' | 'gone' | 'new';
  readonly group: number;
  readonly line: number;
  readonly candidates: readonly CatalogueItem[];
}

/** A payload to be ordered once more; lines in doubt stand as they were. */
export interface Reordered {
  readonly payload: Payload;
  readonly doubts: readonly Doubt[];
}

interface ReorderOptions {
  /** Told of an address that is gone; without it that is an error. */
  readonly onGone?: (addressId: string) => void;
  /** Gets the items that were read. */
  readonly met?: Map<string, CatalogueItem>;
  /** `--items-in-place`. */
  readonly choice?: ItemsInPlace | undefined;
  /** Reads the catalogue, where it may be known already. */
  readonly read?: typeof readItems;
}

/**
 * A payload made ready to be ordered once more: its code is left out, each address is looked at, and
 * items that were defined in place are resolved to the ones that exist since.
 *
 * @throws ProcError `not_found` where an address is gone
 */
export async function orderAgain(
  payload: Payload,
  ports: Ports<'io' | 'api' | 'lookup' | 'store' | 'self'>,
  { onGone, choice, met, read = readItems }: ReorderOptions = {},
): Promise<Reordered> {
  const { code: _, ...rest } = payload;
  if (!(await ports.lookup.allowed())) return { payload: rest, doubts: [] };
  await checkAddresses(payload, ports, onGone);
  const catalogue = await catalogueFor(payload, ports, read);
  const ordered = new Set(payload.groups.flatMap(({ items }) => items.map(({ itemId }) => itemId)));
  for (const item of catalogue.items) if (ordered.has(item.id)) met?.set(item.id, item);
  const doubts: Doubt[] = [];
  const groups: Payload['groups'] = [];
  for (const [group, { items, ...heading }] of payload.groups.entries()) {
    const lines: Line[] = [];
    for (const [line, one] of items.entries()) {
      const found = await existing(one, catalogue, choice, ports, met);
      if ('kind' in found) doubts.push({ ...found, group, line });
      lines.push('kind' in found ? one : found);
    }
    groups.push({ ...heading, items: lines });
  }
  return { payload: { ...rest, groups }, doubts };
}

async function checkAddresses(
  { groups }: Payload,
  ports: Ports<'io' | 'api' | 'lookup' | 'store' | 'self'>,
  onGone: ((addressId: string) => void) | undefined,
): Promise<void> {
  const checked = new Set<string>();
  for (const { name, addressId } of groups) {
    if (addressId === undefined || checked.has(addressId)) continue;
    checked.add(addressId);
    try {
      const row = await ports.lookup.call(getAddress, { params: { id: addressId } });
      if (!ports.api.isPreview) await rememberAddress(ports, addressId, row);
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

/** As much of the catalogue as the lines need that no code can be looked up for. */
async function catalogueFor(
  { groups }: Payload,
  ports: Ports<'io' | 'lookup'>,
  read: typeof readItems,
): Promise<Catalogue> {
  const lines = groups.flatMap(({ items }) => items);
  const ids = new Set(lines.flatMap(({ itemId }) => itemId ?? []));
  const isNamed = lines.some(
    ({ itemId, item }) =>
      itemId === undefined && (item === undefined || codeOf(item) === undefined),
  );
  if (ids.size === 0 && !isNamed) return { items: [], isWhole: false };
  const missing = new Set(ids);
  let seen = 0;
  try {
    return await read(ports, (items) => {
      for (; seen < items.length; seen++) missing.delete(items[seen]!.id);
      return !isNamed && (missing.size === 0 || seen >= MOST_CHECKED);
    });
  } catch (thrown) {
    const isOnlyCheck = !isNamed && thrown instanceof ProcError && NO_CHECK.has(thrown.code);
    if (!isOnlyCheck) throw thrown;
    const text = `whether its items still exist could not be looked at: ${thrown.message}`;
    ports.io.say({ kind: 'warning', text });
    return { items: [], isWhole: false };
  }
}

/** Items that are read only to see whether some are gone: a warning is not worth a million. */
const MOST_CHECKED = 5_000;

/** A service that shows no items may still take orders of them. */
const NO_CHECK = new Set(['not_found', 'refused', 'undecodable', 'redirected']);

/** The same line with the item that exists since, or what is in doubt about it. */
async function existing(
  { itemId, item, ...rest }: Line,
  { items, isWhole }: Catalogue,
  choice: ItemsInPlace | undefined,
  ports: Ports<'lookup'>,
  met?: Map<string, CatalogueItem>,
): Promise<Line | Pick<Doubt, 'kind' | 'candidates'>> {
  if (itemId !== undefined) {
    const isGone = isWhole && items.every(({ id }) => id !== itemId);
    return isGone ? { kind: 'gone', candidates: [] } : { ...rest, itemId };
  }
  if (item === undefined) return rest;
  const found =
    codeOf(item) === undefined
      ? items.filter(({ name }) => name === item.name)
      : (await byCode(ports, listItems, item.code!, true)).flatMap(itemOf);
  const candidates = [...new Map(found.map((one) => [one.id, one])).values()];
  for (const one of candidates) met?.set(one.id, one);
  if (codeOf(item) !== undefined) {
    // Several lines of one new item are met when the whole is known.
    const decision = decide(item, { found: candidates, lines: 1 }, choice);
    if (decision.kind === 'reference') return { ...rest, itemId: decision.itemId };
    return decision.kind === 'refuse'
      ? { kind: 'several', candidates }
      : { kind: 'new', candidates: [] };
  }
  if (candidates.length > 1) return { kind: 'several', candidates };
  if (candidates[0] !== undefined) return { ...rest, itemId: candidates[0].id };
  return { kind: 'new', candidates };
}
