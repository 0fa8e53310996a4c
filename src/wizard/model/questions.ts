import { fold } from '../../compose/match-line.ts';
import {
  type Group,
  ITEM_FIELDS,
  type ItemField,
  type Line,
  type NewItem,
  type Sheet,
} from '../../compose/requisition-sheet.ts';
import { stepsOf } from '../../core/text/strict-json.ts';

/** `group` and `line` are positions in the sheet, from 0. */
export type Question =
  | { readonly ask: 'title' | 'type' | 'sector' | 'code' | 'group' | 'review' }
  | {
      readonly ask: 'group-name' | 'delivery' | 'address' | 'list' | 'first-line' | 'more-lines';
      readonly group: number;
    }
  | {
      readonly ask: 'item' | 'more-fields' | 'quantity' | 'same-item' | 'defined-again';
      readonly group: number;
      readonly line: number;
    }
  | {
      readonly ask: 'item-field';
      readonly group: number;
      readonly line: number;
      readonly field: ItemField;
    };

/**
 * The fields of a new item that the wizard always asks for. The person chooses among the others.
 */
const ASKED: readonly ItemField[] = ['name', 'code', 'unitOfMeasure'];

export const FURTHER_FIELDS: readonly ItemField[] = ITEM_FIELDS.filter(
  (field) => !ASKED.includes(field),
);

/**
 * The first unanswered question. It depends only on the sheet, so a wizard that was killed resumes
 * at the same question.
 */
export function nextQuestion(sheet: Sheet): Question {
  if (!sheet.title) return { ask: 'title' };
  for (const field of ['type', 'sector', 'code'] as const) {
    if (sheet[field] === undefined) return { ask: field };
  }
  if (sheet.groups.length === 0) return { ask: 'group' };
  for (const [group, one] of sheet.groups.entries()) {
    if (one.name === undefined) return { ask: 'group-name', group };
    if (one.deliveryMethod === undefined) return { ask: 'delivery', group };
    if (needsAddress(one) && one.address === undefined) return { ask: 'address', group };
    if (one.pasted?.length) return { ask: 'list', group };
    for (const [line, each] of one.lines.entries()) {
      const question = lineQuestion(each, group, line);
      if (question !== undefined) return question;
      if (earlierLine(one.lines, line) !== undefined) return { ask: 'same-item', group, line };
      if (definedBefore(sheet, group, line) !== undefined) {
        return { ask: 'defined-again', group, line };
      }
    }
    if (one.lines.length === 0) return { ask: 'first-line', group };
    if (one.isComplete !== true) return { ask: 'more-lines', group };
  }
  return { ask: 'review' };
}

/** Nothing is delivered for a pickup. */
function needsAddress({ deliveryMethod }: Group): boolean {
  return deliveryMethod !== 'pickup';
}

export function previousQuestion(sheet: Sheet, question: Question): Question | undefined {
  const wanted = JSON.stringify(question);
  const asked = askedQuestions(sheet);
  return asked[asked.findIndex((one) => JSON.stringify(one) === wanted) - 1];
}

/** All questions that a person can go back to, in the order of asking. */
function askedQuestions({ groups }: Sheet): readonly Question[] {
  const heading = (['title', 'type', 'sector', 'code'] as const).map((ask) => ({ ask }));
  const ofGroups = groups.flatMap((one, group): Question[] => [
    { ask: 'group-name', group },
    { ask: 'delivery', group },
    ...(needsAddress(one) ? [{ ask: 'address', group } as const] : []),
    ...one.lines.flatMap((each, line) => questionsOfLine(each, group, line)),
    { ask: one.lines.length === 0 ? 'first-line' : 'more-lines', group },
  ]);
  return [...heading, ...ofGroups];
}

