import type { Say } from '../../core/ports.ts';
import type { Prompts } from '../../terminal/prompts.ts';
import type { Asking } from './guard.ts';

/** The guard's questions, on the prompts of this terminal. */
export function askingWith(
  prompts: () => Promise<Prompts>,
  say: Say,
): Pick<Asking, 'confirm' | 'typed' | 'show'> {
  return {
    confirm: async (question) => (await prompts()).confirm(question, false),
    typed: async (question, expected) => (await prompts()).typed(question, expected),
    async show({ before }) {
      const lines = Object.entries(before ?? {}).map(
        ([field, value]) =>
          `  ${field}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
      );
      say({ kind: 'notice', text: lines.join('\n') });
    },
  };
}
