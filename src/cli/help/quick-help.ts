import { NOUNS, TOPICS } from '../registry.ts';
import type { HelpStyle } from './help-style.ts';
import type { NounCommands } from './noun-commands.ts';
import { nounHelp } from './noun-help.ts';
import { rootHelp } from './root-help.ts';

const FLAGS = ['--help', '-h'];

/**
 * The page of help that the words ask for, if it can be printed without loading a command: the root's, a
 * noun's (`orders --help`, `help orders`) or a group's (`requisition draft --help`).
 */
export async function quickHelp(
  argv: readonly string[],
  style: () => HelpStyle,
  loadCommands: () => Promise<NounCommands>,
): Promise<string | undefined> {
  const words = argv[0] === 'help' ? argv.slice(1) : argv.slice(0, -1);
  const asks = argv[0] === 'help' || FLAGS.includes(argv.at(-1) ?? '--help');
  if (!asks || words.length > 2) return undefined;
  const [word, group] = words;
  if (word === undefined) return rootHelp(style());
  // A topic may have the name of a noun: `help import` is about files, `imports --help` about runs.
  if (argv[0] === 'help' && word in TOPICS) return undefined;
  const noun = NOUNS.find(({ name, alias }) => word === name || word === alias);
  if (noun === undefined) return undefined;
  const summary = group === undefined ? noun.summary : noun.groups?.[group];
  if (summary === undefined) return undefined;
  const commands = (await loadCommands())[noun.name] ?? [];
  // A noun that is itself a command (`proc api`) has a page of its own.
  if (commands.some(({ path }) => path.length === 1)) return undefined;
  return nounHelp([noun.name, ...words.slice(1)], summary, commands, style());
}
