import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { Streams } from '../../src/core/io.ts';
import { atFileEnd } from './at-end.ts';
import { binary, builtMain } from './built.ts';
import type { Ran } from './run.ts';
import { type MemoryOptions, memoryStreams } from './streams.ts';
import { typedVariables } from './typed-variables.ts';

interface HereOptions extends Omit<MemoryOptions, 'stdin'> {
  readonly stdin?: string | Uint8Array | Readable;
  /** The working directory. Default an empty folder. */
  readonly cwd?: string;
  /** Leaves an import as it is typed. By default the world is one where nothing was ever imported. */
  readonly asTyped?: boolean | undefined;
  /** Used instead of streams in memory. The returned stdout and stderr are then empty. */
  readonly streams?: Streams;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Adds the key of a sandbox to an environment that names an address, and neither a key nor a profile. */
export function withSandboxKey(env: Env, args: readonly string[]): Env {
  const names = ['PROC_API_KEY', 'PROC_TOKEN', 'PROC_PROFILE'];
  if (
    !/^http:\/\/(127|localhost)/.test(env.PROC_BASE_URL ?? '') ||
    names.some((name) => name in env) ||
    args.includes('-p')
  )
    return env;
  return { ...env, PROC_API_KEY: 'proc-sandbox-key' };
}

/**
 * Runs a command line with the built `main` in this process, which is faster than a new process. Loopback HTTP
 * and files are real.
 */
export async function runHere(
  words: readonly string[],
  given: Env,
  options: HereOptions = {},
): Promise<Ran> {
  const typed = typedVariables(words);
  const env = { ...given, ...typed.env };
  const ran = await runOnce(typed.args, env, options);
  const place = placeOf(typed.args, env);
  const isFirst = ran.exitCode === 3 && / has no earlier import of /.test(ran.stderr);
  if (!isFirst || !areFirst || options.asTyped === true || begun.has(place)) return ran;
  const first = await runOnce([...typed.args, '--first-run'], env, options);
  if ([0, 8, 9, 10].includes(first.exitCode) && !typed.args.includes('--dry-run')) begun.add(place);
  return first;
}

let areFirst = false;
/** Where an import has begun: there, `--first-run` is never needed again. */
const begun = new Set<string>();

/**
 * For the stories of a file that begin on a new machine: the first import of a noun into a ledger gets `--first-run`,
 * and only the first.
 */
export function assumeFirstRuns(): void {
  areFirst = true;
  atFileEnd(() => {
    areFirst = false;
  });
}

/** The ledger, the noun and the key, as far as the command line names them. */
function placeOf(args: readonly string[], env: Env): string {
  const { PROC_STATE_DIR, PROC_LEDGER, PROC_BASE_URL, PROC_API_KEY, PROC_PROFILE } = env;
  const named = args.flatMap((word, at) =>
    /^(-p|-e|--profile|--env)$/.test(word) ? [args[at + 1]] : [],
  );
  return JSON.stringify([
    PROC_STATE_DIR,
    PROC_LEDGER,
    PROC_BASE_URL,
    PROC_API_KEY,
    PROC_PROFILE,
    args[0],
    ...named,
  ]);
}

async function runOnce(
  args: readonly string[],
  env: Env,
  { stdin = '', cwd, streams: own, ...options }: HereOptions,
): Promise<Ran> {
  const isStream = stdin instanceof Readable;
  const memory = memoryStreams({ ...options, ...(isStream ? {} : { stdin }) });
  const made = isStream ? { ...memory, stdin: stdin as typeof memory.stdin } : memory;
  const streams = own ?? made;
  await using _place = await enter(cwd ?? nowhere());
  const exitCode = await asTheBinary(() =>
    builtMain(args)(args, streams, withSandboxKey(env, args)),
  );
  return { exitCode, stdout: memory.stdoutText(), stderr: memory.stderrText() };
}

/**
 * Sets the path of the script, `argv[1]`, while `start` is called. `main` reads it before its first `await`.
 */
function asTheBinary<T>(start: () => T): T {
  const script = process.argv[1] ?? '';
  process.argv[1] = binary();
  try {
    return start();
  } finally {
    process.argv[1] = script;
  }
}

const HOME = process.cwd();
let empty: string | undefined;

function nowhere(): string {
  empty ??= mkdtempSync(join(tmpdir(), 'proc-nowhere-'));
  return empty;
}

/** The working directory of all command lines that run now. A process has only one. */
let place = { cwd: HOME, runs: 0, left: Promise.resolve(), leave: (): void => undefined };

/** A command line that runs for longer in another folder belongs to a test that has timed out. */
const LONGEST_MS = 60_000;

/** Waits until no command line runs in another folder. */
async function enter(cwd: string): Promise<AsyncDisposable> {
  const giveUpAt = performance.now() + LONGEST_MS;
  while (place.runs > 0 && place.cwd !== cwd && performance.now() < giveUpAt) {
    await Promise.race([
      place.left,
      pause(giveUpAt - performance.now(), undefined, { ref: false }),
    ]);
  }
  if (place.runs === 0 || place.cwd !== cwd) {
    process.chdir(cwd);
    const { promise, resolve } = Promise.withResolvers<void>();
    place = { cwd, runs: 0, left: promise, leave: resolve };
  }
  const here = place;
  here.runs++;
  return {
    async [Symbol.asyncDispose]() {
      if (--here.runs > 0) return;
      if (here === place) process.chdir(HOME);
      here.leave();
    },
  };
}
