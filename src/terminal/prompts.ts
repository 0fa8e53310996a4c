import { ProcError } from '../core/errors.ts';
import type { Streams } from '../core/ports.ts';
import type { Lang } from '../core/text/phrase.ts';
import type { Terminal } from './terminal.ts';

export interface Choice<T> {
  readonly name: string;
  readonly value: T;
  readonly description?: string;
}

/** Choices for what was typed so far; undefined: nothing yet. Gives at least one. */
export type SearchSource<T> = (term: string | undefined) => Promise<readonly Choice<T>[]>;

interface InputOptions {
  readonly default?: string;
  /** Undefined: accepted. A text says what is wrong, and the question is asked again. */
  readonly validate?: (answer: string) => string | undefined;
}

export interface LinesOptions {
  /** Told of all lines so far, soon after they arrive. What it throws ends the question. */
  readonly onLines?: (lines: readonly string[]) => void;
}

/**
 * Questions to a person, on stderr. All throw `interrupted` (130) at Ctrl-C and at the end of the
 * input, and `confirmation_required` (2) where nobody can answer (`Terminal.interactive`).
 */
export interface Prompts {
  /** y/N, or Y/n where the default is true. */
  confirm(message: string, byDefault?: boolean): Promise<boolean>;
  /** True where `expected` was typed, in its own case; accents may be missing. */
  typed(message: string, expected: string): Promise<boolean>;
  /** @param at position of the choice that is offered first; default 0. */
  select<T>(message: string, choices: readonly Choice<T>[], at?: number): Promise<T>;
  /** Any number of choices. */
  checkbox<T>(message: string, choices: readonly Choice<T>[]): Promise<readonly T[]>;
  /**
   * One of the choices that fit what is typed, looked up while typing.
   *
   * @param first stands there as if typed, and can be edited.
   */
  search<T>(message: string, source: SearchSource<T>, first?: string): Promise<T>;
  /** Pasted or typed lines, ended by an empty one or Ctrl-D; empty lines inside a paste do not end it. */
  lines(message: string, options?: LinesOptions): Promise<readonly string[]>;
  input(message: string, options?: InputOptions): Promise<string>;
  /** What is typed is not shown. */
  secret(message: string): Promise<string>;
}

export interface PromptOptions {
  readonly streams: Streams;
  readonly terminal: Terminal;
  /** Aborts an open question; a ProcError as its reason is passed on. */
  readonly signal: AbortSignal;
  /** Language of what the questions themselves say; default English. */
  readonly lang?: Lang;
}

/** What a question throws that was not answered. */
export function unanswered(signal: AbortSignal): ProcError {
  if (signal.reason instanceof ProcError) return signal.reason;
  return new ProcError('interrupted', 'Interrupted: the question was not answered');
}

/** Refuses to ask where no answer can come: a prompt would hang. */
export function mustBeInteractive(terminal: Terminal, message: string): void {
  if (terminal.interactive) return;
  throw new ProcError('confirmation_required', `Nobody can be asked here: ${message}`, {
    hint: 'Give the answer by a flag, or run the command in a terminal without CI, PROC_NO_INPUT and --no-input',
  });
}
