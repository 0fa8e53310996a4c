import { groupLabel, lineLabel } from '../../compose/requisition-sheet.ts';
import type { Choice } from '../../core/ports.ts';
import { nextQuestion, type Question } from '../model/questions.ts';
import type { DraftEditor } from './draft-editor.ts';
import { type AskOne, changeLine } from './line-menu.ts';
import { pasteList } from './paste-list.ts';

type Action =
  | { readonly line: number }
  | 'search'
  | 'paste'
  | 'name'
  | 'delivery'
  | 'address'
  | 'duplicate'
  | 'move'
  | 'remove'
  | 'back';

export async function changeGroup(editor: DraftEditor, group: number, ask: AskOne): Promise<void> {
  const { prompts, words } = editor.asker;
  for (;;) {
    const one = editor.sheet.groups[group];
    if (one === undefined) return;
    const action = await prompts.select<Action>(
      words.menu.group(groupLabel(editor.sheet, group, words)),
      [
        { name: words.menu.back, value: 'back' },
        ...one.lines.map((line, index) => ({
          name: lineLabel(line, words),
          value: { line: index },
        })),
        { name: words.lines.search, value: 'search' },
        { name: words.lines.paste, value: 'paste' },
        { name: words.menu.name, value: 'name' },
        { name: words.menu.delivery, value: 'delivery' },
        ...(one.deliveryMethod === 'pickup' && !one.address
          ? []
          : [{ name: words.menu.address, value: 'address' as const }]),
        { name: words.menu.duplicate, value: 'duplicate' },
        ...(editor.sheet.groups.length > 1
          ? [{ name: words.menu.move, value: 'move' as const }]
          : []),
        { name: words.menu.remove, value: 'remove' },
      ],
    );
    if (typeof action === 'object') {
      await changeLine(editor, group, action.line, ask);
      continue;
    }
    switch (action) {
      case 'back':
        return;
      case 'search':
        editor.edit({ edit: 'add-lines', group, lines: [{}] });
        await askMissingLines(editor, ask);
        break;
      case 'paste':
        await pasteList(editor, group);
        await askMissingLines(editor, ask);
        break;
      case 'name':
        await ask(editor, { ask: 'group-name', group });
        break;
      case 'delivery':
      case 'address':
        await ask(editor, { ask: action, group });
        break;
      case 'duplicate':
        return editor.edit({ edit: 'duplicate-group', group });
      case 'move':
        return moveGroup(editor, group);
      case 'remove':
        return editor.edit({ edit: 'remove-group', group });
    }
  }
}

const OF_LINES: readonly Question['ask'][] = [
  'list',
  'item',
  'item-field',
  'more-fields',
  'quantity',
  'same-item',
  'defined-again',
];

async function askMissingLines(editor: DraftEditor, ask: AskOne): Promise<void> {
  for (;;) {
    const question = nextQuestion(editor.sheet);
    if (!OF_LINES.includes(question.ask)) return;
    await ask(editor, question);
  }
}

async function moveGroup(editor: DraftEditor, group: number): Promise<void> {
  const { prompts, words } = editor.asker;
  const others = editor.sheet.groups.map((_, index) => index).filter((index) => index !== group);
  const places: Choice<number>[] = others.map((index, position) => ({
    name: words.menu.before(groupLabel(editor.sheet, index, words)),
    value: position,
  }));
  const to = await prompts.select(words.menu.where, [
    ...places,
    { name: words.menu.last, value: others.length },
  ]);
  editor.edit({ edit: 'move-group', group, to });
}
