import { HELP_NOUN, NOUNS, TOPICS } from '../registry.ts';
import { verbSynonyms } from '../words/verb-synonyms.ts';
import { commandHelp } from './command-help.ts';
import type { HelpStyle } from './help-style.ts';
import { nounHelp } from './noun-help.ts';
import type { allPages } from './pages/all-pages.ts';
import { rootHelp } from './root-help.ts';

const FLAGS = ['--help', '-h'];

/**
 * The page of help that the words ask for: the root's, a noun's (`orders --help`, `help orders`), a group's
 * (`requisition draft --help`) or a command's (`orders list --help`). Loads no command.
 *
 * @returns undefined for topics and for words without a page: the caller must then parse the whole command line
 */
export async function quickHelp(
  argv: readonly string[],
  style: () => HelpStyle,
  loadPages: typeof allPages,
  examplesFolder: () => string,
): Promise<string | undefined> {
  const hasFlag = FLAGS.includes(argv.at(-1) ?? '--help');
  const asksTopic = argv[0] === HELP_NOUN.name && !hasFlag;
  if (!hasFlag && !asksTopic) return undefined;
  const [word, ...rest] = asksTopic ? argv.slice(1) : argv.slice(0, -1);
  if (word === undefined) return rootHelp(style());
  // A topic may have the name of a noun: `help import` is about files, `imports --help` about runs.
  if (asksTopic && word in TOPICS) return undefined;
  const noun = NOUNS.find(({ name, alias }) => word === name || word === alias);
  const commands = (await loadPages())[noun?.name ?? word];
  if (commands === undefined) return undefined;
  const path = [noun?.name ?? word];
  for (const next of rest) path.push(verbSynonyms(path, commands).get(next) ?? next);
  const command = commands.find((one) => one.path.join(' ') === path.join(' '));
  if (command !== undefined) return commandHelp(command, style(), examplesFolder);
  const [, group, ...deeper] = path;
  if (deeper.length > 0) return undefined;
  const summary = group === undefined ? noun?.summary : noun?.groups?.[group];
  return summary === undefined ? undefined : nounHelp(path, summary, commands, style());
}
