import { Argument, Command } from 'commander';
import type { Command as RunnableCommand } from '../command.ts';
import type { CommandSpec } from '../core/command-spec.ts';
import { GLOBAL_FLAGS, type GlobalFlags, sharedFlags } from '../core/global-flags.ts';
import { synonymsBelow } from '../core/text/synonyms.ts';
import { flagValues, optionOf } from './flags/flag-options.ts';
import type { PagedCommand } from './help/pages/all-pages.ts';
import type { Problem } from './hints.ts';
import { NOUNS } from './registry.ts';

/** What a command line asks for. Values of flags and arguments are as typed: nothing checked them. */
export type Parsed =
  | { readonly kind: 'version' }
  /** `--help`, or a noun without a verb. An empty path: the root page. */
  | { readonly kind: 'page'; readonly path: readonly string[]; readonly color: Color }
  | {
      readonly kind: 'run';
      readonly command: RunnableCommand;
      readonly args: Readonly<Record<string, unknown>>;
      /** By the names that commander gives them. */
      readonly flags: RawValues;
      readonly globals: RawValues;
    };

type Color = GlobalFlags['color'];
/** `true` for a boolean flag, and all values of any other flag, in order. */
export type RawValues = Readonly<Record<string, unknown>>;

/** Commander's own error, with the command that refused the words. */
class Refused extends Error {
  readonly command: Command;
  readonly code: string;

  constructor(command: Command, code: string) {
    super(code);
    this.command = command;
    this.code = code;
  }
}

/**
 * Reads a command line. This is the only reader of `argv`, except for completion, and for `--version` or
 * `--help` alone.
 *
 * @param words the words after `proc`; `help WORDS` means `WORDS --help`
 * @param onGlobals receives the global flags that were read, also if the rest is refused
 * @throws ProcError `invalid_usage`
 */
export async function parse(
  words: readonly string[],
  onGlobals: (globals: RawValues) => void = () => undefined,
): Promise<Parsed> {
  const argv = words[0] === 'help' ? [...words.slice(1), '--help'] : words;
  const program = commandNamed('proc').option('-h, --help').option('-V, --version');
  for (const [key, spec] of Object.entries(GLOBAL_FLAGS)) program.addOption(optionOf(key, spec));
  let parsed: Parsed | undefined;
  const globals = () => program.opts<RawValues>();
  const color = () => flagValues({ color: GLOBAL_FLAGS.color }, globals()).color as Color;
  for (const { name, aliases = [] } of NOUNS) {
    program.addCommand(commandNamed(name).aliases([...aliases]));
  }
  program.hook('preSubcommand', async (_, command) => {
    const noun = NOUNS.find(({ name }) => name === command.name());
    if (noun === undefined) return;
    if (globals().help === true) {
      const { allPages } = await import('./help/pages/all-pages.ts');
      const pages = (await allPages())[noun.name]!;
      addVerbs(command, [noun.name], pages, (verb, { path }: PagedCommand) => {
        const show = () => {
          parsed = { kind: 'page', path, color: color() };
        };
        verb.allowUnknownOption().allowExcessArguments().action(show);
      });
      return;
    }
    const specs = (await noun.load()).filter(({ path }) => path[0] === noun.name);
    addVerbs(command, [noun.name], specs, (verb, spec: RunnableCommand) => {
      declare(verb, spec, (args, flags) => {
        parsed = { kind: 'run', command: spec, args, flags, globals: globals() };
      });
    });
  });
  try {
    await program.parseAsync(argv, { from: 'user' });
  } catch (thrown) {
    if (!(thrown instanceof Refused)) throw thrown;
    const { help: asksHelp, version } = globals();
    const isPage = thrown.code === 'commander.help';
    const isUnknownWord = thrown.code === 'commander.unknownCommand';
    if (isPage || (asksHelp === true && !isUnknownWord)) {
      parsed = { kind: 'page', path: pathOf(thrown.command), color: color() };
    } else if (asksHelp === true || version !== true) {
      const { refusal } = await import('./hints.ts');
      throw await refusal(problemOf(thrown, argv));
    }
  } finally {
    onGlobals(globals());
  }
  const { help: asksHelp, version } = globals();
  if (asksHelp === true) {
    if (parsed?.kind === 'run') return { kind: 'page', path: parsed.command.path, color: color() };
  } else if (version === true) return { kind: 'version' };
  if (parsed === undefined) throw new Error(`not parsed: ${argv.length} words`);
  return parsed;
}

