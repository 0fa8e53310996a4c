import { existsSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Surroundings, Written } from './context.ts';
import { EXIT, type ExitCode, machineError, ProcError } from './core/errors.ts';
import { OUTPUT_FORMATS } from './core/global-flags.ts';
import type { Env, Streams } from './core/io.ts';
import { VERSION, withAbsoluteFolders, workingFolder } from './core/system.ts';
import { systemClock } from './core/time.ts';
import { targetFlags } from './core/wording.ts';
import { errorsAsJson, jsonLine } from './output/format.ts';
import { renderError } from './output/render-error.ts';
import { NOUNS, rootHelp } from './registry.ts';
import { visibleLines } from './terminal/sanitise.ts';
import { colorFor, paint } from './terminal/terminal.ts';
import { drain, writeNow } from './terminal/write.ts';

/**
 * Runs one command line. Other modules get streams and environment from here, not from `process`.
 *
 * @param argv the words after `proc`
 * @returns the exit code, after all output has left the process
 */
export async function main(
  argv: readonly string[],
  streams: Streams,
  given: Env,
): Promise<ExitCode> {
  const abort = new AbortController();
  const cwd = workingFolder(given);
  const env = withAbsoluteFolders(given, cwd);
  const written: Written[] = [];
  const surroundings: Surroundings = {
    ...{ streams, env, cwd, typed: argv, pid: process.pid, clock: systemClock, written },
    // In the single executable the script is part of the program.
    selfCommand: [process.execPath, ...('bun' in process.versions ? [] : [process.argv[1] ?? ''])],
    signal: abort.signal,
    json: errorsAreJson(argv, streams, env),
  };
  const say = (thrown: unknown) => report(thrown, surroundings);
  const warn = (text: string) => {
    const line = surroundings.json ? jsonLine({ warning: text }) : undefined;
    writeNow(streams.stderr, line ?? `warning: ${visibleLines(text)}\n`);
  };
  // Node's own warnings, e.g. about an unreadable certificate file. It emits those of its start in the next tick.
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => warn(`${name}: ${message}`));
  const stopListening = listenForSignals(abort);
  const stopCatching = catchStrays(say);
  let code: ExitCode = EXIT.done;
  let undelivered = (thrown: unknown): unknown => thrown;
  try {
    if (!(await quickly(argv, surroundings))) {
      const program = await import('./run.ts');
      undelivered = (thrown) => program.undelivered(thrown, written);
      const ended = await program.runProgram(argv, surroundings);
      if (typeof ended === 'number') code = ended;
      else await showPage(ended, surroundings);
    }
  } catch (thrown) {
    code = say(thrown);
  } finally {
    stopListening();
    stopCatching();
  }
  return flush(code, streams, (thrown) => say(undelivered(thrown)));
}

/** `--version`, `proc` alone and pages of help, without reading more of the program. */
async function quickly(argv: readonly string[], surroundings: Surroundings): Promise<boolean> {
  const [first] = argv;
  if (argv.length === 1 && (first === '--version' || first === '-V')) {
    writeNow(surroundings.streams.stdout, `${VERSION}\n`);
    return true;
  }
  const rest = first === 'help' ? argv.slice(1) : argv;
  const words = rest.filter((word) => word !== '--help' && word !== '-h');
  const isHelp = words.length < argv.length || argv.length === 0;
  if (!isHelp || words.some((word) => word.startsWith('-'))) return false;
  const noun = NOUNS.find(({ aliases = [] }) => aliases.includes(words[0]!))?.name;
  return showPage(noun === undefined ? words : [noun, ...words.slice(1)], surroundings);
}

/** @returns false if there is no such page */
async function showPage(path: readonly string[], surroundings: Surroundings): Promise<boolean> {
  const { streams, env, typed, selfCommand } = surroundings;
  const pages = path.length === 0 ? undefined : await (await import('./help-pages.ts')).helpPages();
  const page = pages === undefined ? rootHelp() : pages[path.join(' ')];
  if (page === undefined) return false;
  const color = typedValue(typed, '--color') as 'always' | 'never' | undefined;
  const { bold } = paint(colorFor(streams.stdout.isTTY === true, env, color));
  const text = page.replace(/^[A-Z][\w ,]*:/gm, (heading) => bold(heading));
  const hasFiles = / examples\//.test(page);
  writeNow(streams.stdout, hasFiles ? `${text}Example files: ${examplesIn(selfCommand)}\n` : text);
  return true;
}

