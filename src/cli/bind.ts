import { Argument, Command } from 'commander';
import type { Command as RunnableCommand } from '../core/command.ts';
import type { CommandSpec } from '../core/command-spec.ts';
import { ProcError } from '../core/errors.ts';
import type { ExitCode } from '../core/exit-codes.ts';
import type { Env, GlobalFlags } from '../core/ports.ts';
import type { Result } from '../core/result.ts';
import type { AccessLevel } from '../core/service/access.ts';
import { carryOut } from './carry-out.ts';
import { refuseUnfitting } from './flags/fitting-flags.ts';
import { flagValues, notOneOf, optionOf } from './flags/flag-options.ts';
import { GLOBAL_FLAGS, globalFlags } from './flags/globals.ts';
import { commandHelp } from './help/command-help.ts';
import type { HelpStyle } from './help/help-style.ts';
import { nounHelp } from './help/noun-help.ts';
import { pageOf } from './help/pages/command-page.ts';
import type { Noun } from './registry.ts';
import type { OpenPorts } from './wire/surroundings.ts';
import { missingHint } from './words/missing-argument.ts';
import { verbSynonyms } from './words/verb-synonyms.ts';

export interface Runtime {
  /** Call it only when a page is shown: before that, commander has not parsed `--color`. */
  helpStyle(): HelpStyle;
  readonly env: Env;
  ports(flags: GlobalFlags): Promise<OpenPorts>;
  /** The path of the example files, as help shows it. */
  examples(): string;
  manPage(noun: string | undefined): Promise<void>;
  done(code: ExitCode): void;
}

/**
 * Creates commander's commands from the declarations of a noun.
 *
 * @param only a path: if a command has it, no other command is created, to save time
 */
export function bindNoun(
  noun: Command,
  { name, summary, groups = {} }: Noun,
  specs: readonly RunnableCommand[],
  runtime: Runtime,
  only: readonly string[] = [],
): void {
  const showsCommandsOf = (command: Command, path: readonly string[], words: string) =>
    command.configureHelp({ formatHelp: () => nounHelp(path, words, specs, runtime.helpStyle()) });
  showsCommandsOf(noun, [name], summary);
  for (const [group, words] of Object.entries(groups)) {
    showsCommandsOf(addCommand(noun, group), [name, group], words);
  }
  const needed = specs.filter(({ path }) => path.join(' ') === only.join(' '));
  for (const spec of needed.length > 0 ? needed : specs) bind(noun, spec, runtime);
  for (const path of [[name], ...Object.keys(groups).map((group) => [name, group])]) {
    const above = path.length === 1 ? noun : childOf(noun, path[1]!)!;
    for (const [word, verb] of verbSynonyms(path, specs)) childOf(above, verb)?.alias(word);
  }
}

function bind(noun: Command, spec: RunnableCommand, runtime: Runtime): void {
  const parent = spec.path.length === 3 ? childOf(noun, spec.path[1]!)! : noun;
  const target = spec.path.length === 1 ? noun : addCommand(parent, spec.path.at(-1)!);
  target.allowExcessArguments(false).configureHelp({
    formatHelp: () => commandHelp(pageOf(spec), runtime.helpStyle(), runtime.examples),
  });
  for (const [name, arg] of Object.entries(spec.args ?? {})) {
    const shown = arg.variadic === true ? `${name}...` : name;
    target.addArgument(new Argument(arg.optional === true ? `[${shown}]` : `<${shown}>`));
  }
  for (const [key, flag] of Object.entries(spec.flags ?? {})) target.addOption(optionOf(key, flag));
  target.action(async (...received: unknown[]) => {
    const command = received.at(-1) as Command;
    const globals = globalFlags(
      flagValues(GLOBAL_FLAGS, command.optsWithGlobals()) as unknown as Parameters<
        typeof globalFlags
      >[0],
      runtime.env,
      spec,
    );
    refuseUnfitting(spec, globals);
    const args = checkedArgs(spec, received);
    const flags = flagValues(spec.flags ?? {}, command.opts());
    const open = await runtime.ports(globals);
    await open.ready(spec);
    refuseWhereOnOne(spec, args, open);
    const input = { args, flags };
    const atStage =
      spec.flags?.stage === undefined ? undefined : 'To stage it instead, add --stage.';
    await open.requireAccess(neededLevel(spec, input), `proc ${spec.path.join(' ')}`, atStage);
    const result = await carryOut(spec, input, open);
    refuseUnfiltered(spec, result, open);
    runtime.done(await open.render(result));
  });
}

function neededLevel(spec: RunnableCommand, input: object): AccessLevel {
  return spec.access?.(input as never) ?? (spec.changes === 'service' ? 'write' : 'read');
}

/**
 * `proc orders get A B` prints a list. `proc orders get A` prints a record, so `--where` and
 * `--order-by` are refused.
 */
function refuseWhereOnOne(
  { args: specs = {}, changes, prints }: CommandSpec,
  args: Readonly<Record<string, unknown>>,
  { flags, isPreview }: OpenPorts,
): void {
  const flag = rowFlag(flags);
  if (changes === 'local' || prints !== 'list' || flag === undefined || isPreview) return;
  const several = Object.entries(specs).filter(([, { variadic }]) => variadic === true);
  const isOne = several.some(([name]) => {
    const typed = args[name] as readonly string[];
    return typed.length === 1 && typed[0] !== '-';
  });
  if (isOne) throw onOneRecord(flag);
}

function rowFlag({ where, orderBy }: GlobalFlags): string | undefined {
  if (where.length > 0) return '--where';
  return orderBy === undefined ? undefined : '--order-by';
}

function onOneRecord(flag: string): ProcError {
  return new ProcError('invalid_usage', `${flag} applies to lists, not to a single record`, {
    hint: `Remove ${flag}`,
  });
}

/**
 * Called after the command ran, because only the result shows whether the command prints a record.
 */
function refuseUnfiltered(
  { changes, filtersSource }: CommandSpec,
  { kind }: Result,
  { flags, isPreview }: OpenPorts,
) {
  const flag = rowFlag(flags);
  if (kind !== 'record' || flag === undefined || filtersSource === true) return;
  if (changes === 'nothing' && !isPreview) throw onOneRecord(flag);
}

function checkedArgs(spec: CommandSpec, received: readonly unknown[]): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(spec.args ?? {}).map(([name, arg], index) => {
      const value = received[index];
      if (arg.choices !== undefined && typeof value === 'string' && !arg.choices.includes(value)) {
        throw notOneOf(`<${name}>`, value, arg.choices);
      }
      if (value === '') {
        throw new ProcError('invalid_usage', `<${name}> is empty: ${arg.doc}`, {
          hint: missingHint(spec, name),
        });
      }
      return [name, value];
    }),
  );
}

function childOf(noun: Command, name: string): Command | undefined {
  return noun.commands.find((command) => command.name() === name);
}

export function addCommand(parent: Command, name: string): Command {
  const child = new Command(name).copyInheritedSettings(parent).helpCommand(false);
  showHelp(child);
  parent.addCommand(child);
  return child;
}

export function showHelp(command: Command): void {
  command.allowExcessArguments(true).action(() => command.help());
}
