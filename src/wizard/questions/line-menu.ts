import { groupLabel, ITEM_FIELDS, lineLabel } from '../../compose/requisition-sheet.ts';
import type { Choice } from '../../core/ports.ts';
import type { Question } from '../model/questions.ts';
import type { DraftEditor } from './draft-editor.ts';

/**
 * The function `ask` of ask-missing.ts. It is passed in, because ask-missing.ts imports the menus.
 */
export type AskOne = (editor: DraftEditor, question: Question) => Promise<unknown>;

type Action = 'quantity' | 'item' | 'details' | 'duplicate' | 'move' | 'remove' | 'back';

export async function changeLine(
  editor: DraftEditor,
  group: number,
  line: number,
  ask: AskOne,
): Promise<void> {
  const { prompts, words } = editor.asker;
  const each = editor.sheet.groups[group]!.lines[line]!;
  const isNew = each.item?.kind === 'new';
  const choices: Choice<Action>[] = [
    { name: words.menu.quantity, value: 'quantity' },
    { name: words.menu.item, value: 'item' },
    ...(isNew ? [{ name: words.menu.details, value: 'details' as const }] : []),
    { name: words.menu.duplicate, value: 'duplicate' },
    { name: words.menu.move, value: 'move' },
    { name: words.menu.remove, value: 'remove' },
    { name: words.menu.back, value: 'back' },
  ];
  const action = await prompts.select(words.menu.line(lineLabel(each, words)), choices);
  switch (action) {
    case 'quantity':
    case 'item':
      await ask(editor, { ask: action, group, line });
      return;
    case 'details':
      return changeDetails(editor, group, line, ask);
    case 'duplicate':
      return editor.edit({ edit: 'duplicate-line', group, line });
    case 'move':
      return moveLine(editor, group, line);
    case 'remove':
      return editor.edit(
        each.text === undefined
          ? { edit: 'remove-line', group, line }
          : { edit: 'leave-out', group, line, text: each.text },
      );
    case 'back':
      return;
  }
}

async function changeDetails(
  editor: DraftEditor,
  group: number,
  line: number,
  ask: AskOne,
): Promise<void> {
  const { prompts, words } = editor.asker;
  const field = await prompts.select(
    words.menu.whichField,
    ITEM_FIELDS.map((one) => ({ name: words.item[one], value: one })),
  );
  await ask(editor, { ask: 'item-field', group, line, field });
}

async function moveLine(editor: DraftEditor, group: number, line: number): Promise<void> {
  const { prompts, words } = editor.asker;
  const { groups } = editor.sheet;
  const rest = groups[group]!.lines.filter((_, index) => index !== line);
  const choices = [
    ...rest.map((other, to) => ({
      name: words.menu.before(lineLabel(other, words)),
      value: { toGroup: group, to },
    })),
    { name: words.menu.last, value: { toGroup: group, to: rest.length } },
    ...groups.flatMap(({ lines }, toGroup) =>
      toGroup === group
        ? []
        : [
            {
              name: words.menu.toGroup(groupLabel(editor.sheet, toGroup, words)),
              value: { toGroup, to: lines.length },
            },
          ],
    ),
  ];
  const place = await prompts.select(words.menu.where, choices);
  editor.edit({ edit: 'move-line', group, line, ...place });
}
