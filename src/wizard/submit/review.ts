import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Payload } from '../../compose/payload.ts';
import { groupLabel } from '../../compose/requisition-sheet.ts';
import { showSheet } from '../../compose/review-table.ts';
import { messageOf } from '../../core/errors.ts';
import type { Choice } from '../../core/ports.ts';
import { placeName } from '../../core/service-target.ts';
import { writeWholeFile } from '../../store/whole-file.ts';
import { commandLine, fileCommand } from '../model/command-line.ts';
import { questionFor } from '../model/questions.ts';
import { payloadOf } from '../model/to-payload.ts';
import { ask } from '../questions/ask-missing.ts';
import type { DraftEditor } from '../questions/draft-editor.ts';
import { changeGroup } from '../questions/group-menu.ts';

type Action =
  | 'submit'
  | 'fix'
  | 'title'
  | 'type'
  | 'sector'
  | 'code'
  | 'add-group'
  | 'save'
  | 'leave'
  | { readonly group: number };

export function showReview({ asker: { ports, words }, sheet }: DraftEditor): void {
  showSheet(sheet, words, ports);
}

/**
 * Asks for the next step and does it. Only `submit` and `leave` are left to the caller.
 *
 * @param isAtSave puts the cursor on `save`: after saving to a file, Enter must not send
 */
export async function review(
  editor: DraftEditor,
  isAtSave: boolean,
): Promise<'submit' | 'leave' | 'changed' | 'saved'> {
  const { prompts, words } = editor.asker;
  const { payload, problems } = payloadOf(editor.sheet);
  const [problem] = problems;
  const groups = editor.sheet.groups.map(
    ({ lines }, group): Choice<Action> => ({
      name: words.review.group(groupLabel(editor.sheet, group, words), String(lines.length)),
      value: { group },
    }),
  );
  const { ports } = editor.asker;
  const place = placeName(await ports.api.target());
  const choices: Choice<Action>[] = [
    ...(problem !== undefined
      ? [{ name: words.review.fix(words.problems[problem.code]), value: 'fix' as const }]
      : [{ name: words.review.submit(place), value: 'submit' as const }]),
    ...groups,
    { name: words.review.addGroup, value: 'add-group' },
    ...(['title', 'type', 'sector', 'code'] as const).map((field) => ({
      name: words.review[field],
      value: field,
    })),
    ...(payload === undefined ? [] : [{ name: words.review.save, value: 'save' as const }]),
    { name: words.review.leave, value: 'leave' },
  ];
  const at = choices.findIndex(({ value }) => value === (isAtSave ? 'save' : choices[0]!.value));
  const action = await prompts.select(words.review.question, choices, Math.max(0, at));
  if (action === 'submit' || action === 'leave') return action;
  if (action === 'save') {
    await saveToFile(editor, payload!);
    return 'saved';
  }
  if (typeof action === 'object') await changeGroup(editor, action.group, ask);
  else if (action === 'add-group') editor.edit({ edit: 'add-group' });
  else if (action === 'fix')
    await ask(editor, questionFor(problem!.field, editor.sheet) ?? { ask: 'title' });
  else await ask(editor, { ask: action });
  return 'changed';
}

async function saveToFile(editor: DraftEditor, payload: Payload): Promise<void> {
  const { ports, prompts, words } = editor.asker;
  let suggested = 'requisition.json';
  for (;;) {
    const name = (await prompts.input(words.save.file, { default: suggested })).trim();
    // `~` is expanded here, because no shell does it for typed answers.
    const home = name.startsWith('~/') ? ports.self.env.HOME : undefined;
    const file = home === undefined ? resolve(ports.self.cwd, name) : join(home, name.slice(2));
    if (existsSync(file) && !(await prompts.confirm(words.save.exists(name), false))) return;
    try {
      write(file, payload);
    } catch (thrown) {
      const beside = (thrown as { path?: string }).path ?? file;
      const why = messageOf(thrown).replaceAll(beside, file);
      ports.io.say({ kind: 'warning', text: `${name}: ${why}` });
      suggested = name;
      continue;
    }
    const shown = home === undefined ? name : file;
    ports.io.say({
      kind: 'notice',
      text: `${words.save.saved(shown)}\n  ${fileCommand(shown, ports.self.flags)}\n${words.save.command}\n  ${commandLine(editor.sheet, ports.self.flags)}`,
    });
    return;
  }
}

function write(file: string, payload: Payload): void {
  writeWholeFile(file, `${JSON.stringify(payload, undefined, 2)}\n`);
}
