import { ProcError } from '../core/errors.ts';
import type { Streams, Terminal } from '../core/ports.ts';
import type { Lang } from '../core/text/phrase.ts';

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
