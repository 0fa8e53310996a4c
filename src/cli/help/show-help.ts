import { existsSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import type { CommandSpec } from '../../core/command-spec.ts';
import { ProcError } from '../../core/errors.ts';
import { synonymsBelow } from '../../core/text/synonyms.ts';
import { visibleLines } from '../../terminal/sanitise.ts';
import { writeNow } from '../../terminal/write.ts';
import type { Parsed } from '../parse.ts';
import { HELP_NOUN, loadTopics, NOUNS, TOPICS } from '../registry.ts';
import type { Surroundings } from '../wire/open-ports.ts';
import { commandHelp } from './command-help.ts';
import { type HelpStyle, helpStyle } from './help-style.ts';
import { nounHelp } from './noun-help.ts';
import { allPages } from './pages/all-pages.ts';
import { rootHelp } from './root-help.ts';

/**
 * Prints what `--help`, `proc help WORDS` or a noun without a verb asks for. Loads no command.
 *
 * @throws ProcError `unknown_command` for words after `help` that lead nowhere
 */
export async function showHelp(
  asked: Extract<Parsed, { kind: 'page' | 'help' }>,
  surroundings: Surroundings,
): Promise<void> {
  const { streams, env } = surroundings;
  const style = helpStyle(streams, env, asked.color);
  const print = (text: string) => writeNow(streams.stdout, text);
  if (asked.kind === 'page') return print(await pageText(asked.path, style, surroundings));
  const { words, shows } = asked;
  if (shows === 'json') {
    const path = (await pathMeant(words)).join(' ');
    const { commandList } = await import('../../schema/command-list.ts');
    const isWanted = (spec: CommandSpec) =>
      `${spec.path.join(' ')} `.startsWith(path === '' ? '' : `${path} `);
    return print(`${JSON.stringify(commandList(await wholeTree(), isWanted), null, 2)}\n`);
  }
  // `import` is a topic and an alias of `imports`. `help import` shows the topic.
  if (words.length === 1 && Object.hasOwn(TOPICS, words[0]!)) {
    const { topicText } = await loadTopics();
    return print(topicText(words[0]!, style));
  }
  print(await pageText(await pathMeant(words), style, surroundings));
}

/**
 * The page of `proc WORDS --help`, for words that are exactly the path of a noun, a group or a command: nothing else
 * of the command line need be read.
 */
export async function pageAt(
  words: readonly string[],
  style: HelpStyle,
  self: Self,
): Promise<string | undefined> {
  const pages = Object.entries(await allPages()).find(([name]) => name === words[0])?.[1] ?? [];
  const isPath = pages.some(({ path }) => words.every((word, at) => path[at] === word));
  return isPath ? pageText(words, style, self) : undefined;
}

async function pageText(path: readonly string[], style: HelpStyle, self: Self): Promise<string> {
  const [name, group] = path;
  if (name === undefined) return rootHelp(style);
  const pages = (await allPages())[name]!;
  const page = pages.find((one) => one.path.join(' ') === path.join(' '));
  if (page !== undefined) return commandHelp(page, style, () => examplesFolder(self));
  const noun = NOUNS.find((one) => one.name === name)!;
  const summary = group === undefined ? noun.summary : noun.groups![group]!;
  return nounHelp({ path, summary, commands: pages }, style, () => examplesFolder(self));
}

/** The path of a noun, group or command, with aliases replaced. */
async function pathMeant(words: readonly string[]): Promise<readonly string[]> {
  const [first, ...rest] = words;
  if (first === undefined) return [];
  const name = [...NOUNS, HELP_NOUN].find(
    (noun) => noun.name === first || ('aliases' in noun && noun.aliases?.includes(first)),
  )?.name;
  if (name === undefined) throw await noHelp([], words, first);
  const commands = (await allPages())[name]!;
  const path = [name];
  for (const word of rest) {
    const verb = synonymsBelow(path, commands).get(word) ?? word;
    const next = [...path, verb];
    if (!commands.some((one) => next.every((step, at) => one.path[at] === step))) {
      throw await noHelp(path, words, word);
    }
    path.push(verb);
  }
  return path;
}

async function noHelp(
  path: readonly string[],
  words: readonly string[],
  word: string,
): Promise<ProcError> {
  const { helpMeant } = await import('../hints.ts');
  const meant = await helpMeant(path, word, Object.keys(TOPICS));
  return new ProcError('unknown_command', `there is no help for "${words.join(' ')}"`, {
    hint: meant === undefined ? 'See the help: proc help' : `Did you mean: ${meant}`,
  });
}

/** In a chunk of its own: pages of help do not need the tree. */
async function wholeTree() {
  return (await import('../tree.ts')).loadTree();
}

type Self = Pick<Surroundings, 'selfCommand'>;

/** The script may be started by a link, so its real path is needed. */
function packageFolder(name: string, { selfCommand }: Self): string {
  const script = selfCommand.at(-1) ?? '';
  return resolve(existsSync(script) ? realpathSync(script) : script, '../..', name);
}

function examplesFolder(self: Self): string {
  return visibleLines(packageFolder('examples', self));
}
