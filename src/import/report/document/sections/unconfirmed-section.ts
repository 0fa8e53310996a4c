import type { Section } from '../../../../core/document/document.ts';
import { type RunContent, rowTable } from './row-table.ts';

export function unconfirmedSection(content: RunContent): Section | undefined {
  const { counts, first } = content.report;
  if (counts.unknown === 0) return undefined;
  const { title, text } = content.words.unconfirmed;
  const table = rowTable(content, title, 'unconfirmed', counts.unknown, first.unconfirmed, [
    'row',
    'line',
    'code',
    'name',
    'sentAt',
    'reason',
  ]);
  return { title, tone: 'bad', blocks: [{ kind: 'text', text }, table] };
}
