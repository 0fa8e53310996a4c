import type { Table, TableColumn } from '../../core/document/document.ts';
import type { Column, Row } from '../../core/result.ts';
import { grouped, isDecimal, plainDecimal } from '../../core/text/decimal.ts';
import { numberText } from '../../core/text/raw-number.ts';
import { visible } from '../../terminal/sanitise.ts';
import { amountText, cellText } from '../format/cell.ts';
import { decimalsOf } from '../format/currency.ts';

/** A longer text would push everything else off the page. */
const MOST_CHARACTERS = 500;

/** With the decimals of the currency, or more if the amount has more. */
export function reportAmount(digits: string, currency: unknown, showsCurrency = true): string {
  return amountText(digits, showsCurrency ? currency : undefined, {
    least: decimalsOf(currency),
  });
}

export function cellIn(row: Row, column: TableColumn, table: Table): string {
  const text = numberIn(row, column, table) ?? cellText(row, listColumn(column));
  if (text.length <= MOST_CHARACTERS) return text;
  return `${text.slice(0, MOST_CHARACTERS).replace(/[\ud800-\udbff]$/, '')}…`;
}

function numberIn(row: Row, { key, kind }: TableColumn, { currency }: Table): string | undefined {
  const value = row[key];
  const digits = numberText(value);
  if (kind === 'amount') {
    const amount = digits ?? (typeof value === 'string' ? value.trim() : '');
    if (!isDecimal(amount)) return undefined;
    return visible(reportAmount(amount, currency ?? row.currency, currency === undefined));
  }
  if (digits === undefined) return undefined;
  const plain = plainDecimal(digits);
  return kind === 'count' && /^\d+$/.test(plain) ? grouped(plain) : plain;
}

export function isRight({ kind }: TableColumn): boolean {
  return kind === 'number' || kind === 'count' || kind === 'amount';
}

/** Formatters of lists do not know the kind `code`. */
export function listColumn({ key, header, kind }: TableColumn): Column {
  return { key, header, kind: kind === 'code' ? 'text' : kind };
}

/** Reads no further than `most` rows. */
export function* firstRows({ rows }: Table, most: number | undefined): Generator<Row> {
  let left = most ?? Number.POSITIVE_INFINITY;
  if (left <= 0) return;
  for (const row of rows) {
    yield row as Row;
    left--;
    if (left <= 0) return;
  }
}

const WORDS: { first(shown: string, all: string): string; readonly list: string } = {
  first: (shown, all) => `The first ${shown} of ${all} rows.`,
  list: 'To list all:',
};

/**
 * E.g. `The first 20 of 300 rows.`, with the command that lists all. Undefined if the table shows
 * all rows.
 */
export function restOf(
  { count, all }: Table,
  most: number | undefined,
): { readonly text: string; readonly command: string | undefined } | undefined {
  if (most === undefined || count <= most) return undefined;
  const { first, list } = WORDS;
  const text = first(grouped(most), grouped(count));
  return { text: all === undefined ? text : `${text} ${list}`, command: all };
}
