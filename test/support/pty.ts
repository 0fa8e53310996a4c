import { type IPty, spawn } from '@lydell/node-pty';
import { onTestFinished } from 'vitest';
import { binary } from './built.ts';
import type { World } from './run.ts';

export interface PtyOptions {
  readonly cols?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** A shell line instead of `proc` itself, for instance with a pipe; `$PROC` is the binary. */
  readonly shell?: string;
}

/** `proc` on a pseudo-terminal: all three streams are the terminal. */
export interface PtySession {
  /** All that the terminal received so far. */
  text(): string;
  /** Resolves once the terminal has shown the text, counted from the last `waitFor`. */
  waitFor(text: string): Promise<void>;
  /** Presses keys: `'y\r'`, `'\u0003'` for Ctrl-C. */
  type(keys: string): void;
  /** The terminal gets another width. */
  resize(cols: number): void;
  /** Ends the program by a signal. */
  kill(signal: string): void;
  /** The exit code, once the program has ended. */
  readonly exited: Promise<number>;
}

/** Starts `proc` on a terminal of its own, 80 columns wide; ended with the test. */
export function startPty(
  world: Pick<World, 'env' | 'cwd'>,
  args: readonly string[],
  { cols = 80, env = {}, shell }: PtyOptions = {},
): PtySession {
  const file = shell === undefined ? process.execPath : 'sh';
  const words = shell === undefined ? [binary(), ...args] : ['-c', shell];
  const pty: IPty = spawn(file, words, {
    name: 'xterm-256color',
    cols,
    rows: 50,
    cwd: world.cwd,
    env: {
      ...world.env,
      TERM: 'xterm-256color',
      ...(shell === undefined ? {} : { PROC: `${process.execPath} ${binary()}` }),
      ...env,
    },
  });
  let text = '';
  let seen = 0;
  let ended = false;
  const listeners = new Set<() => void>();
  const told = (): void => {
    for (const listener of listeners) listener();
  };
  pty.onData((data) => {
    text += data;
    told();
  });
  const exited = new Promise<number>((resolve) => {
    pty.onExit(({ exitCode }) => {
      ended = true;
      told();
      resolve(exitCode);
    });
  });
  onTestFinished(() => {
    if (!ended) pty.kill('SIGKILL');
  });
  return {
    text: () => text,
    type: (keys) => pty.write(keys),
    resize: (columns) => pty.resize(columns, 50),
    kill: (signal) => pty.kill(signal),
    exited,
    waitFor: (wanted) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const at = text.indexOf(wanted, seen);
          if (at >= 0) {
            seen = at + wanted.length;
            listeners.delete(look);
            resolve();
          } else if (ended) {
            listeners.delete(look);
            reject(new Error(`ended without showing ${JSON.stringify(wanted)}:\n${text}`));
          }
        };
        listeners.add(look);
        look();
      }),
  };
}
