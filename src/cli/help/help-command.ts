import type { Command } from 'commander';
import { ProcError } from '../../core/errors.ts';
import { nearest } from '../../core/text/nearest.ts';
import { addCommand, type Runtime } from '../bind.ts';
import { optionOf } from '../flags/flag-options.ts';
import { HELP_NOUN, loadSkill, loadTopics, NOUNS, type Noun, TOPICS } from '../registry.ts';
import { loadTree } from '../tree.ts';
import { meantBy } from '../words/unknown-command.ts';
import { commandHelp } from './command-help.ts';
import { helpNounPage } from './pages/help-noun-page.ts';
import { asksForHelp, wordsBeforeFlags } from './refused-help.ts';

/** Commander's own `help` command has no topics. */
export function addHelpCommand(
  program: Command,
  load: (noun: Noun, command: Command) => Promise<unknown>,
  runtime: Pick<Runtime, 'examples' | 'helpStyle' | 'manPage'>,
): void {
  const help = addCommand(program, HELP_NOUN.name).argument('[words...]');
  for (const [key, flag] of Object.entries(HELP_NOUN.flags)) help.addOption(optionOf(key, flag));
  help
    .configureHelp({
      formatHelp: () => commandHelp(helpNounPage(), runtime.helpStyle(), runtime.examples),
    })
    .action(async (words: readonly string[], flags: { man?: true; skill?: true }) => {
      const [first] = words;
      if (flags.skill === true) {
        const skillText = await loadSkill();
        program.configureOutput().writeOut?.(skillText(await loadTree()));
        return;
      }
      if (flags.man === true) {
        const noun = first === undefined ? undefined : await commandAt(program, [first], load);
        await runtime.manPage(noun?.name());
        return;
      }
      if (first !== undefined && isTopic(words)) {
        const topicText = await loadTopics();
        program.configureOutput().writeOut?.(topicText(first, runtime.helpStyle()));
        return;
      }
      (await commandAt(program, words, load)).outputHelp();
    });
  // Without this hook, `proc help lsit --help` would show help and exit with 0.
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
  return new ProcError('unknown_command', `there is no help for "${words.join(' ')}"`, {
    hint: meant === undefined ? 'See the help: proc help' : `Did you mean: ${meant}`,
  });
}

function commandPath(command: Command): string {
  const names: string[] = [];
  for (let at: Command | null = command; at !== null; at = at.parent) names.unshift(at.name());
  return names.join(' ');
}
