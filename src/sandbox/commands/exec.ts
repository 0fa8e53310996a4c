import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { constants, platform, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { type Context, command } from '../../context.ts';
import { EXIT, type ExitCode, ProcError, systemCode } from '../../core/errors.ts';
import type { Env } from '../../core/io.ts';
import { inShell } from '../../core/wording.ts';
import { settleOf } from '../faults.ts';
import { startSandbox } from '../server.ts';
import { beginningOf, SANDBOX_FLAGS } from './sandbox-flags.ts';

export const exec = command({
  path: ['sandbox', 'exec'],
  changes: 'local',
  prints: 'nothing',
  summary: 'Run a command, by default your shell, against a fresh sandbox',
  description:
    'Use it to try proc and to test scripts. The command gets its own sandbox with sample data, fresh config and state folders, and the variables PROC_BASE_URL, PROC_API_KEY, PROC_SETTLE and PROC_SANDBOX_DB (the SQLite file of the sandbox). Of your own variables it gets the usual ones of a terminal (HOME, PATH, LANG, …). If the command calls proc, this same installation of proc runs. proc removes everything afterwards and exits with the code of the command.',
  args: { command: { doc: 'the command and its arguments', variadic: true, optional: true } },
  flags: SANDBOX_FLAGS,
  examples: [
    { run: 'proc sandbox exec -- proc orders list --limit 3', doc: 'run one command' },
    {
      run: "proc sandbox exec --empty -- sh -c 'proc items create --name Bolt && proc items list'",
      doc: 'run a script',
    },
    {
      run: 'proc sandbox exec --seed examples/seed.json -- proc orders list',
      doc: 'start with your own orders',
    },
  ],
  passesCodes:
    'Also any exit code of the command, or 128 + the number of the signal that ended it.',
  async run(ctx, args, flags) {
    const sandbox = await startSandbox({
      ...(await beginningOf(flags, ctx)),
      faults: flags.faults,
    });
    const folder = await mkdtemp(join(tmpdir(), 'proc-exec-'));
    try {
      const env = {
        ...inherited(ctx.env),
        PROC_CONFIG_DIR: join(folder, 'config'),
        PROC_STATE_DIR: join(folder, 'state'),
        PROC_BASE_URL: sandbox.baseUrl,
        PROC_API_KEY: sandbox.keys[0]!.apiKey,
        PROC_SETTLE: settleOf(flags.faults),
        PROC_SANDBOX_DB: sandbox.dbPath,
        PATH: [await binFolder(folder, ctx.selfCommand), ctx.env.PATH ?? ''].join(delimiter),
      };
      let [program, ...words] = args.command;
      if (program === undefined) {
        program = (platform() === 'win32' ? ctx.env.ComSpec : ctx.env.SHELL) || 'sh';
        const text = `This shell has a sandbox of its own, which ends with it (exit). To try: ${sandbox.samples ?? 'proc items create --name Bolt'}`;
        ctx.io.say({ kind: 'notice', text });
      }
      return { kind: 'none', exitCode: await runChild(ctx, [program, ...words], env) };
    } finally {
      await sandbox.close();
      await rm(folder, { recursive: true, force: true });
    }
  },
});

/** The variables that the command inherits. The others may hold secrets, or point proc to another service. */
const INHERITED = new RegExp(
  `^(?:${[
    'HOME|USER|LOGNAME|SHELL|PWD|TZ|TMPDIR|TMP|TEMP|LANG|LANGUAGE|LC_\\w+',
    'TERM|COLORTERM|TERM_PROGRAM|COLUMNS|LINES|NO_COLOR|FORCE_COLOR|EDITOR|VISUAL|PAGER|CI',
    'NODE_OPTIONS|NODE_EXTRA_CA_CERTS|PROC_NO_INPUT|PROC_DEBUG|PROC_READ_ONLY|PROC_OUTPUT',
    // On Windows.
    'SystemRoot|SystemDrive|ComSpec|PATHEXT|USERPROFILE|USERNAME|APPDATA|LOCALAPPDATA',
  ].join('|')})$`,
);

function inherited(env: Env): Env {
  return Object.fromEntries(Object.entries(env).filter(([name]) => INHERITED.test(name)));
}

/** A folder with a program `proc`, which is this installation. */
async function binFolder(folder: string, selfCommand: readonly string[]): Promise<string> {
  const bin = join(folder, 'bin');
  await mkdir(bin);
  if (platform() === 'win32') {
    const call = selfCommand.map((word) => `"${word}"`).join(' ');
    await writeFile(join(bin, 'proc.cmd'), `@${call} %*\r\n`);
  } else {
    const call = selfCommand.map(inShell).join(' ');
    await writeFile(join(bin, 'proc'), `#!/bin/sh\nexec ${call} "$@"\n`, { mode: 0o755 });
  }
  return bin;
}

/** @returns the command's exit code, or 128 + the number of the signal that ended it */
async function runChild(
  { io: { streams }, signal }: Context,
  [program, ...args]: readonly [string, ...string[]],
  env: Env,
): Promise<ExitCode> {
  const { execa } = await import('execa');
  const options = { env, extendEnv: false, stdio: 'inherit', reject: false } as const;
  const child = execa(program, args, options);
  const forward = () => {
    const { exitCode } = signal.reason as ProcError;
    // On a terminal, the command gets Ctrl-C from the terminal itself.
    if (exitCode !== EXIT.interrupted || streams.stdin.isTTY !== true) child.kill(exitCode - 128);
  };
  if (signal.aborted) forward();
  else signal.addEventListener('abort', forward, { once: true });
  const ended = await child;
  signal.removeEventListener('abort', forward);
  if (ended.exitCode === undefined && ended.signal === undefined) {
    const isMissing = systemCode(ended.cause) === 'ENOENT';
    throw new ProcError(
      'invalid_usage',
      `cannot run ${program}: ${isMissing ? 'there is no such command' : ended.originalMessage}`,
      {
        hint: 'Use a command on your PATH, e.g.: proc sandbox exec -- proc orders list',
        cause: ended.cause,
      },
    );
  }
  // The command may exit with any number, not only with a code of proc.
  return (ended.exitCode ?? 128 + constants.signals[ended.signal!]) as ExitCode;
}
