import { helpStyle } from './cli/help/help-style.ts';
import { rootHelp } from './cli/help/root-help.ts';
import type { Surroundings } from './context.ts';
import { ProcError } from './core/errors.ts';
import { EXIT, type ExitCode } from './core/exit-codes.ts';
import { type GlobalFlags, OUTPUT_FORMATS } from './core/global-flags.ts';
import type { Env, Streams } from './core/io.ts';
import { machineError } from './core/machine-errors.ts';
import { VERSION } from './core/proc-version.ts';
import { withAbsoluteFolders, workingFolder } from './core/process/working-folder.ts';
import { systemClock } from './core/time/clock.ts';
import { errorsAsJson } from './output/format.ts';
import { jsonLine } from './output/json.ts';
import { renderError } from './output/render-error.ts';
import { visibleLines } from './terminal/sanitise.ts';
import { describeTerminal } from './terminal/terminal.ts';
import { drain, writeNow, writeOut } from './terminal/write.ts';

/**
 * Runs one command line. Other modules get streams and environment from here, not from `process`.
 *
 * @param argv the words after `proc`
 * @returns the exit code, after all output has left the process
 */
export async function main(argv: readonly string[], streams: Streams, env: Env): Promise<ExitCode> {
  const abort = new AbortController();
  const cwd = workingFolder(env);
  const surroundings: Surroundings = {
    streams,
    env: withAbsoluteFolders(env, cwd),
    cwd,
    typed: argv,
    // In the single executable the script is part of the program.
    selfCommand: [process.execPath, ...('bun' in process.versions ? [] : [process.argv[1] ?? ''])],
    pid: process.pid,
    clock: systemClock,
    signal: abort.signal,
  };
  let code: ExitCode;
  let color: GlobalFlags['color'];
  let json: boolean | undefined;
  let typed: Typed | undefined;
  /** Node's own warnings before the flags are read, which say whether they are JSON. */
  const early: string[] = [];
  const warn = (text: string): void => {
    const line = (json ?? wantsJson(typed, surroundings)) ? jsonLine({ warning: text }) : undefined;
    writeNow(streams.stderr, line ?? `warning: ${visibleLines(text)}\n`);
  };
  let undelivered = (thrown: unknown): unknown => thrown;
  const say = (thrown: unknown) => report(thrown, surroundings, { color, json, typed });
  // Listen before the first `await`: Node emits the warnings of its own start in the next tick.
  const stopPassing = passWarnings((text) => {
    if (typed === undefined) early.push(text);
    else warn(text);
  });
  // What fails here fails again below, where it is reported.
  const page = await quickPage(argv, surroundings).catch(() => undefined);
  if (page !== undefined) {
    stopPassing();
    return print(page, streams.stdout, say);
  }
  const stopListening = listenForSignals(abort);
  const stopCatching = catchStrays(say);
  try {
    const { runCommandLine, undelivered: nameWritten } = await import('./cli/run-command-line.ts');
    const onGlobals = (globals: Typed) => {
      typed = globals;
      early.splice(0).forEach(warn);
    };
    code = await runCommandLine(argv, surroundings, onGlobals, (open) => {
      color = open.flags.color;
      json = open.json;
      undelivered = (thrown) => nameWritten(thrown, open.written);
    });
  } catch (thrown) {
    code = say(thrown);
  } finally {
    stopListening();
    stopCatching();
    stopPassing();
  }
  return flush(code, streams, (thrown) => say(undelivered(thrown)));
}

/** The output of `--version`, of a page of help, or of `proc` alone, without reading more of the program. */
async function quickPage(
  argv: readonly string[],
  surroundings: Surroundings,
): Promise<string | undefined> {
  const { streams, env } = surroundings;
  const words = argv.slice(0, -1);
  switch (argv.at(-1)) {
    case undefined:
      return rootHelp(helpStyle(streams, env));
    case '--version':
    case '-V':
      return words.length === 0 ? `${VERSION}\n` : undefined;
    case '--help':
    case '-h': {
      const style = helpStyle(streams, env);
      if (words.length === 0) return rootHelp(style);
      if (words.some((word) => word.startsWith('-'))) return undefined;
      const { pageAt } = await import('./cli/help/show-help.ts');
      return pageAt(words, style, surroundings);
    }
    default:
      return undefined;
  }
}

