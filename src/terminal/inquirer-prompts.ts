import { createPromptModule } from 'inquirer';
import type { AskPort, Choice, SearchSource } from '../core/ports.ts';
import { isTyped, mustBeInteractive, type PromptOptions, unanswered, yesOrNo } from './prompts.ts';
import { readLines } from './read-lines.ts';
import { visible } from './sanitise.ts';
import { padWords, wrapText } from './wrap-words.ts';
import { noteWrite } from './write.ts';

interface Question {
  readonly message: string;
  readonly [option: string]: unknown;
}

const PAGE = 10;

export function createInquirerPrompts(options: PromptOptions): AskPort {
  const { streams, terminal, signal } = options;
  const theme = { style: { keysHelpTip: (keys: Keys) => keysHelp(keys, width()) } };

  const width = (): number => (streams.stderr.columns || terminal.stderrWidth) - 1;

  /** Wraps a question at words; inquirer itself breaks lines inside words. */
  function fitted(message: string, answer = 0): string {
    const [mark, room] = [2, Math.min(answer, Math.floor(width() / 2)) + 1];
    return wrapText(visible(message), width() - room, mark);
  }

  function behind(question: string, answer: string): string {
    const [mark, last] = [question.includes('\n') ? 0 : 2, question.split('\n').at(-1)!];
    return padWords(answer, width() + 1, mark + last.length + 1);
  }

  /** While a person types, the terminal wraps the text. The final display is wrapped at words. */
  function shownBehind(question: string) {
    return (text: string, { isFinal }: { readonly isFinal: boolean }): string =>
      isFinal ? behind(question, visible(text)) : text;
  }

  function asked(message: string) {
    const question = fitted(message);
    return { question, short: (name: string) => behind(question, name) };
  }

  async function ask(type: string, question: Question): Promise<unknown> {
    mustBeInteractive(terminal, question.message);
    if (signal.aborted) throw unanswered(signal);
    const ended = new AbortController();
    const end = (): void => ended.abort();
    // inquirer does not notice the end of input, e.g. Ctrl-D. Readline then pauses stdin, so a
    // pause ends the question.
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
      const hint = byDefault ? '(Y/n)' : '(y/N)';
      const meaning = (text: string) => (text.trim() === '' ? byDefault : yesOrNo(text));
      // A text prompt, because inquirer's own confirm does not accept answers without accents, e.g.
      // `si`.
      const answer = await ask('input', {
        message: fitted(`${message} ${hint}`, 4),
        validate: (text: string) => meaning(text) !== undefined || 'Type y or n.',
        transformer: (text: string, { isFinal }: { readonly isFinal: boolean }) =>
          isFinal ? (meaning(text) ? 'Yes' : 'No') : text,
      });
      return meaning(String(answer)) === true;
    },
    async typed(message, expected) {
      const question = fitted(message);
      const answer = await ask('input', { message: question, transformer: shownBehind(question) });
      return isTyped(String(answer), expected);
    },
    async select<T>(message: string, choices: readonly Choice<T>[], at = 0) {
      const { question, short } = asked(message);
      const picked = await ask('select', {
        message: question,
        choices: plainChoices(choices, width(), { short }),
        default: at,
        pageSize: PAGE,
        theme,
      });
      return choices[picked as number]!.value;
    },
    async checkbox<T>(message: string, choices: readonly Choice<T>[]) {
      const { question, short } = asked(message);
      const picked = await ask('checkbox', {
        message: question,
        choices: plainChoices(choices, width(), { mark: 3, short }),
        pageSize: PAGE,
        theme,
      });
      return (picked as number[]).map((index) => choices[index]!.value);
    },
    async search<T>(message: string, source: SearchSource<T>, before?: string) {
      const offered: T[] = [];
      const { question, short } = asked(message);
      const picked = await ask('search', {
        message: question,
        // A line break in `initialValue` would answer the question.
        ...(before === undefined ? {} : { initialValue: visible(before) }),
        async source(term?: string) {
          const choices = await source(term);
          const first = offered.push(...choices.map(({ value }) => value)) - choices.length;
          return plainChoices(choices, width(), { first, short });
        },
        pageSize: PAGE,
        theme,
      });
      return offered[picked as number]!;
    },
    lines: (message, { onLines } = {}) => readLines(message, { ...options, onLines }),
    async input(message, options = {}) {
      const { validate } = options;
      const question = fitted(
        message,
        options.default === undefined ? 0 : options.default.length + 3,
      );
      const answer = await ask('input', {
        message: question,
        transformer: shownBehind(question),
        ...(options.default === undefined ? {} : { default: options.default }),
        ...(validate === undefined
          ? {}
          : {
              validate: (text: string) =>
                wrapText(visible(validate(text) ?? ''), width(), 2) || true,
            }),
      });
      return String(answer);
    },
    async secret(message) {
      return String(await ask('password', { message: fitted(message), mask: false }));
    },
  };
}

type Keys = readonly (readonly [string, string])[];

/** E.g. `↑↓ move • ⏎ choose`. */
/** Words of inquirer, and the words that proc shows instead. */
const KEYS: Readonly<Record<string, string>> = {
  navigate: 'move',
  select: 'choose',
  submit: 'done',
  space: 'space bar',
};

function keysHelp(keys: Keys, width: number): string {
  const word = (text: string) => KEYS[text] ?? text;
  return wrapText(keys.map(([key, action]) => `${word(key)} ${word(action)}`).join(' • '), width);
}

interface ChoiceLook {
  /** The value of the first choice (default 0). The next choices have the next numbers. */
  readonly first?: number;
  /** Columns before a choice's name. */
  readonly mark?: number;
  /** Formats the chosen name for the line of the question. */
  short(name: string): string;
}

/**
 * Values are numbers, so that choices can be of any type. Long names are padded instead of broken:
 * a line break would submit a search.
 */
function plainChoices<T>(
  choices: readonly Choice<T>[],
  width: number,
  { first = 0, mark = 2, short }: ChoiceLook,
): readonly { name: string; short: string; value: number; description?: string }[] {
  return choices.map(({ name, description }, index) => ({
    // `width` is one less than the terminal, but padded lines must fill the terminal.
    name: padWords(visible(name), width + 1, mark, mark),
    short: short(visible(name)),
    value: first + index,
    ...(description === undefined ? {} : { description: wrapText(visible(description), width) }),
  }));
}

function isUnanswered(thrown: unknown): boolean {
  return thrown instanceof Error && ['ExitPromptError', 'AbortPromptError'].includes(thrown.name);
}
