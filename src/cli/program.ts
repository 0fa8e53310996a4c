import { Command, CommanderError } from 'commander';
import { VERSION } from '../core/version.ts';
import { addCommand, bind, type Runtime, showHelp } from './bind.ts';
import { optionOf } from './flags/flag-options.ts';
import { GLOBAL_FLAGS } from './flags/globals.ts';
import { helpConfiguration } from './help/help.ts';
import { addHelpCommand } from './help/help-command.ts';
import { rootHelp } from './help/root-help.ts';
import { NOUNS, type Noun } from './registry.ts';

/** The command tree: nouns from the registry, their verbs added when a noun is used. */
export function createProgram(
  runtime: Runtime,
  writeHelp: (text: string) => void,
  width: number,
): Command {
  const program = new Command('proc')
    .helpCommand(false)
    .exitOverride()
    .configureHelp({ ...helpConfiguration, formatHelp: () => rootHelp(width) })
    .configureOutput({
      writeOut: writeHelp,
      writeErr: () => undefined,
      outputError: () => undefined,
      getOutHelpWidth: () => width,
      getOutHasColors: () => false,
    })
    .enablePositionalOptions(false)
    .option('-V, --version', 'print the version of proc');
  for (const [key, spec] of Object.entries(GLOBAL_FLAGS)) {
    program.addOption(optionOf(key, spec).hideHelp());
  }
  for (const noun of NOUNS) {
    const command = addCommand(program, noun.name).description(`${noun.summary}.`);
    if (noun.alias !== undefined) command.alias(noun.alias);
  }
  addHelpCommand(program, (noun, command) => loadNoun(noun, command, runtime), runtime);
  // A global flag like the others: `proc orders list --version` must not list.
  program.hook('preAction', () => {
    if (program.opts().version !== true) return;
    writeHelp(`${VERSION}\n`);
    throw new CommanderError(0, 'commander.version', VERSION);
  });
  showHelp(program);
  program.hook('preSubcommand', async (_, command) => {
    const noun = NOUNS.find(({ name }) => name === command.name());
    if (noun === undefined || command.parent !== program) return;
    await loadNoun(noun, command, runtime);
  });
  return program;
}

/** Adds the verbs of a noun. */
async function loadNoun(noun: Noun, command: Command, runtime: Runtime): Promise<void> {
  const specs = (await noun.load()).filter(({ path }) => path[0] === noun.name);
  for (const spec of specs) bind(command, spec, noun.groups ?? {}, runtime);
}
