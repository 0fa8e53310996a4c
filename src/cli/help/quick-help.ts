import { HELP_NOUN, NOUNS, TOPICS } from '../registry.ts';
import { verbSynonyms } from '../words/verb-synonyms.ts';
import { commandHelp } from './command-help.ts';
import type { HelpStyle } from './help-style.ts';
import { nounHelp } from './noun-help.ts';
import type { allPages } from './pages/all-pages.ts';
import { rootHelp } from './root-help.ts';

const FLAGS = ['--help', '-h'];

/**
 * Finds the help page for `orders --help`, `help orders` or `orders list --help`. Loads no command.
 *
 * @returns undefined for topics, for unknown words, and if the user did not ask for help: the caller
 * then parses the whole command line
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
  // `import` is a topic and an alias of `imports`. `help import` shows the topic.
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
