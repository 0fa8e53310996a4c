import { type Context, createContext, type OpenContext, type Surroundings } from './context.ts';
import type { CommandSpec } from './core/command-spec.ts';
import { EXIT, type ExitCode, messageOf, ProcError } from './core/errors.ts';
import type { Result } from './core/result.ts';
import { requireWritable } from './core/service.ts';
import { VERSION } from './core/system.ts';
import { listed, typedAgain } from './core/wording.ts';
import { type Parsed, parse } from './program.ts';
import { writeNow } from './terminal/write.ts';

/**
 * Runs one command line.
 *
 * @returns the exit code, or the words of the page of help that is asked for
 * @throws the error that ended the command, after everything is closed
 */
export async function runProgram(
  argv: readonly string[],
  surroundings: Surroundings,
): Promise<ExitCode | readonly string[]> {
  const parsed = await parse(argv, surroundings.env);
  if (parsed.kind === 'run') return run(parsed, surroundings);
  if (parsed.kind === 'page') return parsed.path;
  writeNow(surroundings.streams.stdout, `${VERSION}\n`);
  return EXIT.done;
}

async function run(
  { command, args, flags, globals }: Extract<Parsed, { kind: 'run' }>,
  surroundings: Surroundings,
): Promise<ExitCode> {
  const ctx = createContext(surroundings, globals, command);
  try {
    await ctx.outputPlan();
    const writes = command.writes?.({ args, flags } as never) ?? command.changes === 'service';
    if (writes && !globals.dryRun) await refuseReadOnly(ctx, command);
    const isPiped = [flags.file, flags.input, args.file].includes('-');
    const result = await command.run(ctx, args as never, flags as never);
    return await print(await withNext(result, ctx, writes, isPiped), ctx);
  } finally {
    await ctx.close();
  }
}

/** @throws ProcError `read_only`, before the first request */
async function refuseReadOnly({ flags, env }: OpenContext, { path }: CommandSpec): Promise<void> {
  const { readOnlyTarget } = await import('./config/resolve-target.ts');
  requireWritable(readOnlyTarget({ flags, env }), `proc ${path.join(' ')}`);
}

async function print(result: Result, ctx: OpenContext): Promise<ExitCode> {
  const { render } = await import('./output/render.ts');
  const { streams, terminal, say } = ctx.io;
  try {
    return await render(result, { plan: await ctx.outputPlan(), streams, terminal, say });
  } catch (thrown) {
    throw undelivered(thrown, ctx.written, result);
  }
}

const NAMED = 5;

/** If a write succeeded but its result could not be printed, returns an error that names the write. */
export function undelivered(
  thrown: unknown,
  written: Context['written'],
  result?: Result,
): unknown {
  const failure = result !== undefined && 'failure' in result ? result.failure : undefined;
  // The failure of the result is thrown once it is printed. An unknown outcome or a signal matters more than lost output.
  if (written.length === 0 || thrown === failure || outranks(thrown)) return thrown;
  if (outranks(failure)) return failure;
  const named = written.map(({ what, created }) => {
    return created === undefined ? what : `${what} (${created})`;
  });
  // If the files of proc are replaced meanwhile, Node's error has lines of a stack.
  const [firstLine] = messageOf(thrown).split('\n');
  return new ProcError(
    'undelivered',
    `done: ${listed(named, NAMED)}, but the result could not be written: ${firstLine}`,
    {
      hint: `See it: ${written[0]!.see}`,
      details: { written: written.map(({ what, created = null }) => ({ what, created })) },
      cause: thrown,
    },
  );
}

function outranks(error: unknown): boolean {
  if (!(error instanceof ProcError)) return false;
  return error.exitCode === EXIT.outcomeUnknown || error.exitCode >= EXIT.hungUp;
}

/** Adds the command without `--dry-run` to what a dry run prints for programs, unless it would be refused. */
async function withNext(
  result: Result,
  ctx: OpenContext,
  isWrite: boolean,
  isPiped: boolean,
): Promise<Result> {
  const { flags, typed, io } = ctx;
  if (!flags.dryRun || io.terminal.stdoutIsTerminal || result.kind !== 'record') return result;
  const { value, failure } = result;
  if (value.dryRun !== true || value.next !== undefined) return result;
  const error = typeof failure === 'function' ? failure() : failure;
  const target = isWrite ? await ctx.target() : undefined;
  // What would be refused has no next step: only a person may lift a refusal, as its hint says. Nor has a
  // command that read standard input, which it would not find again.
  const hasNone = error !== undefined || target?.readOnly !== undefined || isPiped;
  const { missingConsent } = await import('./write.ts');
  const agreed = io.terminal.interactive ? [] : missingConsent(target, ctx);
  const undry = typed.filter((word) => word !== '--dry-run');
  const reviewed = typeof value.digest === 'string' ? ['--digest', value.digest] : [];
  // Query and file of results were for what the dry run shows.
  const without = ['-q', '--query', '--results', '--digest'];
  const command = typedAgain(undry, [...agreed, ...reviewed], without);
  const what = isWrite ? 'Send it' : 'Make this change';
  const why = agreed.length === 0 ? what : `${what}; --yes confirms it`;
  return { ...result, value: { ...value, next: hasNone ? [] : [{ command, why }] } };
}
