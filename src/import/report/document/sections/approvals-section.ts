import type { Section } from '../../../../core/document/document.ts';
import { momentText } from '../../../../core/time/moment.ts';
import { columnsOf, type RunContent } from './row-table.ts';

/** Who has approved the import; undefined if nobody has, and nobody has to. */
export function approvalsSection(content: RunContent): Section | undefined {
  const { approvals, facts } = content.report;
  const { title, none, counts, different } = content.words.approvals;
  if (approvals.length === 0) {
    const isDemanded = (facts.demanded ?? 0) > 0;
    return isDemanded ? { title, blocks: [{ kind: 'text', text: none }] } : undefined;
  }
  const rows = approvals.map((one) => ({
    by: one.principals.length === 0 ? null : one.principals.join(', '),
    key: one.key ?? null,
    signed: one.approved === undefined ? null : momentText(one.approved),
    validUntil: one.expires === undefined ? null : momentText(one.expires),
    counts: counts[one.counts],
  }));
  return {
    title,
    blocks: [
      {
        kind: 'table',
        title,
        columns: columnsOf(content, ['by', 'key', 'signed', 'validUntil', 'counts']),
        rows,
        count: rows.length,
        most: undefined,
      },
      { kind: 'text', text: different },
    ],
  };
}