/** The script may be started by a link, so its real path is needed. */
function examplesIn(selfCommand: readonly string[]): string {
  const script = selfCommand.at(-1) ?? '';
  return visibleLines(
    resolve(existsSync(script) ? realpathSync(script) : script, '../..', 'examples'),
  );
}

/** The last value of a flag, before commander reads it: errors of the command line need its form. */
function typedValue(argv: readonly string[], ...names: readonly string[]): string | undefined {
  const values = argv.flatMap((word, at) => {
    const name = names.find((one) => word.startsWith(one));
    if (name === undefined) return [];
    return word === name ? (argv[at + 1] ?? []) : word.slice(name.length).replace(/^=/, '');
  });
  return values.at(-1);
}

function errorsAreJson(argv: readonly string[], { stdout, stderr }: Streams, env: Env): boolean {
  const format = typedValue(argv, '--output', '-o');
  return errorsAsJson({
    flag: OUTPUT_FORMATS.find((known) => known === format),
    env: env.PROC_OUTPUT,
    outFile: typedValue(argv, '--out'),
    stdoutIsTerminal: stdout.isTTY === true,
    stderrIsTerminal: stderr.isTTY === true,
  });
}

const SIGNALS = {
  SIGHUP: ['the terminal was closed', EXIT.hungUp],
  SIGINT: ['interrupted', EXIT.interrupted],
  SIGQUIT: ['quit', EXIT.quit],
  SIGTERM: ['terminated', EXIT.terminated],
} as const;

/** The first signal ends the command gracefully, the second at once. */
function listenForSignals(abort: AbortController): () => void {
  const onSignal = (signal: NodeJS.Signals): void => {
    const [text, exitCode] = SIGNALS[signal as keyof typeof SIGNALS];
    if (abort.signal.aborted) process.exit(exitCode);
    abort.abort(new ProcError('interrupted', text, { exitCode }));
  };
  const names = Object.keys(SIGNALS) as NodeJS.Signals[];
  for (const name of names) process.on(name, onSignal);
  return () => {
    for (const name of names) process.off(name, onSignal);
  };
}

/** Reports an uncaught error, e.g. from a callback of a library, and exits. */
function catchStrays(say: (thrown: unknown) => ExitCode): () => void {
  const onStray = (thrown: unknown): void => process.exit(say(thrown));
  process.on('uncaughtException', onStray);
  return () => process.off('uncaughtException', onStray);
}

function report(thrown: unknown, { streams, env, typed, json }: Surroundings): ExitCode {
  const { stderr } = streams;
  const color = typedValue(typed, '--color') as 'always' | 'never' | undefined;
  const error = thrown instanceof ProcError ? thrown : (machineError(thrown) ?? thrown);
  const text = renderError(error, {
    json,
    color: colorFor(stderr.isTTY === true, env, color),
    trace: env.PROC_DEBUG === '1',
    target: targetFlags({
      profile: typedValue(typed, '--profile', '-p'),
      env: typedValue(typed, '--env', '-e'),
    }),
  });
  writeNow(stderr, text);
  return error instanceof ProcError ? error.exitCode : EXIT.bug;
}

/** Waits until all output has left. If stdout cannot be written, a successful command fails. */
async function flush(
  code: ExitCode,
  { stdout, stderr }: Streams,
  failed: (thrown: unknown) => ExitCode,
): Promise<ExitCode> {
  try {
    await drain(stdout);
  } catch (thrown) {
    if (code === EXIT.done) code = failed(thrown);
  }
  // A failure of stderr cannot be reported anywhere.
  await drain(stderr).catch(() => undefined);
  return code;
}
