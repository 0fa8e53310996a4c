import type { Table, TableColumn } from '../../../../core/document/document.ts';
import type { Lang } from '../../../../core/text/phrase.ts';
import { inShell } from '../../../../core/text/typed.ts';
import { momentText } from '../../../../core/time/moment.ts';
import { sentenceIn } from '../../../../messages/problems.ts';
import type { ImportReportMessages } from '../../../../messages/reports/import-report.ts';
import type { ListedRow } from '../../../ledger/rows/reported-rows.ts';
import { MOST_ROWS, type RunReport } from '../run-report.ts';

export interface RunContent {
  readonly report: RunReport;
  readonly lang: Lang;
  readonly words: ImportReportMessages;
  readonly created: Iterable<ListedRow> | undefined;
}

export type ColumnName = keyof ImportReportMessages['columns'];

const KINDS: Partial<Record<ColumnName, TableColumn['kind']>> = {
  row: 'number',
  line: 'number',
  code: 'code',
  id: 'code',
  cell: 'code',
  rows: 'count',
  perSecond: 'number',
};

export function rowTable(
  content: RunContent,
  title: string,
  state: ListedRow['state'],
  count: number,
  rows: readonly ListedRow[],
  names: readonly ColumnName[],
): Table {
  const { lang } = content;
  return {
    kind: 'table',
    title,
    columns: columnsOf(content, names, rows),
    rows: rows.map((row) => ({
      ...row,
      reason: sentenceIn(row.reason, lang),
      sentAt: row.sentAt === null ? null : momentText(row.sentAt),
    })),
    count,
    most: MOST_ROWS,
    all: rowsCommand(content, state),
  };
}

/** Leaves out optional columns that are empty in all rows. */
export function columnsOf(
  { words }: RunContent,
  names: readonly ColumnName[],
  rows?: readonly Readonly<Partial<Record<ColumnName, unknown>>>[],
): readonly TableColumn[] {
  const optional = (name: ColumnName) =>
    ['line', 'code', 'name', 'reason', 'content', 'by', 'key'].includes(name);
  const isEmpty = (name: ColumnName) =>
    rows?.every((row) => row[name] === null || row[name] === undefined) === true;
  return names
    .filter((name) => !(optional(name) && isEmpty(name)))
    .map((name) => ({
      key: name,
      header: words.columns[name],
      kind: KINDS[name] ?? 'text',
    }));
}

export function rowsCommand({ report }: RunContent, state: ListedRow['state']): string {
  return `proc imports rows ${inShell(report.header.run)} --state ${inShell(state)}`;
}
