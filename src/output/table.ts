import CliTable from 'cli-table3';
import { isObject } from '../core/json.ts';
import { isRawNumber } from '../core/numbers.ts';
import type { Block, Column, Row } from '../core/result.ts';
import { visible } from '../terminal/sanitise.ts';
import type { Paint } from '../terminal/terminal.ts';
import { truncate, widthOf, wrapWords } from '../terminal/width.ts';
import { cellText, valueAt } from './cell.ts';

export interface TableOptions {
  /** In columns of the terminal; undefined for no limit. */
  readonly width: number | undefined;
  readonly paint: Paint;
}

export interface Table {
  /** Lines, each with a line break. Empty if there is nothing to show. */
  readonly text: string;
  readonly hidden: readonly string[];
}

const GAP = 2;
/** cli-table3 takes quadratic time, so a long table is drawn in parts of the same widths. */
const PART = 200;

/** cli-table3 measures some characters wrongly. So cells beyond ASCII consist of this character while it draws. */
const STAND_IN = '\ue000';
const ASCII = /^[\x20-\x7e]*$/;

const BORDERS =
  'top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right left left-mid right right-mid mid mid-mid';
const CHARS = {
  ...Object.fromEntries(BORDERS.split(' ').map((name) => [name, ''])),
  middle: ' '.repeat(GAP),
};

function draw(
  lines: readonly (readonly string[])[],
  widths: readonly number[],
  aligns: readonly ('left' | 'right')[],
): string {
  let text = '';
  for (let from = 0; from < lines.length; from += PART) {
    const table = new CliTable({
      chars: CHARS,
      style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true },
      colWidths: [...widths],
      colAligns: [...aligns],
    });
    const originals: string[] = [];
    for (const cells of lines.slice(from, from + PART)) {
      table.push(
        cells.map((cell) => {
          if (ASCII.test(cell)) return cell;
          const standIn = STAND_IN.repeat(widthOf(cell));
          if (standIn !== '') originals.push(cell);
          return standIn;
        }),
      );
    }
    const drawn = table.toString().replace(/\ue000+/g, () => originals.shift() ?? '');
    text += `${drawn.replace(/ +$/gm, '')}\n`;
  }
  return text;
}

/** `createdAt` → `CREATED AT`. */
function headerText({ header }: Column): string {
  return visible(header.replace(/([a-z\d])([A-Z])/g, '$1 $2').toUpperCase());
}

function isNumeric({ kind }: Column): boolean {
  return kind === 'number' || kind === 'count' || kind === 'amount';
}

/** A column of priority 0 is shown only if a row has a value. */
export function rowsTable(
  all: readonly Column[],
  data: readonly Row[],
  { width, paint }: TableOptions,
): Table {
  const columns = all.filter(
    ({ key, priority }) => priority !== 0 || data.some((row) => (valueAt(row, key) ?? '') !== ''),
  );
  if (data.length === 0 || columns.length === 0) return { text: '', hidden: [] };
  const headers = columns.map(headerText);
  const cells = data.map((row) => columns.map((column) => cellText(row, column)));
  const wanted = columns.map((column, at) => {
    let widest = Math.max(1, widthOf(headers[at]!));
    for (const line of cells) widest = Math.max(widest, cellWidth(line[at]!, width));
    const { priority = 1 } = column;
    // A shortened number would look like another number.
    const isWhole = isNumeric(column) || column.kind === 'date';
    return { width: widest, priority, least: isWhole ? widest : (LEAST[priority] ?? WHOLE) };
  });
  const widths = width === undefined ? wanted.map((one) => one.width) : fitted(wanted, width);
  const shown = [...columns.keys()].filter((at) => widths[at]! > 0);
  const cut = (line: readonly string[]) => shown.map((at) => truncate(line[at]!, widths[at]!));
  const shownWidths = shown.map((at) => widths[at]!);
  const aligns = shown.map((at) => (isNumeric(columns[at]!) ? 'right' : 'left'));
  const head = draw([cut(headers)], shownWidths, aligns).trimEnd();
  const rule = shownWidths.map((one) => '─'.repeat(one)).join(' '.repeat(GAP));
  const body = draw(cells.map(cut), shownWidths, aligns);
  return {
    text: `${paint.bold(head)}\n${paint.dim(rule)}\n${body}`,
    hidden: headers.filter((_, at) => widths[at] === 0),
  };
}

/** A text far too long for the terminal is not measured. */
function cellWidth(text: string, width: number | undefined): number {
  return width !== undefined && text.length > width * 16 ? width : widthOf(text);
}

