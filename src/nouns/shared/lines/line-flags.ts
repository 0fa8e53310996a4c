import type { FlagSpecs, FlagValues, PairSpecs } from '../../../core/command-spec.ts';
import { ProcError } from '../../../core/errors.ts';
import type { Ports } from '../../../core/ports.ts';
import { parsePairs } from '../../../core/text/pairs.ts';
import { show } from '../../../core/validate.ts';
import { inventoryItemPayload } from '../../items/api.ts';
import type { CatalogueItem } from '../catalogue.ts';
import { addressId, itemMeant } from '../references/references.ts';

const GROUP_PAIRS = {
  name: [],
  delivery: ['pickup', 'delivery'],
  address: 'addresses',
} as const satisfies PairSpecs;

const ITEM_PAIRS = {
  code: 'items',
  id: 'items',
  name: [],
  quantity: [],
  group: [],
} as const satisfies PairSpecs;

const ITEM_KEYS = Object.keys(inventoryItemPayload._zod.def.shape);

const NEW_ITEM_PAIRS: PairSpecs = Object.fromEntries(
  [...ITEM_KEYS, 'quantity', 'group'].map((key) => [key, []]),
);

export const LINE_FLAGS = {
  group: {
    kind: 'strings',
    value: 'pairs',
    pairs: GROUP_PAIRS,
    doc: 'add a group: name=Plant,delivery=pickup, or name=Plant,delivery=delivery,address=ID with an id or alias',
  },
  item: {
    kind: 'strings',
    value: 'pairs',
    pairs: ITEM_PAIRS,
    doc: 'add a catalogue item: code=AR-5381,quantity=4,group=Plant, or id=…, name=…; group= is optional with one group',
  },
  newItem: {
    kind: 'strings',
    value: 'pairs',
    pairs: NEW_ITEM_PAIRS,
    doc: 'define an item in place: name=…,code=…,quantity=…,group=…',
  },
} as const satisfies FlagSpecs;

interface Line {
  /** The flag as typed, for error messages. */
  readonly place: string;
  readonly pairs: ReadonlyMap<string, string>;
  readonly isNew: boolean;
}

interface LineFlags {
  readonly groups: ReadonlyArray<ReadonlyMap<string, string>>;
  readonly lines: readonly Line[];
}

interface Group {
  name?: unknown;
  items?: unknown;
  [field: string]: unknown;
}

export function readLineFlags(flags: FlagValues<typeof LINE_FLAGS>): LineFlags | undefined {
  const groups = flags.group.map((text) => parsePairs(text, '--group', Object.keys(GROUP_PAIRS)));
  const lines = [
    ...flags.item.map((text) => ({
      place: `--item ${show(text)}`,
      pairs: parsePairs(text, '--item', Object.keys(ITEM_PAIRS)),
      isNew: false,
    })),
    ...flags.newItem.map((text) => ({
      place: `--new-item ${show(text)}`,
      pairs: parsePairs(text, '--new-item', Object.keys(NEW_ITEM_PAIRS)),
      isNew: true,
    })),
  ];
  return groups.length + lines.length === 0 ? undefined : { groups, lines };
}

/**
 * Adds the lines of `--item` and `--new-item` to a payload. Groups of `--group` replace all its groups.
 *
 * @param met collects the items that were looked up
 * @throws ProcError `invalid_usage`, `reference_not_found`, `ambiguous_reference`
 */
export async function withLines(
  base: Readonly<Record<string, unknown>>,
  { groups, lines }: LineFlags,
  ports: Ports<'io' | 'lookup' | 'store' | 'self'>,
  met: Map<string, CatalogueItem>,
): Promise<Record<string, unknown>> {
  const own = Array.isArray(base.groups) ? (base.groups as Group[]) : [];
  const given = await Promise.all(groups.map((pairs) => groupOf(pairs, ports)));
  const all = given.length > 0 ? given : own.map((group) => ({ ...group }));
  for (const line of lines) {
    const group = groupFor(line, all);
    const items = Array.isArray(group.items) ? group.items : [];
    group.items = [...items, await groupItem(line, ports, met)];
  }
  return { ...base, groups: all };
}

/**
 * Refuses `--item` for an item that its group already orders. A second line would add to the first, and a
 * requisition cannot be undone.
 *
 * @throws ProcError `invalid_usage`
 */
