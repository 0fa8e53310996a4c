import { type Answer, groupLabel, lineItemLabel } from '../../compose/requisition-sheet.ts';
import {
  definedBefore,
  nextQuestion,
  previousQuestion,
  type Question,
} from '../model/questions.ts';
import { askAddress } from './ask-address.ts';
import { askDefinition, askItem, askMoreFields } from './ask-lines.ts';
import { askSameItem } from './ask-same-item.ts';
import { askQuantity } from './asker.ts';
import type { DraftEditor } from './draft-editor.ts';
import { WentBack } from './going-back.ts';
import { changeGroup } from './group-menu.ts';
import { askOpenList, pasteList } from './paste-list.ts';

export async function askMissing(editor: DraftEditor): Promise<void> {
  const { ports, words } = editor.asker;
  let question = nextQuestion(editor.sheet);
  while (question.ask !== 'review') {
    const outcome = await ask(editor, question);
    const before = outcome === 'back' ? previousQuestion(editor.sheet, question) : undefined;
    if (outcome === 'back' && before === undefined) {
      ports.io.say({ kind: 'notice', text: words.firstQuestion });
    }
    question = before ?? nextQuestion(editor.sheet);
  }
}

/** @returns 'back' if the person goes back without an answer */
export async function ask(editor: DraftEditor, question: Question): Promise<'answered' | 'back'> {
  try {
    await answer(editor, question);
    return 'answered';
  } catch (thrown) {
    if (thrown instanceof WentBack) return 'back';
    throw thrown;
  }
}

async function answer(editor: DraftEditor, question: Question): Promise<void> {
  switch (question.ask) {
    case 'title':
      return askTitle(editor);
    case 'type':
    case 'code': {
      const { words } = editor.asker;
      const value = await askText(editor, words.heading[question.ask], editor.sheet[question.ask]);
      return editor.edit({ edit: 'change', change: { [question.ask]: value } });
    }
    case 'sector':
      return askSector(editor);
    case 'group':
      return editor.edit({ edit: 'add-group' });
    case 'group-name': {
      const { group } = question;
      const message = editor.asker.words.group.name(String(group + 1));
      const name = await askText(editor, message, editor.sheet.groups[group]?.name);
      return editor.edit({ edit: 'change-group', group, change: { name } });
    }
    case 'delivery':
      return askDelivery(editor, question.group);
    case 'address':
      return askAddress(editor, question.group);
    case 'list':
      return askOpenList(editor, question.group);
    case 'first-line':
    case 'more-lines':
      return askLines(editor, question.ask === 'first-line', question.group);
    case 'item':
      return askItem(editor, question);
    case 'item-field':
      return askDefinition(editor, question);
    case 'more-fields':
      return askMoreFields(editor, question);
    case 'same-item':
      return askSameItem(editor, question);
    case 'defined-again':
      return askDefinedAgain(editor, question);
    case 'quantity': {
      const { steps, words } = editor.asker;
      const { group, line } = question;
      const each = editor.sheet.groups[group]!.lines[line]!;
      const label = lineItemLabel(each, words);
      const quantity = await askQuantity({ prompts: steps, words }, label, each.quantity);
      return editor.edit({ edit: 'change-line', group, line, change: { quantity } });
    }
    case 'review':
      return;
  }
}

async function askTitle(editor: DraftEditor): Promise<void> {
  const { steps, words } = editor.asker;
  const { title } = editor.sheet;
  const typed = await steps.input(words.heading.title, {
    ...(title ? { default: title } : {}),
    validate: (text) => (text.trim() === '' ? words.heading.titleNeeded : undefined),
  });
  editor.edit({ edit: 'change', change: { title: typed.trim() } });
}

/** Asks for an optional text; `-` removes an earlier answer. */
async function askText(editor: DraftEditor, question: string, current: Answer): Promise<Answer> {
  const { steps, words } = editor.asker;
  if (!current) return (await steps.input(question)).trim() || null;
  const typed = await steps.input(words.heading.orNone(question), { default: current });
  return typed.trim() === '-' ? null : typed.trim() || null;
}

