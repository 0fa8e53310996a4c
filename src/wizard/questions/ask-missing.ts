import { groupLabel, lineItemLabel } from '../model/labels.ts';
import type { Answer } from '../model/model.ts';
import { nextQuestion, type Question } from '../model/questions.ts';
import { askAddress } from './ask-address.ts';
import { askDefinedAgain } from './ask-defined-again.ts';
import { askDefinition, askItem, askMoreFields } from './ask-lines.ts';
import { askSameItem } from './ask-same-item.ts';
import { askQuantity } from './asker.ts';
import type { Desk } from './draft-editor.ts';
import { changeGroup } from './group-menu.ts';
import { askOpenList, pasteList } from './paste-list.ts';

/** Asks whatever is still missing, up to the review. */
export async function settle(desk: Desk): Promise<void> {
  for (;;) {
    const question = nextQuestion(desk.sheet);
    if (question.ask === 'review') return;
    await ask(desk, question);
  }
}

/** Asks one question, with the present answer offered, and keeps the answer. */
export async function ask(desk: Desk, question: Question): Promise<void> {
  switch (question.ask) {
    case 'title':
      return askTitle(desk);
    case 'type':
    case 'code': {
      const { words } = desk.asker;
      const value = await askText(desk, words.heading[question.ask], desk.sheet[question.ask]);
      return desk.edit({ edit: 'change', change: { [question.ask]: value } });
    }
    case 'sector':
      return askSector(desk);
    case 'group':
      return desk.edit({ edit: 'add-group' });
    case 'group-name': {
      const { group } = question;
      const message = desk.asker.words.group.name(String(group + 1));
      const name = await askText(desk, message, desk.sheet.groups[group]?.name);
      return desk.edit({ edit: 'change-group', group, change: { name } });
    }
    case 'delivery':
      return askDelivery(desk, question.group);
    case 'address':
      return askAddress(desk, question.group);
    case 'list':
      return askOpenList(desk, question.group);
    case 'first-line':
    case 'more-lines':
      return askLines(desk, question.ask === 'first-line', question.group);
    case 'item':
      return askItem(desk, question);
    case 'item-field':
      return askDefinition(desk, question);
    case 'more-fields':
      return askMoreFields(desk, question);
    case 'same-item':
      return askSameItem(desk, question);
    case 'defined-again':
      return askDefinedAgain(desk, question);
    case 'quantity': {
      const { group, line } = question;
      const each = desk.sheet.groups[group]!.lines[line]!;
      const label = lineItemLabel(each, desk.asker.words);
      const quantity = await askQuantity(desk.asker, label, each.quantity);
      return desk.edit({ edit: 'change-line', group, line, change: { quantity } });
    }
    case 'review':
      return;
  }
}

async function askTitle(desk: Desk): Promise<void> {
  const { prompts, words } = desk.asker;
  const { title } = desk.sheet;
  const answer = await prompts.input(words.heading.title, {
    ...(title ? { default: title } : {}),
    validate: (text) => (text.trim() === '' ? words.heading.titleNeeded : undefined),
  });
  desk.edit({ edit: 'change', change: { title: answer.trim() } });
}

/** An answer that may be left out; where there is one already, `-` takes it away. */
async function askText(desk: Desk, question: string, current: Answer): Promise<Answer> {
  const { prompts, words } = desk.asker;
  if (!current) return (await prompts.input(question)).trim() || null;
  const answer = await prompts.input(words.heading.orNone(question), { default: current });
  return answer.trim() === '-' ? null : answer.trim() || null;
}

async function askSector(desk: Desk): Promise<void> {
  const { ctx, prompts, words, lookups } = desk.asker;
  const rows = await lookups.sectors();
  if (rows.length === 0) {
    const current = desk.sheet.sector?.value;
    const typed = await askText(desk, words.heading.sectorTyped, current);
    desk.edit({ edit: 'change', change: { sector: typed ? { value: typed } : null } });
    return;
  }
  const field = (await ctx.target()).dialect('requisitions').sectorValue;
  const choices = rows.flatMap((row) => {
    const value = row[field];
    if (typeof value !== 'string') return [];
    const label = [row.name, row.key].find((text) => typeof text === 'string') as
      | string
      | undefined;
    const name = [row.name, row.key].filter((text) => typeof text === 'string').join(' · ');
    return [{ name: name || value, value: { value, label } }];
  });
  const sector = await prompts.search(words.heading.sector, async (term) => {
    const wanted = term?.trim().toLowerCase() ?? '';
    const none = { name: words.heading.noSector, value: null };
    const found = choices.filter(({ name }) => name.toLowerCase().includes(wanted));
    // Who only presses Enter has chosen nothing.
    return wanted === '' ? [none, ...found] : [...found, none];
  });
  desk.edit({ edit: 'change', change: { sector } });
}

async function askDelivery(desk: Desk, group: number): Promise<void> {
  const { prompts, words } = desk.asker;
  const choices = [
    { name: words.group.deliver, value: 'delivery' as const },
    { name: words.group.pickup, value: 'pickup' as const },
  ];
  const at = desk.sheet.groups[group]?.deliveryMethod === 'pickup' ? 1 : 0;
  const deliveryMethod = await prompts.select(words.group.delivery, choices, at);
  desk.edit({ edit: 'change-group', group, change: { deliveryMethod } });
}

async function askLines(desk: Desk, isFirst: boolean, group: number): Promise<void> {
  const { prompts, words } = desk.asker;
  const label = groupLabel(desk.sheet, group, words);
  const choices = [
    { name: words.lines.search, value: 'search' as const },
    { name: words.lines.paste, value: 'paste' as const },
    ...(isFirst ? [] : [{ name: words.lines.done, value: 'done' as const }]),
    { name: words.lines.change, value: 'change' as const },
  ];
  const question = isFirst ? words.lines.first(label) : words.lines.more(label);
  switch (await prompts.select(question, choices)) {
    case 'search':
      return desk.edit({ edit: 'add-lines', group, lines: [{}] });
    case 'paste':
      return pasteList(desk, group);
    case 'done':
      return desk.edit({ edit: 'change-group', group, change: { isComplete: true } });
    case 'change':
      return changeGroup(desk, group, ask);
  }
}
