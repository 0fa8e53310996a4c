import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import {
  type Choice,
  mustBeInteractive,
  type PromptOptions,
  type Prompts,
  unanswered,
} from './prompts.ts';
import { visible, visibleLines } from './sanitise.ts';
import { writeNow } from './write.ts';

/**
 * Questions as plain lines, nothing redrawn, choices by number: for screen readers (`ACCESSIBLE`).
 */
export function createPlainPrompts({ streams, terminal, signal }: PromptOptions): Prompts {
  const { stdin, stderr } = streams;

  function line(question: string, hidden = false): Promise<string> {
    mustBeInteractive(terminal, question);
    return new Promise((resolve, reject) => {
      if (signal.aborted || stdin.readableEnded || stdin.destroyed) {
        reject(unanswered(signal));
        return;
      }
      writeNow(stderr, `${visibleLines(question)} `);
      // Without a terminal of its own readline leaves echo and editing to the system. A secret
      // needs one, so that the system stops the echo; what readline echoes goes nowhere.
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

  async function select<T>(message: string, choices: readonly Choice<T>[]): Promise<T> {
    mustBeInteractive(terminal, message);
    writeNow(stderr, `${visible(message)}\n`);
    for (const [index, { name, description }] of choices.entries()) {
      const more = description === undefined ? '' : `: ${visible(description)}`;
      writeNow(stderr, `  ${index + 1}. ${visible(name)}${more}\n`);
    }
    for (;;) {
      const answer = (await line(`Number from 1 to ${choices.length}:`)).trim();
      const choice = /^\d+$/.test(answer) ? choices[Number(answer) - 1] : undefined;
      if (choice !== undefined) return choice.value;
      writeNow(stderr, `"${visible(answer)}" is not a number from 1 to ${choices.length}.\n`);
    }
  }

  return {
    async confirm(message, byDefault = false) {
      for (;;) {
        const answer = (await line(`${message} ${byDefault ? '(Y/n)' : '(y/N)'}`)).trim();
        if (answer === '') return byDefault;
        if (/^y(es)?$/i.test(answer)) return true;
        if (/^no?$/i.test(answer)) return false;
        writeNow(stderr, 'Answer y or n.\n');
      }
    },
    async typed(message, expected) {
      return (await line(message)) === expected;
    },
    select,
    async input(message, options = {}) {
      const shown = options.default === undefined ? message : `${message} (${options.default})`;
      for (;;) {
        const typed = await line(shown);
        const answer = typed === '' ? (options.default ?? '') : typed;
        const wrong = options.validate?.(answer);
        if (wrong === undefined) return answer;
        writeNow(stderr, `${visible(wrong)}\n`);
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
