import type { Section } from '../../../../core/document/document.ts';
import { IMPORT_TARGETS } from '../../../targets/all-targets.ts';
import { contentText } from '../row-content.ts';
import { type RunContent, rowTable } from './row-table.ts';

export function toSendSection(content: RunContent): Section | undefined {
  const { header, counts, first, bodies } = content.report;
  const { pending } = counts;
  if (pending === 0) return undefined;
  const { title, text, table } = content.words.toSend;
  const key = IMPORT_TARGETS.find(({ noun }) => noun === header.noun)?.keyField ?? 'code';
  const listed = first.pending.map((row) => ({
    ...row,
    content: contentText(bodies.get(row.row) ?? {}, [key, 'name', 'title'], content.lang) || null,
  }));
  const names = ['row', 'line', 'code', 'name', 'content'] as const;
  const rows = rowTable(content, table, 'pending', pending, listed, names);
  return { title, blocks: [{ kind: 'text', text: text(pending) }, rows] };
}
