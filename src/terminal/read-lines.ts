import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { ProcError } from '../core/errors.ts';
import type { LinesOptions, Streams, Terminal } from '../core/io.ts';
import { visibleLines } from './sanitise.ts';
import { writeNow } from './write.ts';

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

/** Lines that arrive faster than this are pasted, not typed. */
const PASTE_GAP_MS = 80;

/** Delay before lines are reported, so that a paste of a thousand lines is not reported line by line. */
const TELL_MS = 15;

/**
 * Reads typed or pasted lines up to an empty line or Ctrl-D. Reads keys, because in line mode
 * Ctrl-D would end the input for all later questions.
 *
 * @throws ProcError `interrupted` at Ctrl-C and at the end of the input
 */
export async function readLines(
  message: string,
  { streams, terminal, signal, onLines }: PromptOptions & LinesOptions,
): Promise<readonly string[]> {
  const { stdin, stderr } = streams;
  mustBeInteractive(terminal, message);
  if (signal.aborted || stdin.readableEnded || stdin.destroyed) throw unanswered(signal);
  const lines: string[] = [];
  const filled = (): string[] => lines.filter((line) => line.trim() !== '');
  let isInterrupted = false;
  let failure: { readonly thrown: unknown } | undefined;
  let ending: NodeJS.Timeout | undefined;
  let telling: NodeJS.Timeout | undefined;
  const reader = createInterface({ input: stdin, output: stderr, terminal: true, prompt: '' });
  // The question is printed only now. The terminal would echo text that is typed before readline reads,
  // and readline would then print this text again.
  writeNow(stderr, `${visibleLines(message)}\n`);
  const stop = (): void => {
    isInterrupted = true;
    reader.close();
  };
  const tell = (): void => {
    clearTimeout(telling);
    if (telling === undefined || failure !== undefined) return;
    telling = undefined;
    try {
      onLines?.(filled());
    } catch (thrown) {
      failure = { thrown };
      reader.close();
    }
  };
  reader.on('line', (line) => {
    clearTimeout(ending);
    lines.push(line);
    telling ??= setTimeout(tell, TELL_MS);
    if (line.trim() === '') ending = setTimeout(() => reader.close(), PASTE_GAP_MS);
  });
  reader.once('SIGINT', stop);
  signal.addEventListener('abort', stop);
  await once(reader, 'close');
  signal.removeEventListener('abort', stop);
  clearTimeout(ending);
  tell();
  if (lines.at(-1)?.trim() !== '') writeNow(stderr, '\n');
  if (failure !== undefined) throw failure.thrown;
  if (isInterrupted || stdin.readableEnded || stdin.destroyed) throw unanswered(signal);
  return filled();
}
