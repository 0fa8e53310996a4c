import { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { runHere } from './in-process.ts';
import type { World } from './run.ts';
import { MemoryIn } from './streams.ts';

/** `proc` on a terminal: all three streams are the terminal. */
export interface TerminalSession {
  text(): string;
  /** Resolves once the terminal shows the text. Searches only after the text of the last `waitFor`. */
  waitFor(text: string): Promise<void>;
  /** Types keys: `'y\r'`, `'\u0003'` for Ctrl-C. */
  type(keys: string): void;
  resize(cols: number): void;
  readonly exited: Promise<number>;
}

export class Received {
  text = '';
  #seen = 0;
  #isEnded = false;
  readonly #listeners = new Set<() => void>();

  add(data: string): void {
    this.text += data;
    for (const listener of this.#listeners) listener();
  }

  end(): void {
    this.#isEnded = true;
    for (const listener of this.#listeners) listener();
  }

  waitFor(wanted: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const at = this.text.indexOf(wanted, this.#seen);
        if (at >= 0) {
          this.#seen = at + wanted.length;
          this.#listeners.delete(look);
          resolve();
        } else if (this.#isEnded) {
          this.#listeners.delete(look);
          reject(new Error(`ended without showing ${JSON.stringify(wanted)}:\n${this.text}`));
        }
      };
      this.#listeners.add(look);
      look();
    });
  }
}

interface TerminalOptions {
  readonly cols?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** At the end, print the exit code and the terminal's modes, like `echo $?; stty -a` in a shell. */
  readonly tellsModes?: boolean;
}

class TerminalOut extends Writable {
  readonly isTTY = true;
  columns: number;
  readonly #received: Received;

  constructor(columns: number, received: Received) {
    super({ decodeStrings: false });
    this.columns = columns;
    this.#received = received;
  }

  override _write(chunk: string | Buffer, _encoding: string, done: () => void): void {
    this.#received.add(String(chunk).replace(/\r?\n/g, '\r\n'));
    done();
  }

  /** Does nothing: a pipe into stdout or stderr of a process cannot end them either. */
  override end(): this {
    return this;
  }
}

/**
 * The input of a simulated terminal. In raw mode keys arrive as typed. Otherwise it echoes keys, delivers whole
 * lines, and handles Ctrl-C and Ctrl-D.
 */
class TerminalIn extends MemoryIn {
  #line = '';
  #typed = Promise.resolve();
  readonly #echo: (text: string) => void;
  readonly #interrupt: () => void;

  constructor(echo: (text: string) => void, interrupt: () => void) {
    super(true);
    this.#echo = echo;
    this.#interrupt = interrupt;
  }

  /** Types once a question reads input. Keys typed between two questions would be lost. */
  type(keys: string): Promise<void> {
    this.#typed = this.#typed.then(() => this.#deliver(keys));
    return this.#typed;
  }

  async #deliver(keys: string): Promise<void> {
    for (let [reads, tries] = [0, 0]; reads < 2 && tries < 25; tries++) {
      reads = this.readableFlowing === true ? reads + 1 : 0;
      await sleep(4);
    }
    if (this.isRaw) this.write(keys);
    else for (const key of keys) this.#press(key);
  }

  #press(key: string): void {
    if (key === '\u0003') {
      this.#line = '';
      this.#echo('^C');
      this.#interrupt();
    } else if (key === '\u0004') {
      if (this.#line === '') this.end();
      else this.write(this.#line);
      this.#line = '';
    } else if (key === '\r' || key === '\n') {
      this.#echo('\r\n');
      this.write(`${this.#line}\n`);
      this.#line = '';
    } else {
      this.#line += key;
      this.#echo(key);
    }
  }
}

/**
 * Starts the built program on a simulated terminal in this process, 80 columns wide. Tests of signals or of a
 * shell use `startPty`.
 */
export function startTerminal(
  world: Pick<World, 'env' | 'cwd'>,
  args: readonly string[],
  { cols = 80, env = {}, tellsModes = false }: TerminalOptions = {},
): TerminalSession {
  const received = new Received();
  const output = () => new TerminalOut(cols, received);
  const [stdout, stderr] = [output(), output()];
  let isEnded = false;
  let isInterrupted = false;
  const others = new Set(process.listeners('SIGINT'));
  const stdin = new TerminalIn(
    (text) => received.add(text),
    // Sends SIGINT once, to the listeners of the program and not to those of the test runner.
    () => {
      if (isInterrupted) return;
      isInterrupted = true;
      for (const listener of process.listeners('SIGINT'))
        if (!others.has(listener)) listener('SIGINT');
    },
  );
  const variables = { ...world.env, TERM: 'xterm-256color', ...env };
  const exited = runHere(args, variables, { cwd: world.cwd, streams: { stdin, stdout, stderr } })
    .then(({ exitCode }) => {
      if (tellsModes) {
        const sign = stdin.isRaw ? '-' : '';
        received.add(`code=${exitCode}\r\n${sign}icanon ${sign}isig ${sign}echo \r\n`);
      }
      return exitCode;
    })
    .finally(() => {
      isEnded = true;
      received.end();
    });
  // Prevents an unhandled rejection if a test failed before it awaited `exited`.
  exited.catch(() => undefined);
  onTestFinished(async () => {
    // Stops after 20 tries, so that a program that hangs does not block other tests.
    for (let tries = 0; !isEnded && tries < 20; tries++) {
      await stdin.type('\u0003');
      await Promise.race([exited.catch(() => undefined), sleep(50)]);
    }
  });
  return {
    text: () => received.text,
    waitFor: (wanted) => received.waitFor(wanted),
    type: (keys) => void stdin.type(keys),
    resize(columns) {
      for (const stream of [stdout, stderr]) {
        stream.columns = columns;
        stream.emit('resize');
      }
    },
    exited,
  };
}
