import { type ListLine, readList, shownLine } from '../../compose/list-lines.ts';
import { matchLine } from '../../compose/match-line.ts';
import { groupLabel, type Line } from '../../compose/requisition-sheet.ts';
import type { Edit } from '../model/model.ts';
import type { DraftEditor } from './draft-editor.ts';
import { known } from './pick-item.ts';

/**
 * Each pasted line is saved in the draft when it arrives, so that an interrupted list is not lost.
 *
 * @param before lines of the list that were saved before an interruption
 */
export async function pasteList(
  editor: DraftEditor,
  group: number,
  before: readonly string[] = [],
): Promise<void> {
  const { prompts, words } = editor.asker;
  const pasted = await prompts.lines(words.lines.pasteHere, {
    onLines: (lines) =>
      editor.edit({ edit: 'change-group', group, change: { pasted: [...before, ...lines] } }),
  });
  await takeList(editor, group, [...before, ...pasted]);
}

export async function askOpenList(editor: DraftEditor, group: number): Promise<void> {
  const { prompts, words } = editor.asker;
  const pasted = editor.sheet.groups[group]?.pasted ?? [];
  const { openList } = words.lines;
  const last = shownLine(pasted.at(-1) ?? '');
  const label = groupLabel(editor.sheet, group, words);
  const action = await prompts.select(openList.question(label, String(pasted.length), last), [
    { name: openList.take, value: 'take' as const },
    { name: openList.goOn, value: 'go-on' as const },
    { name: openList.discard, value: 'discard' as const },
  ]);
  if (action === 'take') return takeList(editor, group, pasted);
  if (action === 'go-on') return pasteList(editor, group, pasted);
  editor.edit({ edit: 'change-group', group, change: { pasted: undefined } });
}

async function takeList(
  editor: DraftEditor,
  group: number,
  pasted: readonly string[],
): Promise<void> {
  const { ports, words } = editor.asker;
  const read = readList(pasted.join('\n'));
  const ended: Edit = { edit: 'change-group', group, change: { pasted: undefined } };
  if (read.length === 0) {
    if (pasted.length > 0) editor.edit(ended);
    ports.io.say({ kind: 'notice', text: words.lines.pastedNothing });
    return;
  }
  // Saved before any look-up, so that the list is not lost if the service does not answer.
  const lines = read.map(({ text, readings }): Line => {
    const quantity = readings.length === 1 ? readings[0]!.quantity : undefined;
    return { text, quantity };
  });
  editor.edit({ edit: 'add-lines', group, lines }, ended);
  if ((await matchPasted(editor, group)) > 0) return;
  ports.io.say({ kind: 'notice', text: words.lines.pasted('0', String(lines.length)) });
}

/**
 * Looks up the pasted lines of a group and sets the items that match for sure.
 *
 * @returns how many lines got an item
 * @throws ProcError if the catalogue cannot be read, before any line changes
 */
export async function matchPasted(editor: DraftEditor, group: number): Promise<number> {
  const { ports, words, lookups } = editor.asker;
  const catalogue = await lookups.catalogue();
  const open = editor.sheet.groups[group]!.lines.flatMap((line, at) =>
    line.item === undefined && line.text !== undefined ? [{ line, at }] : [],
  );
  const edits = open.flatMap(({ line, at }): { isSure: boolean; edit: Edit }[] => {
    const listed = listLineOf(line);
    if (listed === undefined) return [];
    const match = matchLine(listed, catalogue);
    const place = { edit: 'change-line', group, line: at } as const;
    if (match.kind === 'sure') {
      const { item, quantity } = match;
      const change = { item: known(item), quantity, text: undefined };
      return [{ isSure: true, edit: { ...place, change } }];
    }
    const { quantity } = match;
    if (quantity === undefined || line.quantity !== undefined) return [];
    return [{ isSure: false, edit: { ...place, change: { quantity } } }];
  });
  const sure = edits.filter(({ isSure }) => isSure).length;
  if (edits.length > 0) editor.edit(...edits.map(({ edit }) => edit));
  if (sure > 0) {
    const text = words.lines.pasted(String(sure), String(open.length - sure));
    ports.io.say({ kind: 'notice', text });
  }
  return sure;
}

/**
 * Parses the stored text of a line. Without the header of its list, the text may have several
 * readings. If some of them have the stored quantity, the others are left out.
 */
function listLineOf({ text, quantity }: Line): ListLine | undefined {
  const [line] = readList(text ?? '');
  if (line === undefined || quantity === undefined) return line;
  const readings = line.readings.filter((reading) => reading.quantity === quantity);
  return readings.length === 0 ? line : { ...line, readings };
}
