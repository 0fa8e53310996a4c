import { Command, Help } from 'commander';
import type { CommandSpec, FlagSpecs } from './core/command-spec.ts';
import { GLOBAL_FLAGS, sharedFlags } from './core/global-flags.ts';
import { kebab } from './core/wording.ts';
import { addVerbs, declare, examplesText, pathOf } from './program.ts';
import { loadTree, NOUNS, rootHelp } from './registry.ts';

const WIDTH = 80;

/**
 * Every page of help by its words: `''`, `orders`, `orders list`, `all`. The build replaces this file with the result
 * of the function, so a page loads neither commander nor a command.
 */
export async function helpPages(): Promise<Readonly<Record<string, string>>> {
  const { nouns } = await loadTree();
  const commands = nouns.flatMap((noun) => noun.commands);
  const pages: Record<string, string> = { '': rootHelp(), all: allCommands(commands) };
  for (const noun of NOUNS) {
    const program = new Command('proc').helpCommand(false).configureHelp({
      helpWidth: WIDTH,
      subcommandTerm: (command) => command.name(),
      // What stands for a missing value is no text for people.
      optionDescription: (option) =>
        new Help().optionDescription(option).replace(/ \(preset: [^)]*\)$/, ''),
      commandUsage: (command) => ['proc', ...pathOf(command), command.usage()].join(' '),
    });
    const missing = noun.notInApi === undefined ? '' : `\nNot in the API: ${noun.notInApi}.\n`;
    addVerbs(program.command(noun.name), noun, (command, words) => {
      const path = [noun.name, ...words];
      const inside = commands.filter((one) =>
        path.every((word, depth) => one.path[depth] === word),
      );
      const own = inside.find((one) => one.path.length === path.length);
      const text = own?.summary ?? noun.groups?.[words.join(' ')] ?? noun.summary;
      command.summary(text);
      if (own !== undefined) return declare(command, own);
      // Two examples of different verbs.
      const examples = [0, 1].flatMap((nth) => inside.flatMap((one) => one.examples[nth] ?? []));
      command.description(`${text}.`).usage('<verb> [flags]');
      return command.addHelpText('after', `${examplesText(examples)}${missing}`);
    });
    addPages(program.commands[0]!, pages);
  }
  return pages;
}

function addPages(command: Command, pages: Record<string, string>): void {
  let text = '';
  command.configureOutput({
    getOutHelpWidth: () => WIDTH,
    writeOut(part) {
      text += part;
    },
  });
  command.outputHelp();
  pages[pathOf(command).join(' ')] = text;
  for (const below of command.commands) addPages(below, pages);
}

/** `proc --help all`: a line for each command with the names of its flags. */
function allCommands(commands: readonly CommandSpec[]): string {
  const names = (flags: FlagSpecs) => Object.keys(flags).map((key) => `--${kebab(key)}`);
  const lines = commands.map((spec) =>
    ['proc', ...spec.path, ...names({ ...spec.flags, ...sharedFlags(spec) })].join(' '),
  );
  return `${lines.join('\n')}\nEvery command: ${names(GLOBAL_FLAGS).join(' ')} --help\n`;
}
