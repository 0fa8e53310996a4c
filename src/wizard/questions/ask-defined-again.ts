import { groupLabel } from '../model/labels.ts';
import { definedBefore } from '../model/questions.ts';
import type { DraftEditor } from './draft-editor.ts';

interface Place {
  readonly group: number;
  readonly line: number;
}

/**
 * A line cannot refer to an item that another line defines. So two lines that define the same item
 * would create two items.
 */
export async function askDefinedAgain(editor: DraftEditor, place: Place): Promise<void> {
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
