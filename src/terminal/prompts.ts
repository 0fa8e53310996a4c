import { ProcError } from '../core/errors.ts';
import type { Streams, Terminal } from '../core/ports.ts';

export interface PromptOptions {
  readonly streams: Streams;
  readonly terminal: Terminal;
  /** Aborts an open question. If the reason is a ProcError, the question ends with this error. */
  readonly signal: AbortSignal;
}

export function unanswered(signal: AbortSignal): ProcError {
  if (signal.reason instanceof ProcError) return signal.reason;
  return new ProcError('interrupted', 'interrupted: the question was not answered');
}

/**
 * In a non-interactive session, a prompt would hang.
 *
 * @throws ProcError `confirmation_required`
 */
export function mustBeInteractive(terminal: Terminal, message: string): void {
  if (terminal.interactive) return;
  throw new ProcError('confirmation_required', `there is no terminal to ask on: ${message}`, {
    hint: 'Answer with a flag, or run the command in a terminal without CI, PROC_NO_INPUT and --no-input',
  });
}

/** Removes accents, because not every keyboard has them. */
function bare(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').trim();
}

/** True for yes, false for no, undefined for any other answer. `y` and `n` work in every language. */
export function yesOrNo(answer: string): boolean | undefined {
  const typed = bare(answer).toLowerCase();
  if (typed === '') return undefined;
  if ('yes'.startsWith(typed) || false) return true;
  return 'no'.startsWith(typed) ? false : undefined;
}

/** Case counts; accents are optional. */
export function isTyped(answer: string, expected: string): boolean {
  return bare(answer) === bare(expected);
}
