import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { execa, type ResultPromise } from 'execa';
import { onTestFinished } from 'vitest';
import { atFileEnd } from './at-end.ts';
import { binary, programVariables } from './built.ts';
import { runHere, withSandboxKey } from './in-process.ts';
import { typedVariables } from './typed-variables.ts';

export const ROOT = resolve(import.meta.dirname, '../..');

export interface Ran {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface SpawnOptions extends RunOptions {
  /** Runs as this user, if the tests run as root. */
  readonly uid?: number | undefined;
}

export interface RunOptions {
  /** Added to the environment of the world. The value undefined removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly input?: string | Uint8Array | Readable;
  readonly cwd?: string;
  /** Leaves an import as it is typed. By default the world is one where nothing was ever imported. */
  readonly asTyped?: boolean;
}

/** Fresh folders and a clean environment, in which `proc` has no state. */
export interface World {
  readonly folder: string;
  readonly configDir: string;
  readonly stateDir: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /**
   * Runs the built program in this process, twenty times as fast as a new process. A test that needs its own
   * time zone, user or limits uses {@link World.spawn}.
   */
  run(args: readonly string[], options?: RunOptions): Promise<Ran>;
  /** Runs the built binary to its end, as a shell does. */
  spawn(args: readonly string[], options?: SpawnOptions): Promise<Ran>;
  /** Starts the built binary, for interaction while it runs. */
  start(args: readonly string[], options?: SpawnOptions): ResultPromise<StartOptions>;
  /** Runs a line of sh, in which `"$NODE" "$PROC"` is proc. */
  shell(line: string, options?: SpawnOptions): Promise<Ran>;
  /** Writes a file into the working directory; returns its absolute path. */
  file(name: string, content: string | Uint8Array): Promise<string>;
}

type StartOptions = { readonly reject: false; readonly stripFinalNewline: false };

/** A world that is removed with the test. Concurrent tests use {@link openWorld}. */
export async function freshWorld(given: Readonly<Record<string, string>> = {}): Promise<World> {
  const world = await openWorld(given);
  onTestFinished(() => world[Symbol.asyncDispose]());
  return world;
}

/** A world for `await using`, or for all tests of a file. What it started ends with it. */
export async function openWorld(
  given: Readonly<Record<string, string>> = {},
): Promise<World & AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), 'proc-e2e-'));
  const configDir = join(folder, 'config');
  const stateDir = join(folder, 'state');
  const cwd = join(folder, 'work');
  await mkdir(cwd);
  const env: Record<string, string> = {
    PATH: process.env.PATH ?? '',
    HOME: folder,
    ...inherited('TZ', 'TMPDIR', 'XDG_CACHE_HOME'),
    PROC_CONFIG_DIR: configDir,
    PROC_STATE_DIR: stateDir,
    // Every service of the tests applies a request at once.
    PROC_SETTLE: '2s',
    ...given,
  };
  const started = new Set<ResultPromise<StartOptions>>();
  const launch = (file: string, args: readonly string[], options: SpawnOptions = {}) => {
    const running = execa(file, args, {
      reject: false,
      stripFinalNewline: false,
      extendEnv: false,
      env: definedOnly(withSandboxKey({ ...env, ...options.env }, args)),
      cwd: options.cwd ?? cwd,
      ...(options.input === undefined ? { stdin: 'ignore' } : { input: options.input }),
      ...(options.uid === undefined ? {} : { uid: options.uid, gid: options.uid }),
      // What a shell has started ends with it.
      detached: file === 'sh',
    } as const) as unknown as ResultPromise<StartOptions>;
    started.add(running);
    void running.finally(() => started.delete(running));
    return running;
  };
  const start = (words: readonly string[], options: SpawnOptions = {}) => {
    const typed = typedVariables(words);
    const own = { ...options, env: { ...typed.env, ...options.env } };
    return launch(process.execPath, [binary(), ...typed.args], own);
  };
  const close = async (): Promise<void> => {
    forget();
    for (const running of started) endGroup(running);
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  const forget = atFileEnd(close);
  const ended = async (running: ResultPromise<StartOptions>): Promise<Ran> => {
    const { exitCode, stdout, stderr, signal } = await running;
    if (exitCode === undefined) throw new Error(`ended by ${signal}: ${stderr}`);
    return { exitCode, stdout, stderr };
  };
  const once = (args: readonly string[], options: RunOptions): Promise<Ran> =>
    runHere(args, definedOnly(withSandboxKey({ ...env, ...options.env }, args)), {
      cwd: options.cwd ?? cwd,
      stdin: options.input ?? '',
      asTyped: options.asTyped,
    });
  return {
    folder,
    configDir,
    stateDir,
    cwd,
    env,
    start,
    run: (args, options = {}) => once(args, options),
    spawn: (args, options) => ended(start(args, options)),
    shell: (line, options) =>
      ended(
        launch('sh', ['-c', line], { ...options, env: { ...programVariables(), ...options?.env } }),
      ),
    async file(name, content) {
      const path = join(cwd, name);
      await writeFile(path, content);
      return path;
    },
    [Symbol.asyncDispose]: close,
  };
}

function endGroup(running: ResultPromise<StartOptions>): void {
  try {
    process.kill(-running.pid!, 'SIGKILL');
  } catch {
    running.kill('SIGKILL');
  }
}

function inherited(...names: readonly string[]): Record<string, string> {
  return definedOnly(Object.fromEntries(names.map((name) => [name, process.env[name]])));
}

function definedOnly(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

export interface StderrLine {
  readonly error?: {
    readonly code: string;
    readonly message: string;
    readonly hint?: string;
    readonly status?: number;
    readonly requestId?: string;
    readonly exitCode: number;
    readonly details?: unknown;
  };
  readonly warning?: string;
  readonly notice?: string;
  readonly http?: Readonly<Record<string, unknown>>;
}

/** Parses a piped stderr, which must contain only JSON lines. */
export function jsonLines(stderr: string): StderrLine[] {
  return stderr
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as StderrLine);
}

/** The error on a piped stderr. Throws if there is not exactly one. */
export function errorOf({ stderr }: Pick<Ran, 'stderr'>): NonNullable<StderrLine['error']> {
  const errors = jsonLines(stderr).flatMap(({ error }) => (error === undefined ? [] : [error]));
  if (errors.length !== 1) throw new Error(`expected one error, got ${errors.length}: ${stderr}`);
  return errors[0]!;
}
