import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import type { AskPort, Choice, SearchSource } from '../core/ports.ts';
import { isTyped, mustBeInteractive, type PromptOptions, unanswered, yesOrNo } from './prompts.ts';
import { readLines } from './read-lines.ts';
import { visible, visibleLines } from './sanitise.ts';
import { wrapText, wrapWords } from './wrap-words.ts';
import { writeNow } from './write.ts';

/**
 * Prompts as plain lines, for screen readers (`ACCESSIBLE`): nothing is redrawn, choices have numbers.
 */
export function createPlainPrompts(options: PromptOptions): AskPort {
  const { streams, terminal, signal } = options;
  const { stdin, stderr } = streams;

  const width = (): number => (stderr.columns || terminal.stderrWidth) - 1;
  const wrapped = (text: string): string => wrapText(text, width());

  function line(question: string, hidden = false): Promise<string> {
    mustBeInteractive(terminal, question);
    return new Promise((resolve, reject) => {
      if (signal.aborted || stdin.readableEnded || stdin.destroyed) {
        reject(unanswered(signal));
        return;
      }
      writeNow(stderr, `${wrapped(visibleLines(question))} `);
      // `terminal: false` leaves echo and editing to the system. For a secret, `terminal: true`
      // turns the system's echo off, and `Nowhere` discards readline's echo.
      const reader = createInterface({
        input: stdin,
        ...(hidden ? { output: new Nowhere(), terminal: true } : { terminal: false }),
      });
      let answer: string | undefined;
      const stop = (): void => reader.close();
      reader.once('line', (text) => {
        answer = text;
        reader.close();
      });
      reader.once('SIGINT', stop);
      reader.once('close', () => {
        signal.removeEventListener('abort', stop);
        if (hidden || answer === undefined) writeNow(stderr, '\n');
        if (answer === undefined) reject(unanswered(signal));
        else resolve(answer);
      });
      signal.addEventListener('abort', stop);
    });
  }

  function offer<T>(message: string, choices: readonly Choice<T>[]): void {
    mustBeInteractive(terminal, message);
    writeNow(stderr, `${wrapped(visible(message))}\n`);
    for (const [index, { name, description }] of choices.entries()) {
      const more = description === undefined ? '' : `: ${visible(description)}`;
      const lead = `  ${index + 1}. `;
      const lines = wrapWords(`${lead}${visible(name)}${more}`, width(), lead.length);
      writeNow(stderr, `${lines.join('\n')}\n`);
    }
  }

  async function select<T>(message: string, choices: readonly Choice<T>[]): Promise<T> {
    offer(message, choices);
    const last = String(choices.length);
    for (;;) {
      const answer = (await line(`Number from 1 to ${last}:`)).trim();
      const choice = /^\d+$/.test(answer)
        ? choices[Number(answer) - 1]
        : choices.find(({ key }) => key !== undefined && key === answer);
      if (choice !== undefined) return choice.value;
      const wrong =
        answer === ''
          ? `Type a number from 1 to ${last}.`
          : `"${visible(answer)}" is not a number from 1 to ${last}.`;
      writeNow(stderr, `${wrapped(wrong)}\n`);
    }
  }

  async function checkbox<T>(message: string, choices: readonly Choice<T>[]): Promise<T[]> {
    offer(message, choices);
    const last = String(choices.length);
    for (;;) {
      const answer = await line(`Numbers from 1 to ${last}, separated by commas; empty for none:`);
      const numbers = answer.split(/[\s,]+/).filter((part) => part !== '');
      const picked = numbers.map((part) =>
        /^\d+$/.test(part) ? choices[Number(part) - 1] : undefined,
      );
      if (picked.every((choice) => choice !== undefined)) return picked.map(({ value }) => value);
      writeNow(
        stderr,
        `${wrapped(`"${visible(answer)}" is not a list of numbers from 1 to ${last}.`)}\n`,
      );
    }
  }

  /** Asks for a search term, then for a number; an extra choice searches again. */
  async function search<T>(message: string, source: SearchSource<T>, first?: string): Promise<T> {
    mustBeInteractive(terminal, message);
    const again = Symbol('again');
    // A plain line cannot be prefilled. Instead, an empty answer to the first question means `first`.
    for (let offered = first; ; offered = undefined) {
      writeNow(stderr, `${wrapped(visible(message))}\n`);
      const question =
        offered === undefined
          ? 'Part of the name or code (empty: show the first):'
          : `Part of the name or code (empty: "${visible(offered)}"):`;
      const term = (await line(question)).trim() || (offered ?? '');
      const found = await source(term === '' ? undefined : term);
      const named = found.find(({ key }) => key !== undefined && key === term);
      if (named !== undefined) return named.value;
      const choices: Choice<T | typeof again>[] = [
        ...found,
        { name: 'Search again', value: again },
      ];
      const picked = await select(message, choices);
      if (picked !== again) return picked as T;
    }
  }

  return {
    async confirm(message, byDefault = false) {
      const hint = byDefault ? '(Y/n)' : '(y/N)';
      for (;;) {
        const answer = (await line(`${message} ${hint}`)).trim();
        if (answer === '') return byDefault;
        const meaning = yesOrNo(answer);
        if (meaning !== undefined) return meaning;
        writeNow(stderr, `Type y or n.\n`);
      }
    },
    async typed(message, expected) {
      return isTyped(await line(message), expected);
    },
    select,
    checkbox,
    search,
    lines: (message, { onLines } = {}) => readLines(message, { ...options, onLines }),
    async input(message, options = {}) {
      const shown = options.default === undefined ? message : `${message} (${options.default})`;
      for (;;) {
        const typed = await line(shown);
        const answer = typed === '' ? (options.default ?? '') : typed;
        const wrong = options.validate?.(answer);
        if (wrong === undefined) return answer;
        writeNow(stderr, `${wrapped(visible(wrong))}\n`);
      }
    },
    secret: (message) => line(message, true),
  };
}

class Nowhere extends Writable {
  override _write(_chunk: unknown, _encoding: string, done: () => void): void {
    done();
  }
}
