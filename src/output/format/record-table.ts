import { isObject } from '../../core/is-object.ts';
import type { Column, Row } from '../../core/result.ts';
import { isRawNumber } from '../../core/text/raw-number.ts';
import { visible } from '../../terminal/sanitise.ts';
import type { Table, TableOptions } from '../format-loader.ts';
import { valueAt } from '../select/field-path.ts';
import { cellText, paintCell } from './cell.ts';
import { GAP } from './fit.ts';
import { headerText } from './header-text.ts';
import { truncate, widthOf, wrap, wrapAtSpaces } from './width.ts';

const INDENT = '  ';

export function record(columns: readonly Column[], value: Row, options: TableOptions): Table {
  const { width, paint } = options;
  const fields = columns.map((column) => ({
    label: headerText(column.header),
    column,
    nested: nestedOf(valueAt(value, column.key)),
  }));
  if (fields.length === 0) return { text: '', hidden: [] };
  const longest = Math.max(1, ...fields.map(({ label }) => widthOf(label)));
  const labelWidth =
    width === undefined ? longest : Math.max(1, Math.min(longest, Math.floor((width - GAP) / 2)));
  const room = width === undefined ? undefined : Math.max(1, width - GAP - labelWidth);
  const gap = ' '.repeat(GAP);
  const lines: string[] = [];
  for (const { label, column, nested } of fields) {
    const shown = truncate(label, labelWidth);
    const text = nested === undefined ? fieldText(value, column, options) : '';
    const [first = '', ...others] = room === undefined ? [text] : wrapAtSpaces(text, room);
    const lead = shown + ' '.repeat(labelWidth - widthOf(shown)) + gap;
    const cell = others.length === 0 ? paintCell(first, value, column, paint) : first;
    lines.push(
      first === '' ? paint.bold(shown) : paint.bold(shown) + lead.slice(shown.length) + cell,
    );
    for (const other of others) lines.push(' '.repeat(labelWidth) + gap + other);
    if (nested === undefined) continue;
    for (const line of indented(nested, width)) lines.push(`${INDENT}${line}`);
  }
  const fitting = width === undefined ? lines : lines.flatMap((line) => fitted(line, width));
  return { text: fitting.map((line) => `${line.trimEnd()}\n`).join(''), hidden: [] };
}

function fieldText(value: Row, column: Column, options: TableOptions): string {
  const { yes = 'yes' } = options.labels ?? {};
  const one = valueAt(value, column.key);
  return typeof one === 'boolean' ? (one ? yes : 'no') : cellText(value, column, options, 'long');
}

/**
 * Undefined for values on the line of their field: plain values, lists of plain values, empty
 * objects.
 */
function nestedOf(value: unknown): object | undefined {
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return undefined;
  if (Array.isArray(value) && value.every((one) => !isNested(one))) return undefined;
  return Object.keys(value).length === 0 ? undefined : value;
}

function isNested(value: unknown): boolean {
  return Array.isArray(value) || isObject(value);
}

/** `key: value` lines, one level of indentation per level of the value. */
function indented(value: object, width: number | undefined): string[] {
  const room = width === undefined ? undefined : Math.max(INDENT.length * 4, width - INDENT.length);
  const inner = room === undefined ? undefined : room - INDENT.length;
  if (Array.isArray(value)) {
    return value.flatMap((one: unknown) => {
      const below = nestedOf(one);
      const lines = below === undefined ? wrapped(plain(one), inner) : indented(below, inner);
      return lines.map((line, at) => (at === 0 ? `- ${line}` : `${INDENT}${line}`));
    });
  }
  return Object.entries(value).flatMap(([key, one]: [string, unknown]) => {
    const below = nestedOf(one);
    if (below !== undefined) {
      return [`${visible(key)}:`, ...indented(below, inner).map((line) => `${INDENT}${line}`)];
    }
    const [first = '', ...others] = wrapped(`${visible(key)}: ${plain(one)}`, inner);
    return [first, ...others.map((line) => `${INDENT}${line}`)];
  });
}

function plain(value: unknown): string {
  return cellText({ value }, { key: 'value', header: '' });
}

function wrapped(text: string, room: number | undefined): string[] {
  return room === undefined ? [text] : wrapAtSpaces(text, room);
}

/** Breaks a line inside a word if deep nesting or a narrow terminal leave no room. */
function fitted(line: string, width: number): string[] {
  return widthOf(line) <= width ? [line] : wrap(line, width);
}
