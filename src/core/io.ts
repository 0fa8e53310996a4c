import type { Readable, Writable } from 'node:stream';
import type { ProcError } from './errors.ts';

export interface Io {
  readonly streams: Streams;
  readonly terminal: Terminal;
  readonly say: Say;
  /** Reports an error that does not end the command, e.g. for one of several ids. */
  complain(error: ProcError): void;
  /**
   * The output is a table on a terminal, so a list shows its first page. Anywhere else (a pipe, a file, a
   * format for programs, `--query`) nobody would notice the missing rows, so a list is read to its end.
   */
  showsTable(): Promise<boolean>;
}

export interface Choice<T> {
  readonly name: string;
  readonly value: T;
}

/** Returns at least one choice for a search term. The term is undefined until the person types. */
export type SearchSource<T> = (term: string | undefined) => Promise<readonly Choice<T>[]>;

interface InputOptions {
  readonly default?: string;
  /** Returns what is wrong with the answer; then proc asks again. Undefined: the answer is accepted. */
  readonly validate?: (answer: string) => string | undefined;
}

/**
 * Questions to a person, on stderr. All throw `interrupted` (130) at Ctrl-C and at the end of the input.
 * Ctrl-D ends the input, except in `lines`, where it ends the answer.
 * In a non-interactive session (`Terminal.interactive`) all throw `confirmation_required` (2).
 */
export interface Prompt {
  confirm(message: string, byDefault?: boolean): Promise<boolean>;
  /** True if the person typed `expected`. */
  typed(message: string, expected: string): Promise<boolean>;
  /** @param at position of the preselected choice (default 0) */
  select<T>(message: string, choices: readonly Choice<T>[], at?: number): Promise<T>;
  checkbox<T>(message: string, choices: readonly Choice<T>[]): Promise<readonly T[]>;
  /**
   * The person types a search term and chooses one of the matching choices.
   *
   * @param first initial text, which can be edited
   */
  search<T>(message: string, source: SearchSource<T>, first?: string): Promise<T>;
  /** Pasted or typed lines, ended by an empty line or Ctrl-D. Empty lines inside a paste do not end it. */
  lines(message: string): Promise<readonly string[]>;
  input(message: string, options?: InputOptions): Promise<string>;
  secret(message: string): Promise<string>;
}

export interface Terminal {
  /** Questions may be asked: stdin and stderr are terminals and no setting forbids it. */
  readonly interactive: boolean;
  readonly stdoutIsTerminal: boolean;
  readonly stderrIsTerminal: boolean;
  /** 80 if unknown. */
  readonly width: number;
  /** 80 if unknown. */
  readonly stderrWidth: number;
  readonly color: { readonly stdout: boolean; readonly stderr: boolean };
}

export interface Streams {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable & {
    readonly isTTY?: boolean;
    readonly columns?: number;
  };
  readonly stderr: Writable & { readonly isTTY?: boolean; readonly columns?: number };
}

export type Env = Readonly<Record<string, string | undefined>>;

export type Message =
  | {
      readonly kind: 'notice' | 'warning';
      readonly text: string;
      /**
       * `done`: text output has a tick. `protected`: the text names a protected target. The message is not
       * printed if the last message with this tone had the same text.
       */
      readonly tone?: 'done' | 'protected';
    }
  | {
      readonly kind: 'progress';
      readonly text: string;
      readonly data: unknown;
      /** The next progress message does not replace this message. */
      readonly isLast?: boolean;
    }
  | { readonly kind: 'http'; readonly text: string; readonly data: unknown };

export type Say = (message: Message) => void;

export interface Clock {
  /** Wall time, milliseconds since the epoch. It may jump when somebody sets the clock. */
  now(): number;
  /** Milliseconds on a clock that nobody can set, for durations of this process. */
  monotonic(): number;
  /** If the signal aborts, rejects with the reason of the signal. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** In [0, 1). */
  random(): number;
}
