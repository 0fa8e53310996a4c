import type { Section } from '../../../../core/document/document.ts';
import type { Row } from '../../../../core/result.ts';
import { momentText } from '../../../../core/time/moment.ts';
import type { SignedApproval } from '../../../approval/signed-approvals.ts';
import { columnsOf, type RunContent } from './row-table.ts';

/** Who has approved the import; undefined if nobody has and no approval is demanded. */
export function approvalsSection(content: RunContent): Section | undefined {
  const { approvals, facts } = content.report;
  const { title, none, counts, different } = content.words.approvals;
  if (approvals.length === 0) {
    const isDemanded = (facts.demanded ?? 0) > 0;
    return isDemanded ? { title, blocks: [{ kind: 'text', text: none }] } : undefined;
  }
  const rows = approvals.map((one) => approvalRow(one, counts));
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

export function approvalRow(
  { principals, key, approved, expires, counts }: SignedApproval,
  words: Readonly<Record<SignedApproval['counts'], string>>,
): Row {
  return {
    by: principals.length === 0 ? null : principals.join(', '),
    key: key ?? null,
    signed: approved === undefined ? null : momentText(approved),
    validUntil: expires === undefined ? null : momentText(expires),
    counts: words[counts],
  };
}
