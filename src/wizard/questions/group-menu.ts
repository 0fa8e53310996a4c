import type { Choice } from '../../terminal/prompts.ts';
import { groupLabel, lineLabel } from '../model/labels.ts';
import { nextQuestion, type Question } from '../model/questions.ts';
import type { Desk } from './draft-editor.ts';
import { type AskOne, changeLine } from './line-menu.ts';
import { pasteList } from './paste-list.ts';

type Wish =
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

/** Everything that can be changed in a group, until the person goes back or the group moves. */
export async function changeGroup(desk: Desk, group: number, ask: AskOne): Promise<void> {
  const { prompts, words } = desk.asker;
  for (;;) {
    const one = desk.sheet.groups[group];
    if (one === undefined) return;
    const wish = await prompts.select<Wish>(
      words.menu.group(groupLabel(desk.sheet, group, words)),
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
        { name: words.menu.address, value: 'address' },
        { name: words.menu.duplicate, value: 'duplicate' },
        ...(desk.sheet.groups.length > 1
          ? [{ name: words.menu.move, value: 'move' as const }]
          : []),
        { name: words.menu.remove, value: 'remove' },
      ],
    );
    if (typeof wish === 'object') {
      await changeLine(desk, group, wish.line, ask);
      continue;
    }
    switch (wish) {
      case 'back':
        return;
      case 'search':
        desk.edit({ edit: 'add-lines', group, lines: [{}] });
        await settleLines(desk, ask);
        break;
      case 'paste':
        await pasteList(desk, group);
        await settleLines(desk, ask);
        break;
      case 'name':
        await ask(desk, { ask: 'group-name', group });
        break;
      case 'delivery':
      case 'address':
        await ask(desk, { ask: wish, group });
        break;
      case 'duplicate':
        return desk.edit({ edit: 'duplicate-group', group });
      case 'move':
        return moveGroup(desk, group);
      case 'remove':
        return desk.edit({ edit: 'remove-group', group });
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

/** Asks what lines still miss, and nothing else. */
async function settleLines(desk: Desk, ask: AskOne): Promise<void> {
  for (;;) {
    const question = nextQuestion(desk.sheet);
    if (!OF_LINES.includes(question.ask)) return;
    await ask(desk, question);
  }
}

async function moveGroup(desk: Desk, group: number): Promise<void> {
  const { prompts, words } = desk.asker;
  const others = desk.sheet.groups.map((_, index) => index).filter((index) => index !== group);
  const places: Choice<number>[] = others.map((index, position) => ({
    name: words.menu.before(groupLabel(desk.sheet, index, words)),
    value: position,
  }));
  const to = await prompts.select(words.menu.where, [
    ...places,
    { name: words.menu.last, value: others.length },
  ]);
  desk.edit({ edit: 'move-group', group, to });
}
