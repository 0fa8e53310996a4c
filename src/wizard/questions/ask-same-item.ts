import { groupLabel, lineItemLabel, lineLabel } from '../../compose/requisition-sheet.ts';
import type { Edit } from '../model/model.ts';
import { earlierLine } from '../model/questions.ts';
import type { DraftEditor } from './draft-editor.ts';

interface Place {
  readonly group: number;
  readonly line: number;
}

type Action = 'add' | 'replace' | 'leave' | 'separate';

export async function askSameItem(editor: DraftEditor, place: Place): Promise<void> {
  const { prompts, words } = editor.asker;
  const found = pairAt(editor, place);
  if (found === undefined) return;
  const { line, before, earlier } = found;
  const [old, now] = [before.quantity ?? 0, line.quantity ?? 0];
  const where = groupLabel(editor.sheet, place.group, words);
  const action = await prompts.select<Action>(
    words.same.question(lineItemLabel(line, words), String(old), String(now), where),
    [
      { name: words.same.add(String(old + now)), value: 'add' },
      { name: words.same.replace(String(now)), value: 'replace' },
      { name: words.same.leave(String(old)), value: 'leave' },
      { name: words.same.separate(String(old), String(now)), value: 'separate' },
    ],
  );
  const others = placesAfter(editor, place).length;
  const isForAll = others > 0 && (await prompts.confirm(words.same.forAll(String(others)), false));
  // Saves all edits of a line at once. Killed between two saves, the wizard could count a quantity
  // twice.
  editor.edit(...editsFor(editor, { ...place, earlier }, action));
  if (!isForAll) return;
  for (let next = placesAfter(editor, { ...place, line: 0 })[0]; next !== undefined; ) {
    const { earlier: first } = pairAt(editor, next)!;
    editor.edit(...editsFor(editor, { ...next, earlier: first }, action));
    next = placesAfter(editor, { ...place, line: 0 })[0];
  }
}

function pairAt(editor: DraftEditor, { group, line }: Place) {
  const { lines } = editor.sheet.groups[group]!;
  const earlier = earlierLine(lines, line);
  return earlier === undefined
    ? undefined
    : { earlier, before: lines[earlier]!, line: lines[line]! };
}

function placesAfter(editor: DraftEditor, { group, line }: Place): Place[] {
  const { lines } = editor.sheet.groups[group]!;
  return lines.flatMap((each, at) =>
    at > line && each.quantity !== undefined && earlierLine(lines, at) !== undefined
      ? [{ group, line: at }]
      : [],
  );
}

function editsFor(
  editor: DraftEditor,
  { group, line, earlier }: Place & { readonly earlier: number },
  action: Action,
): Edit[] {
  const { lines } = editor.sheet.groups[group]!;
  const [old, now] = [lines[earlier]!.quantity ?? 0, lines[line]!.quantity ?? 0];
  switch (action) {
    case 'add':
    case 'replace': {
      const quantity = action === 'add' ? old + now : now;
      return [
        { edit: 'change-line', group, line: earlier, change: { quantity } },
        { edit: 'remove-line', group, line },
      ];
    }
    case 'leave': {
      const text = lineLabel(lines[line]!, editor.asker.words);
      return [{ edit: 'leave-out', group, line, text }];
    }
    case 'separate':
      return [{ edit: 'change-line', group, line, change: { isSeparate: true } }];
  }
}
