import { PassThrough, Writable } from 'node:stream';
import type { Streams } from '../../src/core/io.ts';

export interface MemoryOptions {
  /** All of standard input. If it is missing, stdin stays open, and `type` writes to it. */
  readonly stdin?: string | Uint8Array;
  /** Which streams are terminals; `true` is all three. */
  readonly terminal?:
    | boolean
    | { readonly stdin?: boolean; readonly stdout?: boolean; readonly stderr?: boolean };
  readonly columns?: number;
}

export interface MemoryStreams extends Streams {
  stdoutText(): string;
  stderrText(): string;
  /** Types keys: `'y\r'`, or `'\u0003'` for Ctrl-C. */
  type(keys: string): void;
  endInput(): void;
  /** Whether stdin was left in raw mode. */
  isRaw(): boolean;
  /** Resolves once stderr contains the text of a question. */
  asked(text: string): Promise<void>;
}

class MemoryOut extends Writable {
  readonly chunks: Buffer[] = [];
  readonly isTTY: boolean;
  readonly columns: number | undefined;

  constructor(isTTY: boolean, columns: number | undefined) {
    super({ decodeStrings: true });
    this.isTTY = isTTY;
    this.columns = columns;
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.chunks.push(chunk);
    this.emit('wrote');
    done();
  }

  text(): string {
    return Buffer.concat(this.chunks).toString('utf8');
  }
}

export class MemoryIn extends PassThrough {
  readonly isTTY: boolean;
  isRaw = false;

  constructor(isTTY: boolean) {
    super();
    this.isTTY = isTTY;
  }

  setRawMode(raw: boolean): this {
    this.isRaw = raw;
    return this;
  }
}

export function memoryStreams({
  stdin,
  terminal = false,
  columns = 80,
}: MemoryOptions = {}): MemoryStreams {
  const on =
    typeof terminal === 'boolean'
      ? { stdin: terminal, stdout: terminal, stderr: terminal }
      : terminal;
  const input = new MemoryIn(on.stdin ?? false);
  if (stdin !== undefined) input.end(stdin);
  const stdout = new MemoryOut(on.stdout ?? false, on.stdout ? columns : undefined);
  const stderr = new MemoryOut(on.stderr ?? false, on.stderr ? columns : undefined);
  return {
    stdin: input,
    stdout: stdout as Streams['stdout'],
    stderr: stderr as Streams['stderr'],
    stdoutText: () => stdout.text(),
    stderrText: () => stderr.text(),
    type: (keys) => {
      input.write(keys);
    },
    endInput: () => {
      input.end();
    },
    isRaw: () => input.isRaw,
    asked: (text) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!stderr.text().includes(text)) return;
          stderr.off('wrote', look);
          resolve();
        };
        stderr.on('wrote', look);
        look();
      }),
  };
}
