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
 * The command tree: nouns from the registry, their verbs added when a noun is used.
 *
 * @param path the noun and verb that will be used, if known; other nouns and verbs are left out, which saves time
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
      // The page is already in colour or not; without this, commander would remove colours.
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
  // Both commander and `proc help NOUN` load the noun, but its commands must be added only once.
  const loadNoun = async (noun: Noun, command: Command): Promise<void> => {
    if (loaded.has(noun)) return;
    loaded.add(noun);
    const specs = (await noun.load()).filter(({ path }) => path[0] === noun.name);
    bindNoun(command, noun, specs, runtime, path);
  };
  addHelpCommand(program, loadNoun, runtime);
  // Checked as a global flag: `proc orders list --version` must not list.
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
