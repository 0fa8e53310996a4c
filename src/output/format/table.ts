import CliTable from 'cli-table3';
import type { Column, Row } from '../../core/result.ts';
import { numberText } from '../../core/text/raw-number.ts';
import { visible } from '../../terminal/sanitise.ts';
import type { Table, TableFormatter, TableOptions } from '../format-loader.ts';
import { valueAt } from '../select/field-path.ts';
import { bar } from './bars.ts';
import { cellText } from './cell.ts';
import { fitWidths, GAP, type WantedWidth } from './fit.ts';
import { truncate, widthOf, wrap } from './width.ts';

/** cli-table3 takes quadratic time in the number of rows, so longer tables are drawn without it. */
const MOST_DRAWN = 200;

const BAR_WIDTH = 20;

/** cli-table3 has outdated character widths; characters that it may measure wrongly are replaced by placeholders. */
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

/** Draws lines of cells that already fit their columns. */
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

/** The same without the library, which takes too much time and memory per cell for long lists. */
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

function rows(
  all: readonly Column[],
  data: readonly Row[],
  { width, paint, totals = [] }: TableOptions,
): Table {
  // Bars are drawn on a terminal only; in a file they are useless.
  const columns = width === undefined ? all.filter(({ kind }) => kind !== 'bar') : all;
  if (data.length === 0 || columns.length === 0) return { text: '', hidden: [] };
  const headers = columns.map(({ header }) => visible(header));
  const scales = new Map(
    columns.filter(({ kind }) => kind === 'bar').map((column) => [column, barScale(column, data)]),
  );
  const cells = data.map((row) =>
    columns.map((column) => scales.get(column)?.draw(row) ?? cellText(row, column)),
  );
  const sums = totals.map((row) =>
    columns.map((column) => (column.kind === 'bar' ? '' : cellText(row, column))),
  );
  const wanted = columns.map((column, index): WantedWidth => {
    // At least 1, because width 0 means a hidden column.
    let widest = Math.max(1, widthOf(headers[index]!));
    for (const line of [...cells, ...sums])
      widest = Math.max(widest, cellWidth(line[index]!, width));
    return { width: widest, priority: column.priority ?? 1, whole: isNumeric(column) };
  });
  const widths =
    width === undefined ? wanted.map((column) => column.width) : fitWidths(wanted, width);
  const shown = widths.flatMap((one, index) => (one > 0 ? [index] : []));
  const fitted = (line: readonly string[]): string[] =>
    shown.map((index) => truncate(line[index]!, widths[index]!));
  const shownWidths = shown.map((index) => widths[index]!);
  const aligns = shown.map((index): Align => (isNumeric(columns[index]!) ? 'right' : 'left'));
  const rule = shownWidths.map((one) => '─'.repeat(one)).join(' '.repeat(GAP));
  const head = draw([fitted(headers)], shownWidths, aligns).trimEnd();
  const body = draw(cells.map(fitted), shownWidths, aligns);
  const below = sums.length === 0 ? '' : draw(sums.map(fitted), shownWidths, aligns);
  const scale = [...scales]
    .filter(([column]) => widths[columns.indexOf(column)]! > 0)
    .map(([, { text }]) => `${paint.dim(truncate(text, width ?? text.length))}\n`);
  return {
    text: [
      `${paint.bold(head)}\n${paint.dim(rule)}\n${body}`,
      below === '' ? '' : `${paint.dim(rule)}\n${paint.bold(below.trimEnd())}\n`,
      ...scale,
    ].join(''),
    hidden: headers.filter((_, index) => widths[index] === 0 && columns[index]!.kind !== 'bar'),
  };
}

interface Scale {
  draw(row: Row): string;
  /** What a full bar stands for. */
  readonly text: string;
}

/** Draws bars relative to the largest value in the same currency, as other currencies cannot be compared. */
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
    text: `A full bar is ${ends.join(' or ')}.`,
  };
}

function barValue(row: Row, { key }: Column): number {
  return Number(numberText(valueAt(row, key)) ?? 0);
}

/** The preferred width of a cell; measuring stops at the width of the widest terminals. */
function cellWidth(text: string, width: number | undefined): number {
  return width !== undefined && text.length > width * 16 ? width : widthOf(text);
}

function isNumeric({ kind }: Column): boolean {
  return kind === 'number' || kind === 'amount';
}

function record(columns: readonly Column[], value: Row, { width, paint }: TableOptions): Table {
  const fields = columns.map((column) => ({
    label: visible(column.header),
    text: cellText(value, column),
  }));
  if (fields.length === 0) return { text: '', hidden: [] };
  const longestLabel = Math.max(1, ...fields.map(({ label }) => widthOf(label)));
  const labelWidth =
    width === undefined
      ? longestLabel
      : Math.max(1, Math.min(longestLabel, Math.floor((width - GAP) / 2)));
  const room = width === undefined ? undefined : Math.max(1, width - GAP - labelWidth);
  const lines: string[][] = [];
  for (const { label, text } of fields) {
    const parts = room === undefined ? [text] : wrap(text, room);
    for (const [index, part] of parts.entries()) {
      lines.push([index === 0 ? truncate(label, labelWidth) : '', part]);
    }
  }
  const valueWidth = Math.max(1, ...lines.map(([, part]) => widthOf(part ?? '')));
  const drawn = draw(lines, [labelWidth, valueWidth], ['left', 'left']);
  const painted = drawn
    .split('\n')
    .map((line, index) => paintLabel(line, lines[index]?.[0] ?? '', paint.bold));
  return { text: painted.join('\n'), hidden: [] };
}

function paintLabel(line: string, label: string, bold: (text: string) => string): string {
  return label === '' ? line : bold(label) + line.slice(label.length);
}

/** Tables drawn by cli-table3. Loads it, so import this file only when needed. */
export const tableFormatter: TableFormatter = { rows, record };
