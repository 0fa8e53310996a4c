import { type CatalogueItem, itemLabel } from '../nouns/shared/catalogue.ts';
import { shownLine } from './list-lines.ts';
import type { Payload } from './payload.ts';
import type { WizardMessages } from './wizard-words.ts';

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
  readonly fields: Readonly<Partial<Record<ItemField, string | null | undefined>>>;
  /** Optional fields that the person selected; undefined if not asked yet. */
  readonly more?: readonly ItemField[] | undefined;
}

export interface Line {
  readonly item?: KnownItem | NewItem | undefined;
  /** The line as typed or pasted, e.g. `4 x wrench`; set only until the item is known. */
  readonly text?: string | undefined;
  readonly quantity?: number | undefined;
  /** If true, the wizard does not ask whether to combine this line with an earlier line of the same item. */
  readonly isSeparate?: boolean | undefined;
  /** The person wants a new item, although an earlier line defines an item with the same name. */
  readonly isOwnItem?: boolean | undefined;
}

export interface Address {
  readonly id: string;
  readonly label?: string | undefined;
}

export interface Group {
  readonly name?: Answer;
  readonly deliveryMethod?: 'pickup' | 'delivery' | undefined;
  readonly address?: Address | null | undefined;
  readonly lines: readonly Line[];
  /** The wizard does not ask for more lines. */
  readonly isComplete?: boolean | undefined;
  /** The lines of a list that is still being pasted. */
  readonly pasted?: readonly string[] | undefined;
  /** The text of each line that the person skipped. */
  readonly leftOut?: readonly string[] | undefined;
}

interface Sector {
  /** The value to send: id, key or name, depending on the dialect. */
  readonly value: string;
  readonly label?: string | undefined;
}

/** A requisition that is being entered; any part may be missing. Can be stored as JSON. */
export interface Sheet {
  readonly title?: string | undefined;
  readonly type?: Answer;
  readonly sector?: Sector | null | undefined;
  readonly code?: Answer;
  readonly groups: readonly Group[];
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
      lines: items.map(
        // An earlier requisition may order an item twice on purpose. `isSeparate` keeps the wizard
        // from asking about it.
        (line): Line => ({
          quantity: line.quantity,
          item: orderedItem(line, itemOf),
          isSeparate: true,
        }),
      ),
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
  return { kind: 'new', fields, more: [] };
}

export function groupLabel(sheet: Sheet, at: number, words: WizardMessages): string {
  const name = sheet.groups[at]?.name;
  return name ? `"${name}"` : words.group.untitled(String(at + 1));
}

export function lineItemLabel({ item, text }: Line, words: WizardMessages): string {
  if (item === undefined) return text === undefined ? words.review.open : shownLine(text);
  if (item.kind === 'known') return itemLabel(item);
  const { code, name } = item.fields;
  return [code, name].filter(Boolean).join(' ') || words.item.unnamed;
}

/** E.g. `12 × AR-5381 Adjustable Race`. */
export function lineLabel(line: Line, words: WizardMessages): string {
  return `${line.quantity ?? '?'} × ${lineItemLabel(line, words)}`;
}

export function leftOutText(texts: readonly string[], words: WizardMessages): string {
  return [words.lines.leftOut, ...texts.map((text) => `  ${shownLine(text)}`)].join('\n');
}

export function addressLabel({ id, label }: Address): string {
  return label === undefined ? id : `${label} (${id})`;
}

export function deliveryLabel({ deliveryMethod }: Group, words: WizardMessages): string {
  return deliveryMethod === undefined ? words.review.open : words.review[deliveryMethod];
}
