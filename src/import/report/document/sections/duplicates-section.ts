import type { Section } from '../../../../core/document/document.ts';
import { type RunContent, rowTable } from './row-table.ts';

export function duplicatesSection(content: RunContent): Section | undefined {
  const { counts, first } = content.report;
  const { duplicates } = counts;
  if (duplicates === 0) return undefined;
  const { title, table } = content.words.duplicates;
  const rows = rowTable(content, table(duplicates), 'duplicate', duplicates, first.duplicate, [
    'row',
    'line',
    'code',
    'name',
    'reason',
  ]);
  return { title, blocks: [{ ...rows, sheet: title, isFolded: true }] };
}
