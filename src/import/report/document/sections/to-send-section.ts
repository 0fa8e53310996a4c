import type { Section } from '../../../../core/document/document.ts';
import { type RunContent, rowTable } from './row-table.ts';

/** The rows of an import that has sent nothing yet. */
export function toSendSection(content: RunContent): Section | undefined {
  const { counts, first } = content.report;
  const { pending } = counts;
  if (pending === 0) return undefined;
  const { title, text, table } = content.words.toSend;
  const rows = rowTable(content, table, 'pending', pending, first.pending, [
    'row',
    'line',
    'code',
    'name',
  ]);
  return { title, blocks: [{ kind: 'text', text: text(pending) }, rows] };
}
