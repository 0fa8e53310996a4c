import { createPromptModule } from 'inquirer';
import { mustBeInteractive, type PromptOptions, type Prompts, unanswered } from './prompts.ts';
import { visible } from './sanitise.ts';
import { noteWrite } from './write.ts';

interface Question {
  readonly message: string;
  readonly [option: string]: unknown;
}

/** Questions by inquirer, drawn on stderr. */
export function createInquirerPrompts({ streams, terminal, signal }: PromptOptions): Prompts {
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
      return (await ask('confirm', { message: visible(message), default: byDefault })) === true;
    },
    async typed(message, expected) {
      const answer = await ask('input', { message: visible(message) });
      return answer === expected;
    },
    async select<T>(message: string, choices: Parameters<typeof plainChoices<T>>[0]) {
      const picked = await ask('select', {
        message: visible(message),
        choices: plainChoices(choices),
      });
      return choices[picked as number]!.value;
    },
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

/** Choices by position, so that any value can be chosen. */
function plainChoices<T>(
  choices: readonly { readonly name: string; readonly value: T; readonly description?: string }[],
): readonly { name: string; value: number; description?: string }[] {
  return choices.map(({ name, description }, index) => ({
    name: visible(name),
    value: index,
    ...(description === undefined ? {} : { description: visible(description) }),
  }));
}

function isUnanswered(thrown: unknown): boolean {
  return thrown instanceof Error && ['ExitPromptError', 'AbortPromptError'].includes(thrown.name);
}
