import type { AskPort, Streams } from '../core/ports.ts';
import { createInquirerPrompts } from './inquirer-prompts.ts';
import { createPlainPrompts } from './plain-prompts.ts';
import { type PromptOptions, unanswered } from './prompts.ts';

/** Keys that the terminal holds already arrive at once; this long without a key, there are no more. */
const QUIET_MS = 10;

/** Loads inquirer, so import this file only when needed. */
export function createPrompts(options: PromptOptions): AskPort {
  const prompts = options.terminal.accessible
    ? createPlainPrompts(options)
    : createInquirerPrompts(options);
  const ready = () => dropTypedAhead(options);
  return {
    confirm: async (...asked) => ready().then(() => prompts.confirm(...asked)),
    typed: async (...asked) => ready().then(() => prompts.typed(...asked)),
    select: async (...asked) => ready().then(() => prompts.select(...asked)),
    checkbox: async (...asked) => ready().then(() => prompts.checkbox(...asked)),
    search: async (...asked) => ready().then(() => prompts.search(...asked)),
    lines: async (...asked) => ready().then(() => prompts.lines(...asked)),
    input: async (...asked) => ready().then(() => prompts.input(...asked)),
    secret: async (...asked) => ready().then(() => prompts.secret(...asked)),
  };
}

/**
 * A key that was typed before a question appeared was not meant for it.
 *
 * @throws ProcError `interrupted` for Ctrl-C, which is only a key while the keys are dropped
 */
async function dropTypedAhead({ streams, terminal, signal }: PromptOptions): Promise<void> {
  const stdin: Streams['stdin'] & { setRawMode?(isRaw: boolean): unknown } = streams.stdin;
  if (!terminal.interactive || signal.aborted || stdin.readableEnded || stdin.destroyed) return;
  let isQuiet = false;
  let isInterrupted = false;
  const drop = (keys: Buffer | string): void => {
    isQuiet = false;
    isInterrupted ||= keys.toString().includes('\u0003');
  };
  // In its usual mode, the terminal holds a line back until Enter.
  stdin.setRawMode?.(true);
  stdin.on('data', drop);
  try {
    while (!isQuiet && !isInterrupted) {
      isQuiet = true;
      await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
      // On a busy machine, the time may be over before what has arrived is read.
      await new Promise((resolve) => setImmediate(resolve));
    }
  } finally {
    stdin.off('data', drop);
    stdin.pause();
    stdin.setRawMode?.(false);
  }
  if (isInterrupted) throw unanswered(signal);
}
