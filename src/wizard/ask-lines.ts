import { listItems } from '../resources/items/api.ts';
import { itemLabel, itemOf } from '../resources/items/catalogue.ts';
import { byCode } from '../resources/references.ts';
import type { Desk } from './desk.ts';
import { matchPasted } from './paste-list.ts';
import { known, pickItem } from './pick-item.ts';
import { FURTHER_FIELDS, type Question } from './questions.ts';

interface Place {
  readonly group: number;
  readonly line: number;
}

/** Has the item of a line chosen. Where none is, a line without an item goes away. */
export async function askItem(desk: Desk, { group, line }: Place): Promise<void> {
  const { item: before, text } = desk.sheet.groups[group]!.lines[line]!;
  // A list whose lines could not be looked up when it was pasted is looked up now.
  if (text !== undefined && (await matchPasted(desk, group)) > 0) return;
  const item = await pickItem(desk.asker, { text, allowNew: true });
  if (item === 'left-out') {
    desk.edit({ edit: 'leave-out', group, line, text: text! });
  } else if (item !== undefined) {
    const change = { item, text: undefined, isSeparate: undefined, isOwnItem: undefined };
    desk.edit({ edit: 'change-line', group, line, change });
  } else if (before === undefined) {
    desk.edit({ edit: 'remove-line', group, line });
  }
}

/** One field of an item that is defined in place; a code that exists offers that item instead. */
export async function askDefinition(
  desk: Desk,
  { group, line, field }: Extract<Question, { ask: 'item-field' }>,
): Promise<void> {
  const { ctx, prompts, words } = desk.asker;
  const { item } = desk.sheet.groups[group]!.lines[line]!;
  const current = item?.kind === 'new' ? item.fields[field] : undefined;
  const answer = await prompts.input(
    current && field !== 'name' ? words.heading.orNone(words.item[field]) : words.item[field],
    {
      ...(current ? { default: current } : {}),
      validate: (text) =>
        field === 'name' && text.trim() === '' ? words.item.nameNeeded : undefined,
    },
  );
  const isNone = answer.trim() === '' || (answer.trim() === '-' && field !== 'name');
  const value = isNone ? null : answer.trim();
  if (field === 'code' && value !== null) {
    const [existing] = (await byCode(ctx, listItems, value, true)).flatMap(itemOf);
    if (
      existing !== undefined &&
      (await prompts.confirm(words.item.exists(value, itemLabel(existing)), true))
    ) {
      desk.edit({ edit: 'change-line', group, line, change: { item: known(existing) } });
      return;
    }
    // Defining a code twice would leave two items that nobody can delete: it is asked again.
    if (existing !== undefined) return;
  }
  desk.edit({ edit: 'change-item', group, line, change: { fields: { [field]: value } } });
}

export async function askMoreFields(desk: Desk, { group, line }: Place): Promise<void> {
  const { prompts, words } = desk.asker;
  const choices = FURTHER_FIELDS.map((field) => ({
    name: (words.fields as Readonly<Record<string, string>>)[field] ?? field,
    value: field,
  }));
  const more = await prompts.checkbox(words.item.more, choices);
  desk.edit({ edit: 'change-item', group, line, change: { more } });
}
