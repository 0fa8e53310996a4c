import { spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { constants, platform, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { Context } from '../context.ts';
import { messageOf, ProcError } from '../core/errors.ts';
import type { ExitCode } from '../core/exit-codes.ts';
import type { Env } from '../core/io.ts';
import { inShell } from '../core/text/typed.ts';
import { settleOf } from './faults.ts';
import { type SandboxOptions, startSandbox } from './server.ts';

/** Variables of proc that the command inherits, because they do not affect its target. */
const KEPT = ['PROC_NO_INPUT', 'PROC_DEBUG', 'PROC_READ_ONLY'];

/**
 * Runs a command, by default the shell, with a fresh sandbox, config folder and state folder, and removes all three
 * afterwards.
 *
 * @returns the command's exit code, or 128 + the number of the signal that ended it
 */
export async function execInSandbox(
  ctx: Context,
  command: readonly string[],
  options: SandboxOptions,
): Promise<ExitCode> {
  const sandbox = await startSandbox(options);
  const folder = await mkdtemp(join(tmpdir(), 'proc-exec-'));
  try {
    const env = {
      ...outerEnv(ctx.env),
      PROC_CONFIG_DIR: join(folder, 'config'),
      PROC_STATE_DIR: join(folder, 'state'),
      PROC_BASE_URL: sandbox.baseUrl,
      PROC_API_KEY: sandbox.keys[0]!.apiKey,
      PROC_SETTLE: settleOf(options.faults),
      PROC_SANDBOX_DB: sandbox.dbPath,
      PATH: [await shim(folder, ctx.selfCommand), ctx.env.PATH ?? ''].join(delimiter),
    };
    const [program, ...args] = command;
    if (program !== undefined) return await run(ctx, [program, ...args], env);
    const text = `This shell has a sandbox of its own, which ends with it (exit). To try: ${sandbox.samples ?? 'proc items create --name Bolt'}`;
    ctx.io.say({ kind: 'notice', text });
    return await run(ctx, [shellOf(ctx.env)], env);
  } finally {
    await sandbox.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function outerEnv(env: Env): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !name.startsWith('PROC_') || KEPT.includes(name)),
  );
}

function shellOf({ SHELL, ComSpec }: Env): string {
  return (platform() === 'win32' ? ComSpec : SHELL) || 'sh';
}

async function shim(folder: string, selfCommand: readonly string[]): Promise<string> {
  const bin = join(folder, 'bin');
  await mkdir(bin);
  if (platform() === 'win32') {
    const call = selfCommand.map((word) => `"${word}"`).join(' ');
    await writeFile(join(bin, 'proc.cmd'), `@${call} %*\r\n`);
  } else {
    const call = selfCommand.map(inShell).join(' ');
    await writeFile(join(bin, 'proc'), `#!/bin/sh\nexec ${call} "$@"\n`);
    await chmod(join(bin, 'proc'), 0o755);
  }
  return bin;
}

function run(
  { io: { streams }, signal }: Context,
  [program, ...args]: readonly [string, ...string[]],
  env: Env,
): Promise<ExitCode> {
  return new Promise((resolve, reject) => {
    const stdio = [streams.stdin, streams.stdout, streams.stderr].map((stream) => fdOf(stream));
    const child = spawn(program, args, { env, stdio: stdio as ('pipe' | number)[] });
    if (child.stdin !== null) streams.stdin.pipe(child.stdin);
    child.stdout?.pipe(streams.stdout, { end: false });
    child.stderr?.pipe(streams.stderr, { end: false });
    const forward = () => {
      const sent = (signal.reason as ProcError).exitCode - 128;
      // On a terminal, the command gets Ctrl-C from the terminal itself.
      if (sent !== constants.signals.SIGINT || streams.stdin.isTTY !== true) child.kill(sent);
    };
    if (signal.aborted) forward();
    else signal.addEventListener('abort', forward, { once: true });
    child.once('error', (thrown) => {
      reject(
        new ProcError('invalid_usage', `cannot run ${program}: ${messageOf(thrown)}`, {
          hint: 'Use a command on your PATH, e.g.: proc sandbox exec -- proc orders list',
          cause: thrown,
        }),
      );
    });
    child.once('close', (code, killedBy) => {
      signal.removeEventListener('abort', forward);
      const exitCode = code ?? 128 + (killedBy === null ? 0 : constants.signals[killedBy]);
      // The command may exit with any number, not only with a code of proc.
      resolve(exitCode as ExitCode);
    });
  });
}

/**
 * With a file descriptor, the command gets the real terminal. Streams in memory have no descriptor.
 */
function fdOf(stream: Readable | Writable): number | 'pipe' {
  const { fd } = stream as { fd?: unknown };
  return typeof fd === 'number' ? fd : 'pipe';
}
