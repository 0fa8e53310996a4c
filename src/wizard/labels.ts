import type { WizardMessages } from '../messages/wizard.ts';
import { itemLabel } from '../resources/items/catalogue.ts';
import type { Address, Group, Line, Sheet } from './model.ts';

/** What a group is called: its name, else its number. */
export function groupLabel(sheet: Sheet, at: number, words: WizardMessages): string {
  const name = sheet.groups[at]?.name;
  return name ? `"${name}"` : words.group.untitled(String(at + 1));
}

/** What a line orders, without its quantity. */
export function lineItemLabel({ item, text }: Line, words: WizardMessages): string {
  if (item === undefined) return text ?? words.review.open;
  if (item.kind === 'known') return itemLabel(item);
  const { code, name } = item.fields;
  return [code, name].filter(Boolean).join(' ') || words.item.unnamed;
}

/** `12 × AR-5381 Adjustable Race` */
export function lineLabel(line: Line, words: WizardMessages): string {
  return `${line.quantity ?? '?'} × ${lineItemLabel(line, words)}`;
}

export function addressLabel({ id, label }: Address): string {
  return label === undefined ? id : `${label} (${id})`;
}

export function deliveryLabel({ deliveryMethod }: Group, words: WizardMessages): string {
  return deliveryMethod === undefined ? words.review.open : words.review[deliveryMethod];
}
