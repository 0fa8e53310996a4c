import { Argument, Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import type { Command as RunnableCommand } from './context.ts';
import type { ArgSpec, CommandSpec, FlagSpec, FlagSpecs } from './core/command-spec.ts';
import { ProcError, shownExitCodes } from './core/errors.ts';
import { GLOBAL_FLAGS, type GlobalFlags, SHARED_FLAGS, sharedFlags } from './core/global-flags.ts';
import type { Env } from './core/io.ts';
import { eitherNumber, readNumber, survivesDouble } from './core/numbers.ts';
import { VERSION } from './core/system.ts';
import { readTimeLimit } from './core/time.ts';
import { kebab, nearest, synonymsOf } from './core/wording.ts';
import { NOUNS, type Noun } from './registry.ts';

/** What a command line asks for. */
export type Parsed =
  | { readonly kind: 'version' }
  /** `--help`, or a noun without a verb. An empty path: the root page. */
  | { readonly kind: 'page'; readonly path: readonly string[] }
  | {
      readonly kind: 'run';
      readonly command: RunnableCommand;
      readonly args: Values;
      readonly flags: Values;
      readonly globals: GlobalFlags;
    };

type Values = Readonly<Record<string, unknown>>;

/**
 * Reads a command line with commander. At first it knows only names: what a verb takes is loaded when commander has
 * come to it.
 *
 * @param words the words after `proc`; `help WORDS` means `WORDS --help`
 * @throws ProcError `invalid_usage`, `invalid_setting`
 */
export async function parse(words: readonly string[], env: Env = {}): Promise<Parsed> {
  const argv = words[0] === 'help' ? [...words.slice(1), '--help'] : words;
  let parsed: Parsed | undefined;
  let at = proc();
  let spec: RunnableCommand | undefined;
  const program = at
    .version(VERSION, '-V, --version')
    .configureHelp({
      formatHelp(command) {
        parsed = { kind: 'page', path: pathOf(command) };
        return '';
      },
    })
    .hook('preSubcommand', enter);
  for (const { name, aliases = [] } of NOUNS) program.command(name).aliases([...aliases]);
  try {
    await program.parseAsync(argv, { from: 'user' });
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown;
    if (thrown.code === 'commander.version') return { kind: 'version' };
    if (parsed === undefined) throw refusal(thrown, at, spec);
  }
  return parsed!;

  async function enter(_above: Command, command: Command): Promise<void> {
    at = command;
    const [name = '', ...verb] = pathOf(command);
    const noun = nounNamed(name);
    if (verb.length === 0) addVerbs(command, noun, (each) => each.hook('preSubcommand', enter));
    const found = await noun.verbs[verb.join(' ')]?.();
    if (found === undefined) return;
    spec = found;
    declare(command, found).action(() => {
      parsed = { kind: 'run', command: found, ...given(found, command) };
    });
  }

  function given(found: RunnableCommand, command: Command) {
    const flags = valuesOf({ ...sharedFlags(found), ...found.flags }, command.opts());
    const args = Object.keys(found.args ?? {}).map(
      (name, index) => [name, command.processedArgs[index]] as const,
    );
    const globals = globalFlags(program.opts(), flags, env, found);
    return { args: Object.fromEntries(args), flags, globals };
  }
}

/** The root command of commander's. It prints nothing: what it refuses is thrown. */
function proc(): Command {
  const ignore = () => undefined;
  const program = new Command('proc')
    .exitOverride()
    .allowExcessArguments(false)
    .helpCommand(false)
    .configureOutput({ writeOut: ignore, writeErr: ignore, outputError: ignore });
  for (const [key, spec] of Object.entries(GLOBAL_FLAGS)) program.addOption(optionOf(key, spec));
  return program;
}

function nounNamed(name: string): Noun {
  return NOUNS.find((noun) => noun.name === name)!;
}

/**
 * Adds the groups and verbs of a noun, by their names.
 *
 * @param each called for the noun, its groups and its verbs, with their words after the noun
 */
export function addVerbs(
  noun: Command,
  { verbs }: Noun,
  each: (command: Command, words: readonly string[]) => unknown,
): void {
  add(
    noun,
    [],
    Object.keys(verbs).map((words) => words.split(' ')),
  );

  /** @param below the verbs that begin with these words, without them */
  function add(to: Command, words: readonly string[], below: readonly (readonly string[])[]): void {
    each(to.helpCommand(false), words);
    const own = below.flatMap((rest) => (rest.length === 1 ? rest : []));
    const synonyms = synonymsOf(own, new Set(below.flat()));
    for (const word of new Set(below.flatMap(([first]) => first || []))) {
      const command = to.command(word);
      for (const [synonym, meant] of synonyms) if (meant === word) command.alias(synonym);
      const rest = below.flatMap(([first, ...more]) =>
        first === word && more.length > 0 ? [more] : [],
      );
      add(command, [...words, word], rest);
    }
  }
}

const EXAMPLES = 2;

export function examplesText(examples: CommandSpec['examples']): string {
  const lines = examples.slice(0, EXAMPLES).map(({ run, doc }) => `  # ${doc}\n  ${run}\n`);
  return `\nExamples:\n${lines.join('')}`;
}

/** Arguments, options and texts of a command. */
export function declare(command: Command, spec: CommandSpec): Command {
  const { summary, description, args = {}, flags = {}, examples, exitCodes, passesCodes } = spec;
  command.description([`${summary}.`, description ?? []].flat().join('\n\n')).usage(usageOf(spec));
  for (const [name, arg] of Object.entries(args)) command.addArgument(argumentOf(name, arg));
  // A command may say more of a shared flag.
  for (const [key, flag] of Object.entries({ ...flags, ...sharedFlags(spec), ...flags }))
    command.addOption(optionOf(key, flag));
  const codes = `\nExit codes: ${shownExitCodes(exitCodes).join(' ')}\n`;
  const passed = passesCodes === undefined ? '' : `${passesCodes}\n`;
  return command.addHelpText('after', `${examplesText(examples)}${codes}${passed}`);
}

/** Returns e.g. `<requisition> <group> [flags]`. */
export function usageOf({ args = {} }: CommandSpec): string {
  return [...Object.entries(args).map(([name, arg]) => termOf(name, arg)), '[flags]'].join(' ');
}

function termOf(name: string, { optional, variadic }: ArgSpec): string {
  const shown = variadic === true ? `${name}...` : name;
  return optional === true ? `[${shown}]` : `<${shown}>`;
}

function argumentOf(name: string, arg: ArgSpec): Argument {
  const { variadic, choices, doc } = arg;
  const argument = new Argument(termOf(name, arg), doc);
  if (choices !== undefined) argument.choices(choices);
  return argument.argParser((text: string, before: unknown) => {
    if (text === '') throw new InvalidArgumentError('It is empty.');
    if (choices !== undefined) oneOf(text, choices);
    return variadic === true ? [...((before as string[] | undefined) ?? []), text] : text;
  });
}

/** Stands for a missing value: an empty one usually comes from an unset shell variable. */
const BARE = '\0';

function optionOf(key: string, spec: FlagSpec): Option {
  const option = new Option(flagTerm(key, spec), docOf(spec));
  if (spec.group !== undefined) option.helpGroup(`${spec.group}:`);
  if (spec.kind === 'boolean') return option;
  if ('choices' in spec && spec.choices !== undefined) option.choices(namesOf(spec.choices));
  if (isBare(spec)) option.preset(BARE);
  if (spec.required === true) option.makeOptionMandatory();
  return option.argParser((text: string, before: unknown) => {
    if (spec.kind === 'strings')
      return [...((before as string[] | undefined) ?? []), ...stringsIn(spec, text)];
    const value = parsedValue(key, spec, text);
    if (before === undefined || before === value) return value;
    // Scripts that join arguments may give a flag twice, and the last value would silently win.
    throw new InvalidArgumentError('The flag was given twice.');
  });
}

function isBare(spec: FlagSpec): boolean {
  return spec.kind === 'string' && spec.bare === true;
}

/** Returns e.g. `-o, --output <format>`. */
export function flagTerm(key: string, spec: FlagSpec): string {
  const short = spec.short === undefined ? '' : `-${spec.short}, `;
  const name = spec.value ?? 'value';
  const value = spec.kind === 'boolean' ? '' : isBare(spec) ? ` [${name}]` : ` <${name}>`;
  return `${short}--${kebab(key)}${value}`;
}

export function docOf(spec: FlagSpec): string {
  const held = spec.defaultText ?? (spec.kind === 'string' ? spec.default : undefined);
  return [
    spec.doc,
    ...(held === undefined ? [] : [`(default ${held})`]),
    ...(spec.kind === 'strings' && spec.choices === undefined ? ['(repeatable)'] : []),
    ...(spec.required === true ? ['(required)'] : []),
  ].join(' ');
}

function namesOf(choices: readonly string[] | Readonly<Record<string, string>>): readonly string[] {
  return Array.isArray(choices) ? choices : Object.keys(choices);
}

function oneOf(text: string, choices: readonly string[]): string {
  if (choices.includes(text)) return text;
  const near = nearest(text, choices);
  const meant = near === undefined ? '' : ` Did you mean ${near}?`;
  throw new InvalidArgumentError(`Allowed choices are ${choices.join(', ')}.${meant}`);
}

/** Of a flag with names as choices, several may be separated by commas. */
function stringsIn(spec: FlagSpec & { readonly kind: 'strings' }, text: string): readonly string[] {
  if (spec.choices === undefined) return [notEmpty(spec, text)];
  const names = namesOf(spec.choices);
  return text.split(',').map((name) => oneOf(name.trim(), names));
}

/** An empty value usually comes from an unset shell variable. */
function notEmpty(spec: FlagSpec, text: string): string {
  if (text.trim() !== '' || spec.mayBeEmpty === true) return text;
  throw new InvalidArgumentError('It is empty: give it a value, or remove the flag.');
}

function parsedValue(
  key: string,
  spec: Exclude<FlagSpec, { kind: 'boolean' | 'strings' }>,
  text: string,
) {
  const refuse = (expected: string) => new InvalidArgumentError(`Expected ${expected}.`);
  switch (spec.kind) {
    case 'string':
      return text === BARE ? '' : notEmpty(spec, text);
    case 'choice':
      // `-o=json`: commander gives `=json`.
      return oneOf(text.replace(/^=/, ''), spec.choices);
    case 'integer': {
      const { min = -Infinity, max = Number.MAX_SAFE_INTEGER } = spec;
      const value = Number(text);
      if (/^[+-]?\d+$/.test(text) && value >= min && value <= max) return value;
      const from = spec.min === undefined ? '' : ` from ${min}`;
      throw refuse(`a whole number${from}${spec.max === undefined ? '' : ` to ${max}`}`);
    }
    case 'number':
      return numberIn(key, text);
    case 'duration': {
      const ms = readTimeLimit(text);
      if (ms !== undefined) return ms;
      throw refuse('a time such as 30s, 500ms or 5m');
    }
  }
}

/** The same rule as for numbers in files: `1.000` may be a thousand or one. */
function numberIn(key: string, text: string): number {
  const reading = readNumber(text, undefined, key);
  if (reading.kind === 'ambiguous') throw new InvalidArgumentError(`It ${eitherNumber(reading)}.`);
  if (reading.kind === 'none' || reading.text !== text)
    throw new InvalidArgumentError('Expected a number such as 1234.56.');
  if (survivesDouble(text)) return Number(text);
  throw new InvalidArgumentError('JSON would round it: give at most 15 significant digits.');
}

/** The values of flags by their keys: what was not given is false, an empty list, the default or undefined. */
function valuesOf(specs: FlagSpecs, given: Values): Record<string, unknown> {
  const none = (spec: FlagSpec) =>
    spec.kind === 'strings' ? [] : spec.kind === 'string' ? spec.default : undefined;
  return Object.fromEntries(
    Object.entries(specs).map(([key, spec]) => {
      if (spec.kind !== 'boolean') return [key, given[key] ?? none(spec)];
      // Commander stores `--no-input` under `input`. Without the flag, the stored value is `true`.
      const isNo = /^no[A-Z]/.test(key);
      const name = isNo ? key.charAt(2).toLowerCase() + key.slice(3) : key;
      return [key, given[name] === !isNo];
    }),
  );
}

const DEFAULTS = { timeout: 30_000, retries: 2 };

/**
 * The flags of every command, with variables and defaults for `--timeout` and `--retries`. Names of profiles and
 * environments become NFC, the form in which they are stored.
 *
 * @throws ProcError `invalid_setting`
 */
function globalFlags(raw: Values, own: Values, env: Env, spec: CommandSpec): GlobalFlags {
  const given = valuesOf(GLOBAL_FLAGS, raw);
  const shared = Object.keys(SHARED_FLAGS).map((key) => [key, own[key]] as const);
  const { fields, where = [], dryRun = false, again = false, ...rest } = Object.fromEntries(shared);
  const name = (key: string) => (given[key] as string | undefined)?.normalize('NFC');
  const limit = (key: 'timeout' | 'retries') => {
    const { variable } = GLOBAL_FLAGS[key];
    const text = env[variable];
    if (given[key] !== undefined || !text) return (given[key] as number) ?? DEFAULTS[key];
    try {
      return parsedValue(key, GLOBAL_FLAGS[key], text) as number;
    } catch (thrown) {
      if (spec.toleratesSettings === true) return DEFAULTS[key];
      const message = `${variable} is ${JSON.stringify(text)}. ${(thrown as Error).message}`;
      throw new ProcError('invalid_setting', message, { hint: `Correct ${variable}, or unset it` });
    }
  };
  const { timeout: _, retries, ...others } = given;
  return {
    ...{ ...others, ...rest, where, dryRun, again },
    ...{ profile: name('profile'), env: name('env') },
    ...{ timeoutMs: limit('timeout'), retries: limit('retries') },
    fields: (fields as string | undefined)?.split(',').map((field) => field.trim()),
  } as GlobalFlags;
}

export function pathOf(command: Command): readonly string[] {
  return command.parent === null ? [] : [...pathOf(command.parent), command.name()];
}

/** An error of commander's in proc's form. Whatever it is, the command line is refused. */
function refusal(error: CommanderError, at: Command, spec: CommandSpec | undefined): ProcError {
  const path = pathOf(at);
  const help = `See the help: ${['proc', ...path].join(' ')} --help`;
  const [first = '', meant] = error.message.replace(/^error: /, '').split('\n');
  const hints = meant === undefined ? [] : [meant.slice(1, -1)];
  // A word too many may be a key.
  let message = first.replace(/(but got \d+): .*/s, '$1');
  if (error.code === 'commander.unknownOption') {
    // Its value may be a key.
    message = first.replace(/'(--[^=']*|-[^-'])[^']*'$/, "'$1'");
    hints.push(help);
  } else if (error.code === 'commander.unknownCommand') {
    // After these nouns the word may be a key.
    const mayBeKey = path[0] === 'auth' || path[0] === 'setup';
    if (mayBeKey && meant === undefined) message = "unknown command '***'";
    hints.push(verbsText(path[0]));
  } else if (error.code === 'commander.missingArgument') {
    const [arg] = Object.values(spec?.args ?? {}).slice(at.args.length);
    const list = arg?.from === undefined ? undefined : `To list them: ${arg.from}`;
    if (arg !== undefined) message = `${first}: ${arg.choices?.join(', ') ?? arg.doc}`;
    hints.push(arg?.hint ?? list ?? '');
  }
  const hint = hints.filter((text) => text !== '').join(' ');
  return new ProcError('invalid_usage', message, { hint: hint || help });
}

function verbsText(name: string | undefined): string {
  if (name === undefined) return `The nouns: ${NOUNS.map((noun) => noun.name).join(', ')}.`;
  const { notInApi, verbs } = nounNamed(name);
  const all =
    '' in verbs
      ? `See the help: proc ${name} --help.`
      : `The verbs of proc ${name}: ${Object.keys(verbs).join(', ')}.`;
  return notInApi === undefined ? all : `${all} Not in the API: ${notInApi}.`;
}
