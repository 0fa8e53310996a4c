import type { Table, TableColumn } from '../../core/document/document.ts';
import type { Column, Row } from '../../core/result.ts';
import { grouped } from '../../core/text/decimal.ts';
import type { Lang } from '../../core/text/phrase.ts';
import { cellText } from '../format/cell.ts';

/** A cell with more would push everything else off the page. */
const MOST_CHARACTERS = 500;

/** The cell as one line of text without control characters. */
export function cellIn(row: Row, column: TableColumn): string {
  const text = cellText(row, listColumn(column));
  if (text.length <= MOST_CHARACTERS) return text;
  return `${text.slice(0, MOST_CHARACTERS).replace(/[\ud800-\udbff]$/, '')}…`;
}

export function isRight({ kind }: TableColumn): boolean {
  return kind === 'number' || kind === 'count' || kind === 'amount';
}

/** The column of a list that shows the same. Lists have no kind `code`. */
export function listColumn({ key, header, kind }: TableColumn): Column {
  return { key, header, kind: kind === 'code' ? 'text' : kind };
}

/** The first rows, at most `most`; reads no further. */
export function* firstRows({ rows }: Table, most: number | undefined): Generator<Row> {
  let left = most ?? Number.POSITIVE_INFINITY;
  if (left <= 0) return;
  for (const row of rows) {
    yield row as Row;
    left--;
    if (left <= 0) return;
  }
}

const WORDS: Readonly<
  Record<Lang, { first(shown: string, all: string): string; readonly list: string }>
> = {
  en: { first: (shown, all) => `The first ${shown} of ${all} rows.`, list: 'To list all:' },
  es: {
    first: (shown, all) => `Las primeras ${shown} de ${all} filas.`,
    list: 'Para verlas todas:',
  },
};

/** What a table does not show, and the command that does; undefined if it shows everything. */
export function restOf(
  { count, all }: Table,
  most: number | undefined,
  lang: Lang,
): { readonly text: string; readonly command: string | undefined } | undefined {
  if (most === undefined || count <= most) return undefined;
  const { first, list } = WORDS[lang];
  const text = first(grouped(most), grouped(count));
  return { text: all === undefined ? text : `${text} ${list}`, command: all };
}