/** A command of commander's that prints nothing: help, errors and the version are ours. */
function commandNamed(name: string): Command {
  const command = new Command(name);
  const ignore = () => undefined;
  return command
    .helpOption(false)
    .helpCommand(false)
    .allowExcessArguments(false)
    .configureOutput({ writeOut: ignore, writeErr: ignore, outputError: ignore })
    .configureHelp({ formatHelp: () => '' })
    .exitOverride(({ code }) => {
      throw new Refused(command, code);
    });
}

/** Adds the next words after `path`; the words after these once commander has come to them. */
function addVerbs<S extends Pick<CommandSpec, 'path'>>(
  above: Command,
  path: readonly string[],
  specs: readonly S[],
  use: (command: Command, spec: S) => void,
): void {
  const inside = specs.filter((spec) => path.every((word, at) => spec.path[at] === word));
  const own = inside.find((spec) => spec.path.length === path.length);
  if (own !== undefined) use(above, own);
  const synonyms = synonymsBelow(path, inside);
  for (const word of new Set(inside.flatMap((spec) => spec.path[path.length] ?? []))) {
    const command = commandNamed(word);
    for (const [synonym, verb] of synonyms) if (verb === word) command.alias(synonym);
    above.addCommand(command);
  }
  above.hook('preSubcommand', (_, command) =>
    addVerbs(command, [...path, command.name()], inside, use),
  );
}

function declare(
  command: Command,
  spec: CommandSpec,
  found: (args: Readonly<Record<string, unknown>>, flags: RawValues) => void,
): void {
  const { args = {}, flags = {} } = spec;
  for (const [name, arg] of Object.entries(args)) {
    const shown = arg.variadic === true ? `${name}...` : name;
    command.addArgument(new Argument(arg.optional === true ? `[${shown}]` : `<${shown}>`));
  }
  for (const [key, flag] of Object.entries({ ...sharedFlags(spec), ...flags }))
    command.addOption(optionOf(key, flag));
  const names = Object.keys(args);
  command.action(() => {
    const values = command.processedArgs.map((value, at) => [names[at]!, value] as const);
    found(Object.fromEntries(values), command.opts());
  });
}

function pathOf(command: Command): readonly string[] {
  const names: string[] = [];
  for (let at = command; at.parent !== null; at = at.parent) names.unshift(at.name());
  return names;
}

const NEGATIVE_NUMBER = /^-(\d+|\d*\.\d+)([eE][+-]?\d+)?$/;

/** What commander refused. Its message is not read: everything is in the command and in `argv`. */
function problemOf({ command, code }: Refused, argv: readonly string[]): Problem {
  const { args } = command;
  const at = { path: pathOf(command), argv };
  switch (code) {
    case 'commander.unknownCommand':
      return { ...at, kind: 'command', word: args[0]! };
    case 'commander.unknownOption': {
      const isLeaf = command.commands.length === 0;
      const isFlag = (word: string) => /^-./s.test(word) && !(isLeaf && NEGATIVE_NUMBER.test(word));
      return { ...at, kind: 'flag', word: args.find(isFlag)! };
    }
    case 'commander.missingArgument':
      return { ...at, kind: 'argument', index: args.length };
    case 'commander.excessArguments':
      return { ...at, kind: 'words', words: args };
    case 'commander.optionMissingArgument': {
      const last = argv.at(-1)!;
      const option = command.options.find(({ long, short }) => last === long || last === short);
      const short = command.options.find((one) => one.short === `-${last.at(-1)}`);
      return { ...at, kind: 'value', flag: (option ?? short)!.flags };
    }
    default:
      throw new Error(
        `commander refused the command line for a reason that proc does not know: ${code}`,
      );
  }
}
