import { createPrompts } from '../terminal/ask.ts';
import type { Asking } from './guard.ts';
import type { Wired } from './context.ts';

/** The guard's questions on the prompts of this terminal. */
export function askingOn(wired: Wired): Asking {
  const prompts = createPrompts(wired);
  return {
    interactive: wired.terminal.interactive,
    confirm: (question) => prompts.confirm(question, false),
    typed: (question, expected) => prompts.typed(question, expected),
    async show({ before }) {
      const lines = Object.entries(before ?? {}).map(
        ([field, value]) => `  ${field}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
      );
      wired.say({ kind: 'notice', text: lines.join('\n') });
    },
  };
}
