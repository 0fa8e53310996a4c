import type { Command } from '../core/command.ts';
import type { CommandSpec } from '../core/command-spec.ts';
import { ProcError } from '../core/errors.ts';
import { EXIT, type ExitCode } from '../core/exit-codes.ts';
import { GLOBAL_FLAGS, SHARED_FLAGS } from '../core/global-flags.ts';
import { VERSION } from '../core/proc-version.ts';
import type { Next, Result } from '../core/result.ts';
import { kebab } from '../core/text/kebab.ts';
import { typedAgain } from '../core/text/typed.ts';
import { writeNow } from '../terminal/write.ts';
import { flagValues, globalFlags, notOneOf } from './flags/flag-options.ts';
import { type Parsed, parse, type RawValues } from './parse.ts';
import { type OpenPorts, openPorts, type Surroundings } from './wire/open-ports.ts';

/**
 * @param onGlobals receives the global flags as typed, also if the command line is refused
 * @throws the error that ended the command, after the ports are closed
 */
export async function runCommandLine(
  argv: readonly string[],
  surroundings: Surroundings,
  onGlobals: (globals: RawValues) => void,
  onOpen: (open: OpenPorts) => void,
): Promise<ExitCode> {
  try {
    const parsed = await parse(argv, onGlobals);
    if (parsed.kind === 'run') return await run(parsed, surroundings, onOpen);
    if (parsed.kind === 'version') writeNow(surroundings.streams.stdout, `${VERSION}\n`);
    else await (await import('./help/show-help.ts')).showHelp(parsed, surroundings);
    return EXIT.done;
  } catch (thrown) {
    if (!(thrown instanceof ProcError)) throw thrown;
    throw (await import('./hints.ts')).withoutStrayKeys(thrown, argv);
  }
}

async function run(
  { command, args: words, flags: raw, globals: typed }: Extract<Parsed, { kind: 'run' }>,
  surroundings: Surroundings,
  onOpen: (open: OpenPorts) => void,
): Promise<ExitCode> {
  const read = { ...flagValues(GLOBAL_FLAGS, typed), ...flagValues(SHARED_FLAGS, raw) };
  const globals = globalFlags(
    read as unknown as Parameters<typeof globalFlags>[0],
    surroundings.env,
    command,
  );
  const args = checkedArgs(command, words);
  const input = { args, flags: flagValues(command.flags ?? {}, raw) };
  let open: OpenPorts | undefined;
  try {
    open = await openPorts(surroundings, globals);
    onOpen(open);
    await open.ready(command);
    if (sendsWrites(command, input)) await open.requireWritable(`proc ${command.path.join(' ')}`);
    const result = await command.run(input as never, await open.give(command.needs));
    return await open.render(withNext(result, open, { command, typed: surroundings.typed }));
  } finally {
    await open?.close();
  }
}

/**
 * Adds the command without `--dry-run` to what a dry run prints for programs, unless it would be refused.
 */
function withNext(
  result: Result,
  { flags, io: { terminal } }: Pick<OpenPorts, 'flags' | 'io'>,
  {
    command: { changes, needs, path },
    typed,
  }: { readonly command: Command; readonly typed: readonly string[] },
): Result {
  if (!flags.dryRun || terminal.stdoutIsTerminal || result.kind !== 'record') {
    return result;
  }
  const { value, failure } = result;
  if (value.dryRun !== true || value.next !== undefined) return result;
  const error = typeof failure === 'function' ? failure() : failure;
  // What would be refused has no next step: only a person may lift a refusal, as its hint says.
  return { ...result, value: { ...value, next: error === undefined ? nextSteps() : [] } };

  function nextSteps(): readonly Next[] {
    const asks =
      changes === 'local' ? needs.includes('ask') : /^(import|resume|delete)$/.test(path.at(-1)!);
    const agreed = asks && !flags.yes && !terminal.interactive ? ['--yes'] : [];
    const command = typedAgain(
      typed.filter((word) => word !== '--dry-run'),
      agreed,
      // The query was for what the dry run prints.
      ['-q', '--query'],
    );
    const what = changes === 'local' ? 'Make this change' : 'Send it';
    return [{ command, why: agreed.length === 0 ? what : `${what}; --yes confirms it` }];
  }
}

function sendsWrites(command: Command, input: object): boolean {
  return command.writes?.(input as never) ?? command.changes === 'service';
}

function checkedArgs(
  { args = {}, path }: CommandSpec,
  words: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  for (const [name, arg] of Object.entries(args)) {
    const value = words[name];
    if (arg.choices !== undefined && typeof value === 'string' && !arg.choices.includes(value)) {
      throw notOneOf(`<${kebab(name)}>`, value, arg.choices);
    }
    if (value !== '') continue;
    const list = arg.from === undefined ? undefined : `To list them: ${arg.from}`;
    throw new ProcError('invalid_usage', `<${kebab(name)}> is empty: ${arg.doc}`, {
      hint: arg.hint ?? list ?? `See the help: proc ${path.join(' ')} --help`,
    });
  }
  return words;
}
