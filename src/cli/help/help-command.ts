import type { Command } from 'commander';
import { ProcError } from '../../core/errors.ts';
import { nearest } from '../../core/text/nearest.ts';
import { wrapPage } from '../../terminal/wrap-page.ts';
import { addCommand, helpTail, type Runtime } from '../bind.ts';
import { HELP_NOUN, loadTopics, NOUNS, type Noun, TOPICS } from '../registry.ts';
import { meantBy } from '../words/unknown-command.ts';
import { commandPath } from './help.ts';
import { asksForHelp, wordsBeforeFlags } from './refused-help.ts';

/** `proc help`, `proc help TOPIC`, `proc help NOUN [VERB…]`: commander's own knows no topics. */
export function addHelpCommand(
  program: Command,
  load: (noun: Noun, command: Command) => Promise<unknown>,
  runtime: Pick<Runtime, 'examples'>,
): void {
  const topics = Object.entries(TOPICS).map(([name, summary]) => `  ${name.padEnd(14)}${summary}`);
  addCommand(program, HELP_NOUN.name)
    .description(`${HELP_NOUN.summary}.`)
    .argument('[words...]', HELP_NOUN.args.words.doc)
    .addHelpText('after', () => {
      const width = program.configureOutput().getOutHelpWidth?.() ?? 80;
      const list = wrapPage(`\nTopics:\n${topics.join('\n')}`, width);
      return `${list.trimEnd()}\n${helpTail(HELP_NOUN, runtime, width)}`;
    })
    .action(async (words: readonly string[]) => {
      const [first] = words;
      if (first !== undefined && isTopic(words)) {
        const topicText = await loadTopics();
        const { writeOut, getOutHelpWidth } = program.configureOutput();
        writeOut?.(wrapPage(topicText(first), getOutHelpWidth?.() ?? 80));
        return;
      }
      (await commandAt(program, words, load)).outputHelp();
    });
  // Commander shows help before it looks at words: those of no command would pass with 0.
  program.hook('preSubcommand', async (_, command) => {
    if (command.name() !== HELP_NOUN.name || !asksForHelp(program.args)) return;
    const words = wordsBeforeFlags(program.args).slice(1);
    if (!isTopic(words)) await commandAt(program, words, load);
  });
}

function isTopic(words: readonly string[]): boolean {
  return words.length === 1 && Object.hasOwn(TOPICS, words[0]!);
}

async function commandAt(
  program: Command,
  words: readonly string[],
  load: (noun: Noun, command: Command) => Promise<unknown>,
): Promise<Command> {
  let at = program;
  for (const word of words) {
    const next = at.commands.find(
      (command) => command.name() === word || command.aliases().includes(word),
    );
    if (next === undefined) throw await unknown(at, words, word);
    if (at === program) {
      const noun = NOUNS.find(({ name }) => name === next.name());
      if (noun !== undefined) await load(noun, next);
    }
    at = next;
  }
  return at;
}

async function unknown(at: Command, words: readonly string[], word: string): Promise<ProcError> {
  const known = at.commands.map((command) => command.name());
  const candidates = at.parent === null ? [...known, ...Object.keys(TOPICS)] : known;
  const near = nearest(word, candidates);
  const meant =
    (await meantBy(word, commandPath(at), 'proc help')) ??
    (near === undefined ? undefined : `${commandPath(at).replace('proc', 'proc help')} ${near}`);
  return new ProcError('unknown_command', `there is no help on "${words.join(' ')}"`, {
    hint: meant === undefined ? 'See what there is: proc help' : `Did you mean: ${meant}`,
  });
}
