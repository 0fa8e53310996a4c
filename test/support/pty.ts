import { type IPty, spawn } from '@lydell/node-pty';
import { onTestFinished } from 'vitest';
import { binary, programVariables } from './built.ts';
import type { World } from './run.ts';
import { Received, type TerminalSession } from './terminal.ts';
import { typedVariables } from './typed-variables.ts';

export interface PtyOptions {
  readonly cols?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Runs this shell line instead of `proc`, e.g. with a pipe. `"$NODE" "$PROC"` is the program. */
  readonly shell?: string;
}

export interface PtySession extends TerminalSession {
  kill(signal: string): void;
}

/** Starts `proc` on a new terminal, 80 columns wide. It ends with the test. */
export function startPty(
  world: Pick<World, 'env' | 'cwd'>,
  args: readonly string[],
  { cols = 80, env = {}, shell }: PtyOptions = {},
): PtySession {
  const file = shell === undefined ? process.execPath : 'sh';
  const typed = typedVariables(args);
  const words = shell === undefined ? [binary(), ...typed.args] : ['-c', shell];
  const pty: IPty = spawn(file, words, {
    name: 'xterm-256color',
    cols,
    rows: 50,
    cwd: world.cwd,
    env: {
      ...world.env,
      TERM: 'xterm-256color',
      ...(shell === undefined ? {} : programVariables()),
      ...typed.env,
      ...env,
    },
  });
  const received = new Received();
  let ended = false;
  pty.onData((data) => received.add(data));
  const exited = new Promise<number>((resolve) => {
    pty.onExit(({ exitCode }) => {
      ended = true;
      received.end();
      resolve(exitCode);
    });
  });
  onTestFinished(() => {
    if (!ended) pty.kill('SIGKILL');
  });
  return {
    text: () => received.text,
    type: (keys) => pty.write(keys),
    resize: (columns) => pty.resize(columns, 50),
    kill: (signal) => pty.kill(signal),
    exited,
    waitFor: (wanted) => received.waitFor(wanted),
  };
}
