import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { createPromptModule } from 'inquirer';
import { ProcError } from '../core/errors.ts';
import type { Choice, Prompt, Streams, Terminal } from '../core/io.ts';
import { visible, visibleLines } from './sanitise.ts';
import { wrapWords } from './width.ts';
import { noteWrite, writeNow } from './write.ts';

interface PromptOptions {
  readonly streams: Streams;
  readonly terminal: Terminal;
  /** Aborts an open question. If the reason is a ProcError, the question ends with this error. */
  readonly signal: AbortSignal;
}

const PAGE = 10;

/** Loads inquirer, so import this file only when needed. */
export function createPrompts(options: PromptOptions): Prompt {
  const { streams, terminal, signal } = options;
  const { stdin, stderr } = streams;

  /** inquirer breaks lines inside words. Its mark takes two columns. */
  const wrapped = (text: string): string =>
    wrapWords(visible(text), (stderr.columns || terminal.stderrWidth) - 3).join('\n');

  async function ask(type: string, message: string, more: object = {}): Promise<unknown> {
    mustBeInteractive(terminal, message);
    await dropTypedAhead(options);
    if (signal.aborted || stdin.readableEnded || stdin.destroyed) throw unanswered(signal);
    const ended = new AbortController();
    const end = (): void => ended.abort();
    // inquirer does not notice the end of input, e.g. Ctrl-D. Readline then pauses stdin, so a
    // pause ends the question.
    const events = ['pause', 'end', 'close'];
    const prompt = createPromptModule({
      input: stdin,
      output: stderr,
      signal: AbortSignal.any([signal, ended.signal]),
    });
    noteWrite(stderr);
    try {
      const question = { type, name: 'answer', message: wrapped(message), pageSize: PAGE, ...more };
      const asked = prompt([question as never]);
      for (const event of events) stdin.on(event, end);
      return ((await asked) as { answer: unknown }).answer;
    } catch (thrown) {
      const isUnanswered = thrown instanceof Error && /^(Exit|Abort)Prompt/.test(thrown.name);
      throw isUnanswered ? unanswered(signal) : thrown;
    } finally {
      for (const event of events) stdin.off(event, end);
    }
  }

  /** Values are positions, so that choices can be of any type. */
  const offered = <T>(choices: readonly Choice<T>[], first = 0) =>
    choices.map(({ name }, index) => ({ name: visible(name), value: first + index }));

  return {
    confirm: async (message, byDefault = false) =>
      (await ask('confirm', message, { default: byDefault })) === true,
    typed: async (message, expected) => String(await ask('input', message)).trim() === expected,
    async select<T>(message: string, choices: readonly Choice<T>[], at = 0) {
      const picked = await ask('select', message, { choices: offered(choices), default: at });
      return choices[picked as number]!.value;
    },
    async checkbox<T>(message: string, choices: readonly Choice<T>[]) {
      const picked = await ask('checkbox', message, { choices: offered(choices) });
      return (picked as number[]).map((index) => choices[index]!.value);
    },
    async search(message, source, before) {
      const values: Awaited<ReturnType<typeof source>>[number]['value'][] = [];
      const picked = await ask('search', message, {
        // A line break in `initialValue` would answer the question.
        ...(before === undefined ? {} : { initialValue: visible(before) }),
        async source(term?: string) {
          const found = await source(term);
          const first = values.push(...found.map(({ value }) => value)) - found.length;
          return offered(found, first);
        },
      });
      return values[picked as number]!;
    },
    async lines(message) {
      await dropTypedAhead(options);
      return readLines(message, options);
    },
    async input(message, { default: byDefault, validate } = {}) {
      const check = (text: string) => wrapped(validate?.(text) ?? '') || true;
      const given = byDefault === undefined ? {} : { default: byDefault };
      return String(await ask('input', message, { ...given, validate: check }));
    },
    secret: async (message) => String(await ask('password', message, { mask: false })),
  };
}

/** Keys that the terminal holds already arrive at once; this long without a key, there are no more. */
const QUIET_MS = 10;

/**
 * A key that was typed before a question appeared was not meant for it. inquirer drops only those that arrive
 * in one read, and a terminal gives a line at a time.
 *
 * @throws ProcError `interrupted` for Ctrl-C, which is only a key while the keys are dropped
 */
async function dropTypedAhead({ streams, terminal, signal }: PromptOptions): Promise<void> {
  const stdin: PromptOptions['streams']['stdin'] & { setRawMode?(isRaw: boolean): unknown } =
    streams.stdin;
  if (!terminal.interactive || signal.aborted || stdin.readableEnded || stdin.destroyed) return;
  let dropped: string[] = [];
  const drop = (keys: Buffer | string) => void dropped.push(keys.toString());
  // In its usual mode, the terminal holds a line back until Enter.
  stdin.setRawMode?.(true);
  stdin.on('data', drop);
  do {
    dropped = [];
    await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
    // On a busy machine, the time may be over before what has arrived is read.
    await new Promise((resolve) => setImmediate(resolve));
  } while (dropped.length > 0 && !dropped.join('').includes('\u0003'));
  stdin.off('data', drop);
  stdin.pause();
  stdin.setRawMode?.(false);
  if (dropped.length > 0) throw unanswered(signal);
}

function unanswered(signal: AbortSignal): ProcError {
  if (signal.reason instanceof ProcError) return signal.reason;
  return new ProcError('interrupted', 'interrupted: the question was not answered');
}

/** In a non-interactive session, a prompt would hang. @throws ProcError `confirmation_required` */
function mustBeInteractive(terminal: Terminal, message: string): void {
  if (terminal.interactive) return;
  throw new ProcError('confirmation_required', `there is no terminal to ask on: ${message}`, {
    hint: 'Answer with a flag, or run the command in a terminal without CI, PROC_NO_INPUT and --no-input',
  });
}

/** Lines that arrive faster than this are pasted, not typed. */
const PASTE_GAP_MS = 80;

/**
 * Reads typed or pasted lines up to an empty line or Ctrl-D. Reads keys, because in line mode
 * Ctrl-D would end the input for all later questions.
 *
 * @throws ProcError `interrupted` at Ctrl-C and at the end of the input
 */
async function readLines(
  message: string,
  { streams, terminal, signal }: PromptOptions,
): Promise<readonly string[]> {
  const { stdin, stderr } = streams;
  mustBeInteractive(terminal, message);
  if (signal.aborted || stdin.readableEnded || stdin.destroyed) throw unanswered(signal);
  const lines: string[] = [];
  let isInterrupted = false;
  let ending: NodeJS.Timeout | undefined;
  const reader = createInterface({ input: stdin, output: stderr, terminal: true, prompt: '' });
  // The question is printed only now. The terminal would echo text that is typed before readline reads,
  // and readline would then print this text again.
  writeNow(stderr, `${visibleLines(message)}\n`);
  const stop = (): void => {
    isInterrupted = true;
    reader.close();
  };
  reader.on('line', (line) => {
    clearTimeout(ending);
    lines.push(line);
    if (line.trim() === '') ending = setTimeout(() => reader.close(), PASTE_GAP_MS);
  });
  reader.once('SIGINT', stop);
  signal.addEventListener('abort', stop);
  await once(reader, 'close');
  signal.removeEventListener('abort', stop);
  clearTimeout(ending);
  if (lines.at(-1)?.trim() !== '') writeNow(stderr, '\n');
  if (isInterrupted || stdin.readableEnded || stdin.destroyed) throw unanswered(signal);
  return lines.filter((line) => line.trim() !== '');
}
