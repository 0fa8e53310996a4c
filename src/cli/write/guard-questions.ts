import type { AskPort, Say } from '../../core/ports.ts';
import type { Asking } from './guard.ts';

export function askingWith(ask: AskPort, say: Say): Pick<Asking, 'confirm' | 'typed' | 'show'> {
  return {
    confirm: (question) => ask.confirm(question, false),
    typed: (question, expected) => ask.typed(question, expected),
    async show({ before }) {
      const lines = Object.entries(before ?? {}).map(
        ([field, value]) =>
          `  ${field}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
      );
      say({ kind: 'notice', text: lines.join('\n') });
    },
  };
}
