import type { Command } from 'commander';
import { ProcError } from '../../core/errors.ts';
import { nearest } from '../../core/text/nearest.ts';
import { commandPath } from '../help/help.ts';
import { loadTree } from '../tree.ts';

/** Thrown where commander cannot wait: a word stood where a noun or verb was expected. */
export class UnknownWord extends Error {
  readonly command: Command;
  readonly word: string;

  constructor(command: Command, word: string) {
    super(word);
    this.command = command;
    this.word = word;
  }
}

/** The error for it, with what was probably meant. */
export async function unknownCommand({ command, word }: UnknownWord): Promise<ProcError> {
  const words = commandPath(command);
  const known = command.commands.flatMap((child) => [child.name(), ...child.aliases()]);
  const meant = (await meantBy(word, words)) ?? suggested(words, nearest(word, known));
  // Behind `auth` people type the key itself.
  const typed = words === 'proc auth' && meant === undefined ? '***' : `"${word}"`;
  return new ProcError('unknown_command', `${words}: there is no command ${typed}`, {
    hint: meant === undefined ? `See what there is: ${words} --help` : `Did you mean: ${meant}`,
  });
}

/**
 * The commands below `proc …` in which a word stands further down: `draft` is a word of
 * `proc requisition draft`.
 */
export async function meantBy(
  word: string,
  above: string,
  start = 'proc',
): Promise<string | undefined> {
  const { nouns } = await loadTree();
  const found = new Set<string>();
  for (const { commands } of nouns) {
    for (const { path } of commands) {
      const at = path.indexOf(word);
      if (at > 0 && `proc ${path.join(' ')}`.startsWith(`${above} `)) {
        found.add(path.slice(0, at + 1).join(' '));
      }
    }
  }
  const [first, ...others] = found;
  if (first === undefined) return undefined;
  return `${start} ${first}${others.length === 0 ? '' : ` (or ${others.join(', ')})`}`;
}

function suggested(words: string, near: string | undefined): string | undefined {
  return near === undefined ? undefined : `${words} ${near}`;
}
