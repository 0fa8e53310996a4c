import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { messageOf } from '../../core/errors.ts';
import type { Payload } from '../../nouns/shared/lines/reorder.ts';
import { writeWholeFile } from '../../store/whole-file.ts';
import { commandLine, fileCommand } from '../model/command-line.ts';
import type { DraftEditor } from '../questions/draft-editor.ts';

export async function saveToFile(editor: DraftEditor, payload: Payload): Promise<void> {
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
