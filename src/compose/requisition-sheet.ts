import type * as z from 'zod/mini';
import type { createRequisition } from '../nouns/requisition/index.ts';
import { type CatalogueItem, itemLabel } from '../nouns/shared/catalogue.ts';

export type Payload = z.input<typeof createRequisition.body>;

/** Fields of an item that is defined in place (InventoryItemPayload, docs/service-contract.md §2). */
export const ITEM_FIELDS = [
  'name',
  'code',
  'unitOfMeasure',
  'description',
  'brand',
  'material',
  'certification',
  'type',
] as const;

export type ItemField = (typeof ITEM_FIELDS)[number];

/** null: left empty; undefined: not asked yet. */
export type Answer = string | null | undefined;

export interface KnownItem extends CatalogueItem {
  readonly kind: 'known';
}

export interface NewItem {
  readonly kind: 'new';
  readonly fields: Partial<Record<ItemField, string | null | undefined>>;
}

export interface Line {
  item?: KnownItem | NewItem | undefined;
  /** The line as typed or pasted, e.g. `4 x wrench`; set only until the item is known. */
  text?: string | undefined;
  quantity?: number | undefined;
}

export interface Address {
  readonly id: string;
  readonly label?: string | undefined;
}

export interface Group {
  name?: Answer;
  deliveryMethod?: 'pickup' | 'delivery' | undefined;
  address?: Address | null | undefined;
  lines: Line[];
  /** The wizard does not ask for more lines. */
  isComplete?: boolean | undefined;
  /** The text of each line that the person skipped. */
  leftOut?: readonly string[] | undefined;
}

interface Sector {
  /** The value to send: id, key or name, depending on the dialect. */
  readonly value: string;
  readonly label?: string | undefined;
}

/** A requisition that is being entered; any part may be missing. Can be stored as JSON. */
export interface Sheet {
  title?: string | undefined;
  type?: Answer;
  sector?: Sector | null | undefined;
  code?: Answer;
  groups: Group[];
}

/**
 * @param itemOf gives the code and name of an item, if known: a payload has only ids
 */
export function sheetOf(
  payload: Payload,
  itemOf: (id: string) => CatalogueItem | undefined,
): Sheet {
  const { title, type = null, sector, code = null, groups } = payload;
  return {
    title,
    type,
    sector: sector === undefined ? null : { value: sector },
    code,
    groups: groups.map(({ name = null, deliveryMethod, addressId, items }) => ({
      name,
      deliveryMethod,
      address: addressId === undefined ? null : { id: addressId },
      lines: items.map((line) => ({ quantity: line.quantity, item: orderedItem(line, itemOf) })),
      isComplete: true,
    })),
  };
}

type PayloadLine = Payload['groups'][number]['items'][number];

function orderedItem(
  { itemId, item }: PayloadLine,
  itemOf: (id: string) => CatalogueItem | undefined,
): Line['item'] {
  if (itemId !== undefined) {
    return {
      kind: 'known',
      ...(itemOf(itemId) ?? { id: itemId, code: undefined, name: undefined }),
    };
  }
  if (item === undefined) return undefined;
  const { code = null, unitOfMeasure = null, ...rest } = item;
  const fields: NewItem['fields'] = { ...rest, code, unitOfMeasure };
  return { kind: 'new', fields };
}

/** For messages: tabs between columns become spaces. */
export function shownLine(text: string): string {
  return text.replace(/ *\t[ \t]*/g, '  ');
}

export function groupLabel(sheet: Sheet, at: number): string {
  const name = sheet.groups[at]?.name;
  return name ? `"${name}"` : `group ${at + 1}`;
}

export function lineItemLabel({ item, text }: Line): string {
  if (item === undefined) return text === undefined ? 'not chosen yet' : shownLine(text);
  if (item.kind === 'known') return itemLabel(item);
  const { code, name } = item.fields;
  return [code, name].filter(Boolean).join(' ') || 'new item';
}

/** E.g. `12 × CS-4759 LL Crankset`. */
export function lineLabel(line: Line): string {
  return `${line.quantity ?? '?'} × ${lineItemLabel(line)}`;
}

export function leftOutText(texts: readonly string[]): string {
  return [
    'Not ordered, because you skipped it:',
    ...texts.map((text) => `  ${shownLine(text)}`),
  ].join('\n');
}
