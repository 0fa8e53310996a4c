import type { Section } from '../../../../core/document/document.ts';
import { type RunContent, rowTable } from './row-table.ts';

/** All created rows with `--created`, else the first ones. */
export function createdSection(content: RunContent): Section | undefined {
  const { header, counts, first } = content.report;
  const { created: all } = content;
  const { created } = counts;
  if (created === 0) return undefined;
  const { title, table, cannotDelete } = content.words.created;
  const rows = rowTable(content, table(created), 'created', created, first.created, [
    'row',
    'line',
    'id',
    'code',
    'name',
  ]);
  const note = { kind: 'text', text: cannotDelete(nounOf(header.noun)) } as const;
  return {
    title,
    blocks:
      all === undefined
        ? [{ ...rows, sheet: title, isFolded: true }, note]
        : [note, { ...rows, sheet: title, rows: all, most: undefined }],
  };
}

/** The plural, which messages use: `requisition` becomes `requisitions`. */
function nounOf(noun: string): string {
  return noun.endsWith('s') ? noun : `${noun}s`;
}
