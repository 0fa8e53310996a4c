import type { Choice } from '../../terminal/prompts.ts';
import { groupLabel, lineLabel } from '../model/labels.ts';
import { ITEM_FIELDS } from '../model/model.ts';
import type { Question } from '../model/questions.ts';
import type { Desk } from './draft-editor.ts';

/** Asks one question and keeps the answer. */
export type AskOne = (desk: Desk, question: Question) => Promise<void>;

type Wish = 'quantity' | 'item' | 'details' | 'duplicate' | 'move' | 'remove' | 'back';

/** One change of a line. */
export async function changeLine(
  desk: Desk,
  group: number,
  line: number,
  ask: AskOne,
): Promise<void> {
  const { prompts, words } = desk.asker;
  const each = desk.sheet.groups[group]!.lines[line]!;
  const isNew = each.item?.kind === 'new';
  const choices: Choice<Wish>[] = [
    { name: words.menu.quantity, value: 'quantity' },
    { name: words.menu.item, value: 'item' },
    ...(isNew ? [{ name: words.menu.details, value: 'details' as const }] : []),
    { name: words.menu.duplicate, value: 'duplicate' },
    { name: words.menu.move, value: 'move' },
    { name: words.menu.remove, value: 'remove' },
    { name: words.menu.back, value: 'back' },
  ];
  const wish = await prompts.select(words.menu.line(lineLabel(each, words)), choices);
  switch (wish) {
    case 'quantity':
    case 'item':
      return ask(desk, { ask: wish, group, line });
    case 'details':
      return changeDetails(desk, group, line, ask);
    case 'duplicate':
      return desk.edit({ edit: 'duplicate-line', group, line });
    case 'move':
      return moveLine(desk, group, line);
    case 'remove':
      return desk.edit(
        each.text === undefined
          ? { edit: 'remove-line', group, line }
          : { edit: 'leave-out', group, line, text: each.text },
      );
    case 'back':
      return;
  }
}

async function changeDetails(desk: Desk, group: number, line: number, ask: AskOne): Promise<void> {
  const { prompts, words } = desk.asker;
  const field = await prompts.select(
    words.menu.whichField,
    ITEM_FIELDS.map((one) => ({ name: words.item[one], value: one })),
  );
  await ask(desk, { ask: 'item-field', group, line, field });
}

async function moveLine(desk: Desk, group: number, line: number): Promise<void> {
  const { prompts, words } = desk.asker;
  const { groups } = desk.sheet;
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
              name: words.menu.toGroup(groupLabel(desk.sheet, toGroup, words)),
              value: { toGroup, to: lines.length },
            },
          ],
    ),
  ];
  const place = await prompts.select(words.menu.where, choices);
  desk.edit({ edit: 'move-line', group, line, ...place });
}