function questionsOfLine({ item }: Line, group: number, line: number): Question[] {
  const fields = item?.kind === 'new' ? [...ASKED, ...(item.more ?? [])] : [];
  return [
    { ask: 'item', group, line },
    ...fields.map((field): Question => ({ ask: 'item-field', group, line, field })),
    { ask: 'quantity', group, line },
  ];
}

function lineQuestion(each: Line, group: number, line: number): Question | undefined {
  const { item, quantity } = each;
  if (item === undefined) return { ask: 'item', group, line };
  if (item.kind === 'new') {
    const field = missingField(item);
    if (field === 'more') return { ask: 'more-fields', group, line };
    if (field !== undefined) return { ask: 'item-field', group, line, field };
  }
  return quantity === undefined ? { ask: 'quantity', group, line } : undefined;
}

/**
 * Finds the first line with the same item as line `at`: the same id, or a new item with the same
 * code.
 *
 * @returns undefined if there is no earlier line, or if line `at` is marked `isSeparate`
 */
export function earlierLine(lines: readonly Line[], at: number): number | undefined {
  const key = itemKey(lines[at]);
  if (key === undefined || lines[at]?.isSeparate === true) return undefined;
  const found = lines.findIndex((line) => itemKey(line) === key);
  return found < at ? found : undefined;
}

function itemKey(line: Line | undefined): string | undefined {
  if (line?.item?.kind === 'known') return `id ${line.item.id}`;
  const code = line?.item?.fields.code;
  return code ? `code ${code}` : undefined;
}

/**
 * Finds the first earlier line, in any group, that defines a new item with the same name. Both
 * lines would create an item, and items cannot be deleted.
 *
 * @returns undefined if there is no such line; also if the line at `group` and `line` defines an item
 * with a code or is marked `isOwnItem`
 */
export function definedBefore(
  sheet: Sheet,
  group: number,
  line: number,
): { readonly group: number; readonly line: number } | undefined {
  const own = sheet.groups[group]?.lines[line];
  const name = newName(own);
  if (own?.item?.kind !== 'new' || own.item.fields.code || own.isOwnItem === true) return undefined;
  if (name === undefined) return undefined;
  for (const [at, { lines }] of sheet.groups.slice(0, group + 1).entries()) {
    const before = at === group ? lines.slice(0, line) : lines;
    const found = before.findIndex((one) => newName(one) === name);
    if (found >= 0) return { group: at, line: found };
  }
  return undefined;
}

function newName(line: Line | undefined): string | undefined {
  if (line?.item?.kind !== 'new') return undefined;
  return fold(line.item.fields.name ?? undefined) || undefined;
}

function missingField({ fields, more }: NewItem): ItemField | 'more' | undefined {
  if (!fields.name) return 'name';
  const asked = ASKED.find((field) => fields[field] === undefined);
  if (asked !== undefined) return asked;
  if (more === undefined) return 'more';
  return more.find((field) => fields[field] === undefined);
}

/** The question that asks for a field of the payload. */
export function questionFor(field: string, sheet: Sheet): Question | undefined {
  const [first, groupText, second, lineText, third, fourth] = stepsOf(field);
  if (first === 'title' || first === 'type' || first === 'sector' || first === 'code') {
    return { ask: first };
  }
  const group = Number(groupText);
  if (first !== 'groups' || sheet.groups[group] === undefined) return undefined;
  if (second === 'name') return { ask: 'group-name', group };
  if (second === 'deliveryMethod') return { ask: 'delivery', group };
  if (second === 'addressId') return { ask: 'address', group };
  const line = Number(lineText);
  const each = sheet.groups[group]?.lines[line];
  if (second !== 'items' || each === undefined) return { ask: 'more-lines', group };
  if (third === 'quantity') return { ask: 'quantity', group, line };
  const isField = third === 'item' && each.item?.kind === 'new';
  const named = ITEM_FIELDS.find((one) => one === fourth);
  if (isField && named !== undefined) return { ask: 'item-field', group, line, field: named };
  return { ask: 'item', group, line };
}
