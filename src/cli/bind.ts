import { Argument, Command } from 'commander';
import type { Command as RunnableCommand } from '../core/command.ts';
import type { CommandSpec } from '../core/command-spec.ts';
import { ProcError } from '../core/errors.ts';
import { EXIT_MEANING, type ExitCode, exitCodesOf } from '../core/exit-codes.ts';
import type { GlobalFlags } from '../core/ports.ts';
import type { Result } from '../core/result.ts';
import { wrapWords } from '../terminal/wrap-words.ts';
import { carryOut } from './carry-out.ts';
import { refuseUnfitting } from './flags/fitting-flags.ts';
import { flagValues, notOneOf, optionOf } from './flags/flag-options.ts';
import { GLOBAL_FLAGS, globalFlags } from './flags/globals.ts';
import { helpConfiguration } from './help/help.ts';
import type { OpenPorts } from './wire/surroundings.ts';
import { missingHint } from './words/missing-argument.ts';

/** What running a command needs from outside. */
export interface Runtime {
  ports(flags: GlobalFlags): Promise<OpenPorts>;
  /** The folder with the files that examples in help name. */
  examples(): string;
  /** Told once, with the code that the process ends with. */
  done(code: ExitCode): void;
}

/** Adds a command, given as data, below its noun. */
export function bind(
  noun: Command,
  spec: RunnableCommand,
  groups: Readonly<Record<string, string>>,
  runtime: Runtime,
): void {
  const parent = spec.path.length === 3 ? groupOf(noun, spec.path[1]!, groups) : noun;
  const target = spec.path.length === 1 ? noun : addCommand(parent, spec.path.at(-1)!);
  target.allowExcessArguments(false).summary(spec.summary).description(describe(spec));
  for (const [name, arg] of Object.entries(spec.args ?? {})) {
    const shown = arg.variadic === true ? `${name}...` : name;
    target.addArgument(new Argument(arg.optional === true ? `[${shown}]` : `<${shown}>`, arg.doc));
  }
  for (const [key, flag] of Object.entries(spec.flags ?? {})) target.addOption(optionOf(key, flag));
  target.addHelpText('after', () =>
    helpTail(spec, runtime, target.configureOutput().getOutHelpWidth?.() ?? 80),
  );
  target.action(async (...received: unknown[]) => {
    const command = received.at(-1) as Command;
    const globals = globalFlags(
      flagValues(GLOBAL_FLAGS, command.optsWithGlobals()) as unknown as Parameters<
        typeof globalFlags
      >[0],
    );
    refuseUnfitting(spec, globals);
    const args = checkedArgs(spec, received);
    const flags = flagValues(spec.flags ?? {}, command.opts());
    const open = await runtime.ports(globals);
    await open.ready(spec);
    const result = await carryOut(spec, { args, flags }, open);
    refuseUnfiltered(spec, result, open);
    runtime.done(await open.render(result));
  });
}

/** A command that may print a list printed one record: nothing was there to choose from. */
function refuseUnfiltered(
  { changes, filtersSource }: CommandSpec,
  { kind }: Result,
  { flags, isPreview }: OpenPorts,
) {
  const isIdle = kind === 'record' && flags.where.length > 0 && filtersSource !== true;
  if (!isIdle || changes !== 'nothing' || isPreview) return;
  throw new ProcError('invalid_usage', '--where has no effect on one record', {
    hint: 'Leave --where out',
  });
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

function groupOf(noun: Command, name: string, groups: Readonly<Record<string, string>>): Command {
  const existing = noun.commands.find((command) => command.name() === name);
  if (existing !== undefined) return existing;
  return addCommand(noun, name)
    .summary(groups[name] ?? name)
    .description(`${groups[name] ?? name}.`);
}

/** A command that inherits how help is shown. */
export function addCommand(parent: Command, name: string): Command {
  const child = new Command(name).copyInheritedSettings(parent).helpCommand(false);
  child.configureHelp(helpConfiguration);
  showHelp(child);
  parent.addCommand(child);
  return child;
}

/** Without a verb a noun shows what there is. */
export function showHelp(command: Command): void {
  command.allowExcessArguments(true).action(() => command.help());
}

function describe(spec: CommandSpec): string {
  return spec.description === undefined
    ? `${spec.summary}.`
    : `${spec.summary}.\n\n${spec.description}`;
}

/** Commands to copy stand in one piece; everything else is cut at its words. */
export function helpTail(
  spec: Pick<CommandSpec, 'examples' | 'exitCodes' | 'passesCodes'>,
  runtime: Pick<Runtime, 'examples'>,
  width: number,
): string {
  const examples = spec.examples
    .map(({ run, doc }) => [`  ${run}`, ...wrapWords(`      ${doc}`, width, 6)].join('\n'))
    .join('\n');
  const codes = exitCodesOf(spec.exitCodes).flatMap((code) =>
    wrapWords(`  ${String(code).padStart(3)}  ${EXIT_MEANING[code]}`, width, 7),
  );
  if (spec.passesCodes !== undefined)
    codes.push(...wrapWords(`    *  ${spec.passesCodes}`, width, 7));
  const folder = `The files of examples/ come with proc: ${runtime.examples()}`;
  const files = /\bexamples\//.test(examples) ? ['', '', ...wrapWords(folder, width)] : [];
  return `\nExamples:\n${examples}${files.join('\n')}\n\nExit codes:\n${codes.join('\n')}\n\nGlobal flags: proc help flags`;
}
