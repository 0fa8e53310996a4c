import { Command, CommanderError } from 'commander';
import type { GlobalFlags } from '../core/ports.ts';
import { VERSION } from '../core/proc-version.ts';
import { addCommand, bindNoun, type Runtime, showHelp } from './bind.ts';
import { optionOf } from './flags/flag-options.ts';
import { GLOBAL_FLAGS } from './flags/globals.ts';
import { addHelpCommand } from './help/help-command.ts';
import type { HelpStyle } from './help/help-style.ts';
import { rootHelp } from './help/root-help.ts';
import { HELP_NOUN, NOUNS, type Noun } from './registry.ts';

/**
 * Creates commander's tree. The verbs of a noun are added when the noun is used.
 *
 * @param path the noun and verb of this command line, if known: all others are left out, to save
 * time
 */
export function createProgram(
  surroundings: Omit<Runtime, 'helpStyle'>,
  writeHelp: (text: string) => void,
  styleFor: (color: GlobalFlags['color']) => HelpStyle,
  path: readonly string[] = [],
): Command {
  const program = new Command('proc');
  const runtime: Runtime = {
    ...surroundings,
    helpStyle: () => styleFor(program.opts().color),
  };
  program
    .helpCommand(false)
    .exitOverride()
    .configureHelp({ formatHelp: () => rootHelp(runtime.helpStyle()) })
    .configureOutput({
      writeOut: writeHelp,
      writeErr: () => undefined,
      outputError: () => undefined,
      // Keeps the colours of a page, which commander would remove.
      getOutHasColors: () => true,
    })
    .enablePositionalOptions(false)
    .option('-V, --version', 'print the version of proc');
  for (const [key, spec] of Object.entries(GLOBAL_FLAGS)) program.addOption(optionOf(key, spec));
  const [only = HELP_NOUN.name] = path;
  for (const noun of NOUNS) {
    if (only !== HELP_NOUN.name && only !== noun.name) continue;
    const command = addCommand(program, noun.name);
    if (noun.alias !== undefined) command.alias(noun.alias);
  }
  const loaded = new Set<Noun>();
  // Commander and `proc help NOUN` both load the noun. Its commands must be added only once.
  const loadNoun = async (noun: Noun, command: Command): Promise<void> => {
    if (loaded.has(noun)) return;
    loaded.add(noun);
    const specs = (await noun.load()).filter(({ path }) => path[0] === noun.name);
    bindNoun(command, noun, specs, runtime, path);
  };
  addHelpCommand(program, loadNoun, runtime);
  // `proc orders list --version` prints the version and does not list.
  program.hook('preAction', () => {
    if (program.opts().version !== true) return;
    writeHelp(`${VERSION}\n`);
    throw new CommanderError(0, 'commander.version', VERSION);
  });
  showHelp(program);
  program.hook('preSubcommand', async (_, command) => {
    const noun = NOUNS.find(({ name }) => name === command.name());
    if (noun === undefined || command.parent !== program) return;
    await loadNoun(noun, command);
  });
  return program;
}
