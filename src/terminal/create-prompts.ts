import { createPromptModule } from 'inquirer';
import type { Choice, Prompt } from '../core/io.ts';
import { mustBeInteractive, type PromptOptions, readLines, unanswered } from './read-lines.ts';
import { visible } from './sanitise.ts';
import { wrapWords } from './width.ts';
import { noteWrite } from './write.ts';

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
    choices.map(({ name, description }, index) => ({
      name: visible(name),
      value: first + index,
      ...(description === undefined ? {} : { description: wrapped(description) }),
    }));

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
    async lines(message, { onLines } = {}) {
      await dropTypedAhead(options);
      return readLines(message, { ...options, onLines });
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
