import type { KnownItem } from '../../compose/requisition-sheet.ts';
import { listItems } from '../../nouns/items/index.ts';
import { type CatalogueItem, itemLabel, itemOf } from '../../nouns/shared/catalogue.ts';
import { byCode } from '../../nouns/shared/references/references.ts';
import { FURTHER_FIELDS, type Question } from '../model/questions.ts';
import type { DraftEditor } from './draft-editor.ts';
import { matchPasted } from './paste-list.ts';
import { askExisting, known, pickItem } from './pick-item.ts';

interface Place {
  readonly group: number;
  readonly line: number;
}

/**
 * Asks for the item of a line. If the person chooses no item, the line stays only if it already has
 * an item and a quantity.
 */
export async function askItem(editor: DraftEditor, { group, line }: Place): Promise<void> {
  const { item: before, text, quantity } = editor.sheet.groups[group]!.lines[line]!;
  // The lines of a pasted list may not have been looked up yet.
  if (text !== undefined && (await matchPasted(editor, group)) > 0) return;
  const item = await pickItem(editor.asker, { text, current: before });
  if (item === 'left-out') {
    editor.edit({ edit: 'leave-out', group, line, text: text! });
  } else if (item !== undefined) {
    if (item === before) return;
    const change = { item, text: undefined, isSeparate: undefined, isOwnItem: undefined };
    editor.edit({ edit: 'change-line', group, line, change });
  } else if (before === undefined || quantity === undefined) {
    editor.edit({ edit: 'remove-line', group, line });
  }
}

export async function askDefinition(
  editor: DraftEditor,
  { group, line, field }: Extract<Question, { ask: 'item-field' }>,
): Promise<void> {
  const { ports, steps, words } = editor.asker;
  const { item } = editor.sheet.groups[group]!.lines[line]!;
  const current = item?.kind === 'new' ? item.fields[field] : undefined;
  const answer = await steps.input(
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
    const found = (await byCode(ports, listItems, value, true)).flatMap(itemOf);
    if (found.length > 0) {
      // If the person declines the existing item, the code is not stored. It would create a second
      // item with this code, and items cannot be deleted.
      const item = await existing(editor, value, found);
      return item && editor.edit({ edit: 'change-line', group, line, change: { item } });
    }
  }
  editor.edit({ edit: 'change-item', group, line, change: { fields: { [field]: value } } });
}

async function existing(
  { asker: { prompts, words } }: DraftEditor,
  code: string,
  found: readonly CatalogueItem[],
): Promise<KnownItem | undefined> {
  const [first] = found;
  if (found.length === 1) {
    const isTaken = await prompts.confirm(words.item.exists(code, itemLabel(first!)), true);
    return isTaken ? known(first!) : undefined;
  }
  return askExisting({ prompts, words }, code, found);
}

export async function askMoreFields(editor: DraftEditor, { group, line }: Place): Promise<void> {
  const { prompts, words } = editor.asker;
  const choices = FURTHER_FIELDS.map((field) => ({
    name: (words.fields as Readonly<Record<string, string>>)[field] ?? field,
    value: field,
  }));
  const more = await prompts.checkbox(words.item.more, choices);
  editor.edit({ edit: 'change-item', group, line, change: { more } });
}
