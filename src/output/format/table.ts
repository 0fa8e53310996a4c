import CliTable from 'cli-table3';
import { isObject } from '../../core/is-object.ts';
import type { Block, Column, Row } from '../../core/result.ts';
import { isRawNumber, numberText } from '../../core/text/raw-number.ts';
import { visible } from '../../terminal/sanitise.ts';
import { wrapWords } from '../../terminal/wrap-words.ts';
import type { Table, TableFormatter, TableOptions } from '../format-loader.ts';
import { valueAt } from '../select/field-path.ts';
import { bar } from './bars.ts';
import { cellText, paintCell } from './cell.ts';
import { fitWidths, GAP, type WantedWidth } from './fit.ts';
import { headerText } from './header-text.ts';
import { truncate, widthOf, wrap, wrapAtSpaces } from './width.ts';

/** cli-table3 takes quadratic time, so longer tables are drawn without cli-table3. */
const MOST_DRAWN = 200;

const BAR_WIDTH = 20;

/**
 * cli-table3 measures some characters wrongly. So cells beyond ASCII consist of this character
 * while cli-table3 draws.
 */
const STAND_IN = '\ue000';
const STAND_INS = /\ue000+/g;
const ASCII = /^[\x20-\x7e]*$/;

const NO_BORDERS = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: ' '.repeat(GAP),
};

type Align = 'left' | 'right';

function draw(
  lines: readonly (readonly string[])[],
  widths: readonly number[],
  aligns: readonly Align[],
): string {
  if (lines.length > MOST_DRAWN) return drawPlain(lines, widths, aligns);
  const table = new CliTable({
    chars: NO_BORDERS,
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true },
    colWidths: [...widths],
    colAligns: [...aligns],
  });
  const originals: string[] = [];
  for (const cells of lines) {
    table.push(
      cells.map((cell) => {
        if (ASCII.test(cell)) return cell;
        const standIn = STAND_IN.repeat(widthOf(cell));
        if (standIn !== '') originals.push(cell);
        return standIn;
      }),
    );
  }
  let next = 0;
  const drawn = table.toString().replace(STAND_INS, () => originals[next++] ?? '');
  return `${drawn.replace(/ +$/gm, '')}\n`;
}

function drawPlain(
  lines: readonly (readonly string[])[],
  widths: readonly number[],
  aligns: readonly Align[],
): string {
  const gap = ' '.repeat(GAP);
  let text = '';
  for (const cells of lines) {
    let line = '';
    for (const [index, cell] of cells.entries()) {
      const used = widthOf(cell);
      const space = ' '.repeat(Math.max(0, widths[index]! - used));
      const shown = used === 0 ? '' : cell;
      line +=
        (index === 0 ? '' : gap) + (aligns[index] === 'right' ? space + shown : shown + space);
    }
    text += `${line.replace(/ +$/, '')}\n`;
  }
  return text;
}

function rows(all: readonly Column[], data: readonly Row[], options: TableOptions): Table {
  const { width, paint, totals = [] } = options;
  const columns = all.filter((column) => isUseful(column, data, width));
  if (data.length === 0 || columns.length === 0) return { text: '', hidden: [] };
  const headers = columns.map(({ header }) => headerText(header));
  const scales = new Map(
    columns.filter(({ kind }) => kind === 'bar').map((column) => [column, barScale(column, data)]),
  );
  const cells = data.map((row) =>
    columns.map((column) => scales.get(column)?.draw(row) ?? cellText(row, column, options)),
  );
  const sums = totals.map((row) =>
    columns.map((column) => (column.kind === 'bar' ? '' : cellText(row, column, options))),
  );
  const wanted = columns.map((column, index): WantedWidth => {
    // At least 1, because width 0 means a hidden column.
    let widest = Math.max(1, widthOf(headers[index]!));
    for (const line of [...cells, ...sums])
      widest = Math.max(widest, cellWidth(line[index]!, width));
    const priority = column.priority ?? 1;
    return { width: widest, priority, whole: isWhole(column, priority, widest) };
  });
  const widths =
    width === undefined ? wanted.map((column) => column.width) : fitWidths(wanted, width);
  const shown = widths.flatMap((one, index) => (one > 0 ? [index] : []));
  const fitted = (line: readonly string[]): string[] =>
    shown.map((index) => truncate(line[index]!, widths[index]!));
  const painted = (line: readonly string[], at: number): string[] =>
    fitted(line).map((cell, index) => paintCell(cell, data[at]!, columns[shown[index]!]!, paint));
  const shownWidths = shown.map((index) => widths[index]!);
  const aligns = shown.map((index): Align => (isNumeric(columns[index]!) ? 'right' : 'left'));
  const rule = paint.dim(shownWidths.map((one) => '─'.repeat(one)).join(' '.repeat(GAP)));
  const drawn = (lines: readonly (readonly string[])[]) => draw(lines, shownWidths, aligns);
  const bold = (text: string) => text.replace(/.+/g, (line) => paint.bold(line));
  const scale = [...scales]
    .filter(([column]) => widths[columns.indexOf(column)]! > 0)
    .map(([, { text }]) => `${paint.dim(truncate(text, width ?? text.length))}\n`);
  return {
    text: [
      `${bold(drawn([fitted(headers)]))}${rule}\n`,
      drawn(cells.map(painted)),
      sums.length === 0 ? '' : `${rule}\n${bold(drawn(sums.map(fitted)))}`,
      ...scale,
    ].join(''),
    hidden: headers.filter((_, index) => widths[index] === 0 && wanted[index]!.priority > 0),
  };
}

