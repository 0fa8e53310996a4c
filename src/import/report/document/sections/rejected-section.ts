import type { Block, Section, Table } from '../../../../core/document/document.ts';
import { sentence, sentenceIn } from '../../../../messages/problems.ts';
import { MOST_PER_GROUP } from '../rejected-groups.ts';
import { type ColumnName, columnsOf, type RunContent, rowsCommand } from './row-table.ts';

export function rejectedSection(content: RunContent): Section | undefined {
  const { counts, repaired, rejected } = content.report;
  const { rejected: count } = counts;
  if (count === 0) return undefined;
  const words = content.words.rejected;
  const { lang } = content;
  const said = rejected.map(({ reason, ...group }) => ({
    ...group,
    reason: reason === undefined ? words.other : sentence(reason, lang),
  }));
  const groups = said.map(({ reason, count: rows, rows: shown }): Table => {
    const differs = shown.some((row) => sentenceIn(row.reason, lang) !== reason);
    const columns: readonly ColumnName[] = ['row', 'line', 'code', 'name', 'cell'];
    return {
      kind: 'table',
      title: words.reasonOf(reason, rows),
      sheet: words.sheet,
      sheetColumns: columnsOf(content, [...columns, 'reason']),
      columns: columnsOf(content, differs ? [...columns, 'reason'] : columns, shown),
      rows: shown.map((row) => ({
        ...row,
        cell: row.cells
          .map(({ column, value }) => `${column}: ${value === '' ? words.emptyCell : value}`)
          .join(' · '),
        reason: sentenceIn(row.reason, lang),
      })),
      count: rows,
      most: MOST_PER_GROUP,
      all: rowsCommand(content, 'rejected'),
    };
  });
  const later = repaired === 0 ? '' : ` ${words.repaired(repaired)}`;
  const blocks: Block[] = [{ kind: 'text', text: `${words.text(count)}${later}` }];
  if (said.length > 1) {
    blocks.push({
      kind: 'table',
      title: words.reasons,
      columns: columnsOf(content, ['reason', 'rows']),
      rows: said.map(({ reason, count: rows }) => ({ reason, rows })),
      count: said.length,
      most: undefined,
    });
  }
  return { title: words.title, tone: 'attention', blocks: [...blocks, ...groups] };
}
