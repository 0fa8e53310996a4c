import { ProcError } from '../core/errors.ts';
import type { Ports } from '../core/ports.ts';
import { getAddress } from '../nouns/addresses/index.ts';
import { listItems } from '../nouns/items/index.ts';
import {
  type Catalogue,
  type CatalogueItem,
  itemOf,
  type readItems,
} from '../nouns/shared/catalogue.ts';
import { codeOf, decide } from '../nouns/shared/items-in-place.ts';
import { byCode } from '../nouns/shared/references/references.ts';
import type { Line, Payload } from './payload.ts';

/** A line of an earlier requisition, if it is unclear which item it means now. */
interface UnclearLine {
  /**
   * `gone`: the catalogue no longer has the item. `new`: the catalogue does not have the item that the
   * line defines in place. `several`: several items have its code or name, or the item with its code has
   * another name.
   */
  readonly kind: 'several' | 'gone' | 'new';
  readonly group: number;
  readonly line: number;
  readonly candidates: readonly CatalogueItem[];
}

export interface Reordered {
  readonly payload: Payload;
  readonly unclear: readonly UnclearLine[];
}

/** What the service has now of an earlier requisition. */
export interface ExistingNow {
  readonly catalogue: Catalogue;
  /** Items with the code of an item that a line defines, by code. */
  readonly byCode: ReadonlyMap<string, readonly CatalogueItem[]>;
}

interface LookUpOptions {
  /** Called for each address that no longer exists. */
  readonly onGone: (addressId: string) => void;
  /** Reads the catalogue. */
  readonly read: typeof readItems;
}

/**
 * Checks the addresses of an earlier payload, and looks up its items.
 *
 * @returns undefined if a preview may not look anything up
 */
export async function existingNow(
  payload: Payload,
  ports: Ports<'io' | 'api' | 'lookup' | 'store' | 'self'>,
  { onGone, read }: LookUpOptions,
): Promise<ExistingNow | undefined> {
  if (!(await ports.lookup.allowed())) return undefined;
  await checkAddresses(payload, ports, onGone);
  const catalogue = await catalogueFor(payload, ports, read);
  const found = new Map<string, readonly CatalogueItem[]>();
  for (const { itemId, item } of payload.groups.flatMap(({ items }) => items)) {
    const code = itemId === undefined && item !== undefined ? codeOf(item) : undefined;
    if (code === undefined || found.has(code)) continue;
    found.set(code, (await byCode(ports, listItems, item!.code!, true)).flatMap(itemOf));
  }
  return { catalogue, byCode: found };
}

/**
 * Prepares a payload to be ordered again: removes its code. Items defined in place become references if
 * they exist now.
 */
export function orderAgain(
  { code: _, ...payload }: Payload,
  now: ExistingNow | undefined,
): Reordered {
  if (now === undefined) return { payload, unclear: [] };
  const unclear: UnclearLine[] = [];
  const groups = payload.groups.map(({ items, ...heading }, group) => ({
    ...heading,
    items: items.map((one, line) => {
      const found = existing(one, now);
      if (!('kind' in found)) return found;
      unclear.push({ ...found, group, line });
      return one;
    }),
  }));
  return { payload: { ...payload, groups }, unclear };
}

async function checkAddresses(
  { groups }: Payload,
  ports: Ports<'io' | 'api' | 'lookup' | 'store' | 'self'>,
  onGone: (addressId: string) => void,
): Promise<void> {
  const checked = new Set<string>();
  for (const { addressId } of groups) {
    if (addressId === undefined || checked.has(addressId)) continue;
    checked.add(addressId);
    try {
      await ports.lookup.call(getAddress, { params: { id: addressId } });
    } catch (thrown) {
      if (!(thrown instanceof ProcError) || thrown.code !== 'not_found') throw thrown;
      onGone(addressId);
    }
  }
}

/**
 * Reads the catalogue, for ids and for defined items without a code. Defined items with a code are looked
 * up one by one instead.
 */
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
    const text = `could not check whether the items of the earlier requisition still exist: ${thrown.message}`;
    ports.io.say({ kind: 'warning', text });
    return { items: [], isWhole: false };
  }
}

/**
 * To check whether item ids still exist, proc reads no more than about this many items. An id that no longer
 * exists gives only a warning.
 */
const MOST_CHECKED = 5_000;

/** A service that does not list items fails with these errors. It may still accept orders for them. */
const NO_CHECK = new Set(['not_found', 'refused', 'undecodable', 'redirected']);

/** The line with the item that exists now, or why the item is unclear. */
function existing(
  { itemId, item, ...rest }: Line,
  { catalogue: { items, isWhole }, byCode }: ExistingNow,
): Line | Pick<UnclearLine, 'kind' | 'candidates'> {
  if (itemId !== undefined) {
    const isGone = isWhole && items.every(({ id }) => id !== itemId);
    return isGone ? { kind: 'gone', candidates: [] } : { ...rest, itemId };
  }
  if (item === undefined) return rest;
  const code = codeOf(item);
  const found =
    code === undefined ? items.filter(({ name }) => name === item.name) : byCode.get(code)!;
  const candidates = [...new Map(found.map((one) => [one.id, one])).values()];
  if (code !== undefined) {
    // Other lines may define the same new item. A later check of the whole payload finds these lines.
    const decision = decide(item, { found: candidates, lines: 1 });
    if (decision.kind === 'reference') return { ...rest, itemId: decision.itemId };
    return decision.kind === 'refuse'
      ? { kind: 'several', candidates }
      : { kind: 'new', candidates: [] };
  }
  if (candidates.length > 1) return { kind: 'several', candidates };
  if (candidates[0] !== undefined) return { ...rest, itemId: candidates[0].id };
  return { kind: 'new', candidates };
}