export async function mustBeNew(
  base: Readonly<Record<string, unknown>>,
  { groups, lines }: LineFlags,
  ports: Ports<'io' | 'lookup' | 'store' | 'self'>,
): Promise<void> {
  const own = Array.isArray(base.groups) ? (base.groups as Group[]) : [];
  if (groups.length > 0) return;
  for (const line of lines.filter(({ isNew }) => !isNew)) {
    const { itemId } = await groupItem(line, ports, new Map());
    const { items } = groupFor(line, own);
    const earlier = Array.isArray(items)
      ? (items as { itemId?: unknown; quantity?: unknown }[]).find((one) => one.itemId === itemId)
      : undefined;
    if (earlier === undefined) continue;
    const named = line.pairs.get('code') ?? itemId;
    throw new ProcError(
      'invalid_usage',
      `${line.place}: the earlier requisition already orders ${earlier.quantity} of this item; nothing was sent`,
      { hint: `Set the new quantity instead: --quantity ${named}=${line.pairs.get('quantity')}` },
    );
  }
}

async function groupOf(
  pairs: ReadonlyMap<string, string>,
  ports: Ports<'io' | 'lookup' | 'store' | 'self'>,
): Promise<Group> {
  const [name, deliveryMethod, address] = ['name', 'delivery', 'address'].map((key) =>
    pairs.get(key),
  );
  return {
    ...(name === undefined ? {} : { name }),
    ...(deliveryMethod === undefined ? {} : { deliveryMethod }),
    ...(address === undefined ? {} : { addressId: await addressId(ports, address) }),
    items: [],
  };
}

function groupFor({ pairs, place }: Line, groups: readonly Group[]): Group {
  const name = pairs.get('group');
  const names = groups.map((group) => String(group.name ?? '(no name)')).join(', ');
  if (groups.length === 0) {
    throw new ProcError('invalid_usage', `${place}: the requisition has no group`, {
      hint: 'Add a group: --group name=Plant,delivery=pickup',
    });
  }
  if (name === undefined) {
    if (groups.length === 1) return groups[0]!;
    throw new ProcError(
      'invalid_usage',
      `${place}: group= is missing, and there are ${groups.length} groups`,
      {
        hint: `Add group=NAME, one of: ${names}`,
      },
    );
  }
  const matches = groups.filter((group) => group.name === name);
  if (matches.length === 1) return matches[0]!;
  // A number names a group by its position, because names may be missing or repeated.
  const numbered = /^[1-9]\d*$/.test(name) ? groups[Number(name) - 1] : undefined;
  if (matches.length === 0 && numbered !== undefined) return numbered;
  throw new ProcError(
    'invalid_usage',
    `${place}: ${matches.length === 0 ? 'no group is' : `${matches.length} groups are`} named ${show(name)}`,
    {
      hint:
        groups.length === 1
          ? `Remove group=, because there is only one group: ${names}`
          : `Use one of: ${names}; or the number of a group, 1 to ${groups.length}`,
    },
  );
}

async function groupItem(
  { pairs, place, isNew }: Line,
  ports: Ports<'io' | 'lookup' | 'store' | 'self'>,
  met: Map<string, CatalogueItem>,
): Promise<Record<string, unknown>> {
  const quantity = quantityOf(pairs.get('quantity'), place);
  if (!isNew) {
    const [named, ...others] = (['id', 'code', 'name'] as const).filter((key) => pairs.has(key));
    if (named === undefined || others.length > 0) {
      throw new ProcError('invalid_usage', `${place}: expected exactly one of code=, id=, name=`);
    }
    const item = await itemMeant(ports, `${named}=${pairs.get(named)}`);
    if (named !== 'id') met.set(item.id, item);
    return { quantity, itemId: item.id };
  }
  if (!pairs.get('name')) throw new ProcError('invalid_usage', `${place}: name= is missing`);
  const item = Object.fromEntries(
    ITEM_KEYS.filter((key) => pairs.has(key)).map((key) => [key, pairs.get(key)]),
  );
  return { quantity, item };
}

function quantityOf(text: string | undefined, place: string): number {
  if (
    text !== undefined &&
    /^\d+$/.test(text) &&
    Number(text) > 0 &&
    Number.isSafeInteger(Number(text))
  ) {
    return Number(text);
  }
  const problem =
    text === undefined
      ? 'quantity= is missing'
      : /^\d+$/.test(text) && Number(text) > 0
        ? `quantity=${text} is too large, expected at most ${Number.MAX_SAFE_INTEGER}`
        : `quantity=${text} is not a whole number above 0`;
  throw new ProcError('invalid_usage', `${place}: ${problem}`, {
    hint: 'Use a whole number, e.g. quantity=4',
  });
}