async function print(
  page: string,
  stdout: Streams['stdout'],
  failed: (thrown: unknown) => ExitCode,
): Promise<ExitCode> {
  try {
    await writeOut(stdout, page);
    await drain(stdout);
    return EXIT.done;
  } catch (thrown) {
    return failed(thrown);
  }
}

const SIGNALS = ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM'] as const;

function endedBy(signal: NodeJS.Signals): ProcError {
  switch (signal) {
    case 'SIGHUP':
      return new ProcError('interrupted', 'the terminal was closed', { exitCode: EXIT.hungUp });
    case 'SIGQUIT':
      return new ProcError('interrupted', 'quit', { exitCode: EXIT.quit });
    case 'SIGTERM':
      return new ProcError('interrupted', 'terminated', { exitCode: EXIT.terminated });
    default:
      return new ProcError('interrupted', 'interrupted');
  }
}

/** The first signal ends the command gracefully, the second at once. */
function listenForSignals(abort: AbortController): () => void {
  const onSignal = (signal: NodeJS.Signals): void => {
    const error = endedBy(signal);
    if (abort.signal.aborted) process.exit(error.exitCode);
    abort.abort(error);
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return () => {
    for (const signal of SIGNALS) process.off(signal, onSignal);
  };
}

/** Reports an uncaught error, e.g. from a callback of a library, and exits. */
function catchStrays(say: (thrown: unknown) => ExitCode): () => void {
  const onStray = (thrown: unknown): void => process.exit(say(thrown));
  process.on('uncaughtException', onStray);
  return () => process.off('uncaughtException', onStray);
}

type OnWarning = (warning: Error) => void;

/** Tests run several commands at once, and a command must not remove the listener of another command. */
const OWN_LISTENERS = new WeakSet<OnWarning>();

/** Prints Node's own warnings in proc's form, e.g. about an unreadable certificate file. */
function passWarnings(say: (text: string) => void): () => void {
  const others = process.listeners('warning').filter((one) => !OWN_LISTENERS.has(one));
  for (const listener of others) process.off('warning', listener);
  const onWarning: OnWarning = (warning) => say(`${warning.name}: ${warning.message}`);
  OWN_LISTENERS.add(onWarning);
  process.on('warning', onWarning);
  return () => {
    process.off('warning', onWarning);
    for (const listener of others) process.on('warning', listener);
  };
}

/** @param known settings for colour and JSON, if the command line was parsed */
function report(
  thrown: unknown,
  surroundings: Surroundings,
  known: {
    readonly color: GlobalFlags['color'];
    readonly json: boolean | undefined;
    readonly typed: Typed | undefined;
  },
): ExitCode {
  const { streams, env } = surroundings;
  const terminal = describeTerminal(streams, env, { noInput: false, color: known.color });
  const json = known.json ?? wantsJson(known.typed, surroundings);
  const trace = env.PROC_DEBUG === '1';
  const width = terminal.stderrIsTerminal ? terminal.stderrWidth : undefined;
  const error = thrown instanceof ProcError ? thrown : (machineError(thrown) ?? thrown);
  writeNow(
    streams.stderr,
    renderError(error, {
      json,
      color: terminal.color.stderr,
      width,
      trace,
    }),
  );
  return error instanceof ProcError ? error.exitCode : EXIT.bug;
}

/** Global flags as typed: all values of each, in order. */
type Typed = Readonly<Record<string, unknown>>;

/** For errors and warnings before the flags are checked. */
function wantsJson(typed: Typed | undefined, { streams, env }: Surroundings): boolean {
  const formats = (typed?.output ?? []) as readonly string[];
  return errorsAsJson({
    flag: OUTPUT_FORMATS.find((known) => formats.includes(known) || formats.includes(`=${known}`)),
    env: env.PROC_OUTPUT,
    outFile: undefined,
    stdoutIsTerminal: streams.stdout.isTTY === true,
    stderrIsTerminal: streams.stderr.isTTY === true,
  });
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
