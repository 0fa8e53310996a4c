import { createPromptModule } from 'inquirer';
import { type PromptMessages, promptMessages } from '../messages/prompts.ts';
import {
  type Choice,
  mustBeInteractive,
  type PromptOptions,
  type Prompts,
  unanswered,
} from './prompts.ts';
import { readLines } from './read-lines.ts';
import { visible } from './sanitise.ts';
import { noteWrite } from './write.ts';

interface Question {
  readonly message: string;
  readonly [option: string]: unknown;
}

/** Choices shown at once; longer lists scroll. */
const PAGE = 10;

/** Questions by inquirer, drawn on stderr. */
export function createInquirerPrompts(options: PromptOptions): Prompts {
  const { streams, terminal, signal, lang = 'en' } = options;
  const words = promptMessages[lang];
  const theme = { style: { keysHelpTip: (keys: Keys) => keysHelp(keys, words) } };

  async function ask(type: string, question: Question): Promise<unknown> {
    mustBeInteractive(terminal, question.message);
    if (signal.aborted) throw unanswered(signal);
    const ended = new AbortController();
    const end = (): void => ended.abort();
    // inquirer never settles at the end of the input. Its readline pauses the stream when Ctrl-D
    // closes it; nothing else does while a question is open.
    const { stdin } = streams;
    const events = ['pause', 'end', 'close'];
    const prompt = createPromptModule({
      input: stdin,
      output: streams.stderr,
      signal: AbortSignal.any([signal, ended.signal]),
    });
    if (stdin.readableEnded || stdin.destroyed) throw unanswered(signal);
    noteWrite(streams.stderr);
    try {
      const asked = prompt([{ type, name: 'answer', ...question } as never]);
      for (const event of events) stdin.on(event, end);
      return ((await asked) as { answer: unknown }).answer;
    } catch (thrown) {
      if (isUnanswered(thrown)) throw unanswered(signal);
      throw thrown;
    } finally {
      for (const event of events) stdin.off(event, end);
    }
  }

  return {
    async confirm(message, byDefault = false) {
      const question = { message: visible(message), default: byDefault, theme: yesNo(words) };
      return (await ask('confirm', question)) === true;
    },
    async typed(message, expected) {
      const answer = await ask('input', { message: visible(message) });
      return answer === expected;
    },
    async select<T>(message: string, choices: readonly Choice<T>[], at = 0) {
      const picked = await ask('select', {
        message: visible(message),
        choices: plainChoices(choices),
        default: at,
        pageSize: PAGE,
        theme,
      });
      return choices[picked as number]!.value;
    },
    async checkbox<T>(message: string, choices: readonly Choice<T>[]) {
      const picked = await ask('checkbox', {
        message: visible(message),
        choices: plainChoices(choices),
        pageSize: PAGE,
        theme,
      });
      return (picked as number[]).map((index) => choices[index]!.value);
    },
    async search<T>(message: string, source: (term?: string) => Promise<readonly Choice<T>[]>) {
      const offered: T[] = [];
      const picked = await ask('search', {
        message: visible(message),
        async source(term?: string) {
          const choices = await source(term);
          const first = offered.push(...choices.map(({ value }) => value)) - choices.length;
          return plainChoices(choices, first);
        },
        pageSize: PAGE,
        theme,
      });
      return offered[picked as number]!;
    },
    lines: (message) => readLines(message, options),
    async input(message, options = {}) {
      const { validate } = options;
      const answer = await ask('input', {
        message: visible(message),
        ...(options.default === undefined ? {} : { default: options.default }),
        ...(validate === undefined
          ? {}
          : { validate: (text: string) => visible(validate(text) ?? '') || true }),
      });
      return String(answer);
    },
    async secret(message) {
      return String(await ask('password', { message: visible(message), mask: false }));
    },
  };
}

type Keys = readonly (readonly [string, string])[];

/** `↑↓ move • ⏎ choose` */
function keysHelp(keys: Keys, { keys: words }: PromptMessages): string {
  const word = (text: string) => (words as Readonly<Record<string, string>>)[text] ?? text;
  return keys.map(([key, action]) => `${word(key)} ${word(action)}`).join(' • ');
}

function yesNo({ confirm }: PromptMessages) {
  return { keywords: { yes: confirm.yes, no: 'No', error: () => confirm.again } };
}

/** Choices by position, so that any value can be chosen. */
function plainChoices<T>(
  choices: readonly Choice<T>[],
  first = 0,
): readonly { name: string; value: number; description?: string }[] {
  return choices.map(({ name, description }, index) => ({
    name: visible(name),
    value: first + index,
    ...(description === undefined ? {} : { description: visible(description) }),
  }));
}

function isUnanswered(thrown: unknown): boolean {
  return thrown instanceof Error && ['ExitPromptError', 'AbortPromptError'].includes(thrown.name);
}
