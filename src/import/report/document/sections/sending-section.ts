import type { Section } from '../../../../core/document/document.ts';
import { columnsOf, type RunContent } from './row-table.ts';

export function sendingSection(content: RunContent): Section | undefined {
  const { counts, first } = content.report;
  const { sending = 0 } = counts;
  if (sending === 0) return undefined;
  const { title, text } = content.words.sending;
  const names = ['row', 'line', 'code', 'name'] as const;
  return {
    title,
    blocks: [
      { kind: 'text', text },
      {
        kind: 'table',
        title,
        columns: columnsOf(content, names, first.sending),
        rows: first.sending,
        count: sending,
        most: first.sending.length,
      },
    ],
  };
}