async function askSector(editor: DraftEditor): Promise<void> {
  const { ports, steps, words, lookups } = editor.asker;
  const rows = await lookups.sectors();
  if (rows.length === 0) {
    const current = editor.sheet.sector?.value;
    const typed = await askText(editor, words.heading.sectorTyped, current);
    editor.edit({ edit: 'change', change: { sector: typed ? { value: typed } : null } });
    return;
  }
  const field = (await ports.api.target()).dialect('requisitions').sectorValue;
  const choices = rows.flatMap((row) => {
    const value = row[field];
    if (typeof value !== 'string') return [];
    const label = [row.name, row.key].find((text) => typeof text === 'string') as
      | string
      | undefined;
    const name = [row.name, row.key].filter((text) => typeof text === 'string').join(' · ');
    return [{ name: name || value, value: { value, label } }];
  });
  const present = choices.filter(({ value }) => value.value === editor.sheet.sector?.value);
  const sector = await steps.search(words.heading.sector, async (term) => {
    const wanted = term?.trim().toLowerCase() ?? '';
    const none = { name: words.heading.noSector, value: null };
    const found = choices.filter(({ name }) => name.toLowerCase().includes(wanted));
    if (wanted !== '') return [...found, none];
    // Enter selects the first choice: the current sector, or "no sector" if there is none.
    return [...present, none, ...found.filter((each) => !present.includes(each))];
  });
  editor.edit({ edit: 'change', change: { sector } });
}

async function askDelivery(editor: DraftEditor, group: number): Promise<void> {
  const { steps, words } = editor.asker;
  const choices = [
    { name: words.group.deliver, value: 'delivery' as const },
    { name: words.group.pickup, value: 'pickup' as const },
  ];
  const before = editor.sheet.groups[group]?.deliveryMethod;
  const at = before === 'pickup' ? 1 : 0;
  const deliveryMethod = await steps.select(words.group.delivery, choices, at);
  // An address belongs to a delivery, so each change of the method forgets it.
  const change =
    before === undefined || before === deliveryMethod
      ? { deliveryMethod }
      : { deliveryMethod, address: undefined };
  editor.edit({ edit: 'change-group', group, change });
}

async function askLines(editor: DraftEditor, isFirst: boolean, group: number): Promise<void> {
  const { steps, words } = editor.asker;
  const label = groupLabel(editor.sheet, group, words);
  const choices = [
    { name: words.lines.search, value: 'search' as const },
    { name: words.lines.paste, value: 'paste' as const },
    ...(isFirst ? [] : [{ name: words.lines.done, value: 'done' as const }]),
    { name: words.lines.change, value: 'change' as const },
  ];
  const question = isFirst ? words.lines.first(label) : words.lines.more(label);
  switch (await steps.select(question, choices)) {
    case 'search':
      return editor.edit({ edit: 'add-lines', group, lines: [{}] });
    case 'paste':
      return pasteList(editor, group);
    case 'done':
      return editor.edit({ edit: 'change-group', group, change: { isComplete: true } });
    case 'change':
      return changeGroup(editor, group, ask);
  }
}

interface Place {
  readonly group: number;
  readonly line: number;
}

/**
 * A line cannot refer to an item that another line defines. So two lines that define the same item
 * would create two items.
 */
async function askDefinedAgain(editor: DraftEditor, place: Place): Promise<void> {
  const { prompts, words } = editor.asker;
  const before = definedBefore(editor.sheet, place.group, place.line);
  if (before === undefined) return;
  const [own, earlier] = [place, before].map(
    ({ group, line }) => editor.sheet.groups[group]!.lines[line]!,
  );
  const name = (own!.item?.kind === 'new' && own!.item.fields.name) || words.item.unnamed;
  const sum = (earlier!.quantity ?? 0) + (own!.quantity ?? 0);
  const where = groupLabel(editor.sheet, before.group, words);
  const action = await prompts.select(words.twice.question(name), [
    { name: words.twice.together(String(sum), where), value: 'together' as const },
    { name: words.twice.codes, value: 'codes' as const },
    { name: words.twice.two(name), value: 'two' as const },
  ]);
  if (action === 'together') {
    editor.edit(
      { edit: 'change-line', ...before, change: { quantity: sum } },
      { edit: 'remove-line', ...place },
    );
  } else if (action === 'two') {
    editor.edit({ edit: 'change-line', ...place, change: { isOwnItem: true } });
  } else {
    // `undefined` makes the wizard ask for the code. `null` would mean that the item has no code.
    const codeless = [before, place].filter(({ group, line }) => {
      const { item } = editor.sheet.groups[group]!.lines[line]!;
      return item?.kind === 'new' && !item.fields.code;
    });
    const change = { fields: { code: undefined } };
    editor.edit(...codeless.map((one) => ({ edit: 'change-item', ...one, change }) as const));
  }
}