/** A bar is useless in a file. A column of priority 0 is shown only if a row has a value. */
function isUseful(
  { key, kind, priority }: Column,
  data: readonly Row[],
  width: number | undefined,
) {
  if (kind === 'bar') return width !== undefined;
  return priority !== 0 || data.some((row) => (valueAt(row, key) ?? '') !== '');
}

/** Up to this width, a status or an important column is never shortened. */
const MOST_WHOLE = 24;

/** A shortened number looks like another number, and a shortened id or state says nothing. */
function isWhole(column: Column, priority: number, width: number): boolean {
  if (isNumeric(column) || column.kind === 'date') return true;
  return (column.kind === 'status' || priority >= 4) && width <= MOST_WHOLE;
}

interface Scale {
  draw(row: Row): string;
  readonly text: string;
}

/**
 * Draws bars relative to the largest value in the same currency, because amounts in different
 * currencies cannot be compared.
 */
function barScale(column: Column, data: readonly Row[]): Scale {
  const most = new Map<unknown, Row>();
  for (const row of data) {
    const largest = most.get(row.currency);
    if (largest === undefined || barValue(row, column) > barValue(largest, column)) {
      most.set(row.currency, row);
    }
  }
  const ends = [...most.values()].map((row) => cellText(row, { ...column, kind: 'amount' }));
  return {
    draw(row) {
      const largest = most.get(row.currency);
      return bar(
        barValue(row, column),
        largest === undefined ? 0 : barValue(largest, column),
        BAR_WIDTH,
      );
    },
    text: `A full bar represents ${ends.join(' or ')}.`,
  };
}

function barValue(row: Row, { key }: Column): number {
  return Number(numberText(valueAt(row, key)) ?? 0);
}

/** A text far too long for the terminal is not measured. */
function cellWidth(text: string, width: number | undefined): number {
  return width !== undefined && text.length > width * 16 ? width : widthOf(text);
}

function isNumeric({ kind }: Column): boolean {
  return kind === 'number' || kind === 'count' || kind === 'amount';
}

/** This file loads cli-table3, so import it only when needed. */
function blocks(all: readonly Block[], options: TableOptions): string {
  const { width = Number.POSITIVE_INFINITY, paint } = options;
  const wrapped = (lines: readonly string[]) =>
    lines.flatMap((line) => wrapWords(visible(line), width));
  const text = all.map(({ record: one, heading, lines = [], table, notes = [] }) =>
    [
      ...(heading === undefined ? [] : wrapped([heading]).map(paint.bold)),
      ...(one === undefined ? [] : [record(one.columns, one.value, options).text.trimEnd()]),
      ...wrapped(lines),
      ...(table === undefined ? [] : [rows(table.columns, table.rows, options).text.trimEnd()]),
      ...wrapped(notes),
    ].join('\n'),
  );
  return `${text.join('\n\n')}\n`;
}

export const tableFormatter: TableFormatter = { rows, record, blocks };

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