/** The narrowest that a column of text becomes: by its priority, else {@link WHOLE}. */
const LEAST: Readonly<Record<number, number>> = { 0: 8, 1: 8 };
const WHOLE = 20;

interface Wanted {
  readonly width: number;
  readonly priority: number;
  readonly least: number;
}

/** Widths that fit the terminal; 0 hides a column. Columns of the lowest priority shrink first, then are hidden. */
function fitted(wanted: readonly Wanted[], total: number): number[] {
  const shown = new Set(wanted.keys());
  const byPriority = [...wanted.keys()].sort(
    (a, b) => wanted[a]!.priority - wanted[b]!.priority || b - a,
  );
  for (;;) {
    const widths = wanted.map((one, at) => (shown.has(at) ? one.width : 0));
    let excess = widths.reduce((sum, one) => sum + one, 0) + GAP * (shown.size - 1) - total;
    for (const at of byPriority) {
      if (excess <= 0) return widths;
      if (!shown.has(at)) continue;
      const least = shown.size === 1 ? 1 : Math.min(wanted[at]!.least, wanted[at]!.width);
      const narrower = Math.max(least, widths[at]! - excess);
      excess -= widths[at]! - narrower;
      widths[at] = narrower;
    }
    if (excess <= 0 || shown.size === 1) return widths;
    shown.delete(byPriority.find((at) => shown.has(at))!);
  }
}

/** A line for each field; a nested value has a line for each of its parts. */
export function recordTable(
  columns: readonly Column[],
  value: Row,
  { width, paint }: TableOptions,
): string {
  if (columns.length === 0) return '';
  const labels = columns.map(headerText);
  const longest = Math.max(...labels.map(widthOf));
  const left = width === undefined ? longest : Math.min(longest, Math.floor((width - GAP) / 2));
  const room = width === undefined ? Number.POSITIVE_INFINITY : Math.max(1, width - GAP - left);
  const lines = columns.flatMap((column, at) => {
    const nested = nestedOf(valueAt(value, column.key));
    const texts = nested === undefined ? [cellText(value, column)] : indented(nested);
    return texts
      .flatMap((text) => wrapWords(text, room))
      .map((text, index) => [index === 0 ? paint.bold(truncate(labels[at]!, left)) : '', text]);
  });
  const right = Math.max(1, ...lines.map(([, text]) => widthOf(text!)));
  return draw(lines, [left, right], ['left', 'left']);
}

/** Undefined for plain values, lists of plain values and empty objects. */
function nestedOf(value: unknown): object | undefined {
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return undefined;
  const isList = Array.isArray(value) && !value.some((one) => Array.isArray(one) || isObject(one));
  return isList || Object.keys(value).length === 0 ? undefined : value;
}

/** `key: value` lines, one level of indentation per level of the value. */
function indented(value: object): string[] {
  const plain = (one: unknown) => cellText({ one }, { key: 'one' });
  if (Array.isArray(value)) {
    return value.flatMap((one: unknown) => {
      const below = nestedOf(one);
      const lines = below === undefined ? [plain(one)] : indented(below);
      return lines.map((line, at) => (at === 0 ? `- ${line}` : `  ${line}`));
    });
  }
  return Object.entries(value).flatMap(([key, one]: [string, unknown]) => {
    const below = nestedOf(one);
    if (below === undefined) return [`${visible(key)}: ${plain(one)}`];
    return [`${visible(key)}:`, ...indented(below).map((line) => `  ${line}`)];
  });
}

export function blocksText(all: readonly Block[], options: TableOptions): string {
  const { width = Number.POSITIVE_INFINITY, paint } = options;
  const wrapped = (lines: readonly string[]) =>
    lines.flatMap((line) => wrapWords(visible(line), width));
  const text = all.map(({ record, heading, lines = [], table, notes = [] }) => {
    const drawn = table && rowsTable(table.columns, table.rows, options);
    return [
      ...(heading === undefined ? [] : wrapped([heading]).map(paint.bold)),
      ...(record === undefined
        ? []
        : [recordTable(record.columns, record.value, options).trimEnd()]),
      ...wrapped(lines),
      ...(drawn === undefined ? [] : [drawn.text.trimEnd()]),
      ...wrapped(drawn?.hidden.length ? [`Hidden columns: ${drawn.hidden.join(', ')}.`] : []),
      ...wrapped(notes),
    ].join('\n');
  });
  return `${text.join('\n\n')}\n`;
}
