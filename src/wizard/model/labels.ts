import type { WizardMessages } from '../../messages/wizard-en.ts';
import { itemLabel } from '../../nouns/shared/catalogue.ts';
import { shownLine } from '../../nouns/shared/lines/list-lines.ts';
import type { Address, Group, Line, Sheet } from './model.ts';
import type { Question } from './questions.ts';

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

/**
 * The group and line that a question is about, e.g. `"Plant", "wrench"`. Undefined if the question
 * is about the whole requisition.
 */
export function placeLabel(
  sheet: Sheet,
  question: Question,
  words: WizardMessages,
): string | undefined {
  if (!('group' in question)) return undefined;
  const group = groupLabel(sheet, question.group, words);
  const line = 'line' in question && sheet.groups[question.group]?.lines[question.line];
  return line && line.item !== undefined ? `${group}, "${lineItemLabel(line, words)}"` : group;
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
