import type { Block, Fact, ReportDocument, Table } from '../../core/document/document.ts';
import { visible } from '../../terminal/sanitise.ts';
import { wrapWords } from '../../terminal/wrap-words.ts';
import { bar } from '../format/bars.ts';
import type { Sink } from '../sink.ts';
import { html } from './html-text.ts';
import { cellIn, firstRows, isRight, restOf } from './table-text.ts';

/**
 * Lowers the limit of a table. A table without a limit keeps all its rows. Markdown reports appear in
 * the summary of a CI job, where long tables are in the way.
 */
const MOST_ROWS = 20;
const BAR_WIDTH = 24;

const PIECE = 64 * 1024;

/** @param width of the terminal: longer lines are wrapped at words, and rows of wide tables become items of a list */
export async function writeMarkdown(
  document: ReportDocument,
  sink: Sink,
  width?: number,
): Promise<void> {
  let waiting = '';
  for (const piece of pieces(document, width)) {
    waiting += width === undefined || piece.startsWith('\n```') ? piece : wrapped(piece, width);
    if (waiting.length < PIECE) continue;
    await sink.write(waiting);
    waiting = '';
  }
  await sink.write(waiting);
}

/** Code, e.g. a command to copy, is not broken. */
function wrapped(piece: string, width: number): string {
  const held = piece.replace(/`[^`\n]+`/g, (one) => one.replaceAll(' ', '\u0000'));
  const lines = held
    .split('\n')
    .flatMap((line) => wrapWords(line, width, line.startsWith('- ') ? 2 : 0));
  return lines.join('\n').replaceAll('\u0000', ' ');
}

function* pieces(
  { title, place, lead, sections, footer }: ReportDocument,
  width: number | undefined,
): Generator<string> {
  yield `# ${plain(title)}\n\n${plain(place)}\n\n**${plain(lead)}**\n`;
  for (const section of sections) {
    yield `\n## ${plain(section.title)}\n`;
    for (const block of section.blocks) {
      if (block.kind === 'table') yield* table(block, section.title, width);
      else if (block.kind === 'facts') yield* facts(block.facts, width);
      else yield simple(block);
    }
  }
  yield `\n---\n\n${plain(footer)}\n`;
}

function simple(block: Exclude<Block, Table | { kind: 'facts' }>): string {
  switch (block.kind) {
    case 'text':
      return `\n${plain(block.text)}\n`;
    case 'command':
      return `\n${fenced(visible(block.text))}\n`;
    case 'list':
      return `\n${block.items.map((item) => `- ${plain(item)}\n`).join('')}`;
    case 'bars': {
      const most = Math.max(...block.bars.map(({ value }) => value));
      const labels = Math.max(...block.bars.map(({ label }) => label.length));
      const lines = block.bars.map(
        ({ label, value, text }) =>
          `${visible(label).padEnd(labels)}  ${bar(value, most, BAR_WIDTH)} ${visible(text)}`,
      );
      return `\n${fenced(lines.join('\n'), 'text')}\n`;
    }
    default:
      // Other charts are left out: a table with the same values follows.
      return '';
  }
}

function* facts(all: readonly Fact[], width: number | undefined): Generator<string> {
  yield '\n';
  const rows = all.map(({ label, value, isCode }) => [
    plain(label),
    isCode === true ? code(value) : plain(value),
  ]);
  const form = { headers: ['', ''], rule: '---|---|', item: (cells: Cells) => cells.join(': ') };
  yield* grid(form, rows, width);
}

function* table(block: Table, section: string, width: number | undefined): Generator<string> {
  const { columns, title, isFolded = false } = block;
  const most = block.most === undefined ? undefined : Math.min(block.most, MOST_ROWS);
  // Markdown between HTML tags needs an empty line before and after it.
  if (isFolded) yield `\n<details><summary>${html(title)}</summary>\n\n`;
  else yield title === section ? '\n' : `\n**${plain(title)}**\n\n`;
  const headers = columns.map(({ header }) => plain(header));
  const rule = columns.map((column) => (isRight(column) ? '---:|' : '---|')).join('');
  const item = (cells: Cells) =>
    cells.flatMap((cell, at) => (cell === '' ? [] : [`${headers[at]}: ${cell}`])).join('; ');
  const rows = function* () {
    for (const row of firstRows(block, most)) {
      yield columns.map((column) => {
        const text = cellIn(row, column, block);
        return column.kind === 'code' && text !== '' ? code(text) : plain(text);
      });
    }
  };
  // At a terminal, a table without a limit may be too long to be kept and measured.
  const all = width === undefined || most === undefined ? rows() : [...rows()];
  yield* grid({ headers, rule, item }, all, width);
  const rest = restOf(block, most);
  if (rest !== undefined) {
    yield `\n${plain(rest.text)}${rest.command === undefined ? '' : ` ${code(rest.command)}`}\n`;
  }
  if (isFolded) yield '\n</details>\n';
}

type Cells = readonly string[];

interface GridForm {
  readonly headers: Cells;
  readonly rule: string;
  /** A row of the list. */
  item(cells: Cells): string;
}

/** A table; at a terminal, a list if the table is wider, or cannot be measured. */
function* grid(
  { headers, rule, item }: GridForm,
  rows: Iterable<Cells>,
  width: number | undefined,
): Generator<string> {
  const line = (cells: Cells) => `|${cells.map((cell) => ` ${cell} |`).join('')}\n`;
  const fits = (cells: Cells) => width === undefined || line(cells).length <= width + 1;
  const isTable = width === undefined || (Array.isArray(rows) && [headers, ...rows].every(fits));
  if (isTable) yield `${line(headers)}|${rule}\n`;
  for (const cells of rows) yield isTable ? line(cells) : `- ${item(cells)}\n`;
}

/**
 * `:smile:`, `@user` or `#12`: GitHub and GitLab turn such text into an emoji, a mention or a link.
 * A backslash does not prevent this, but formatting as code does.
 */
const TURNED = /(:(?:\w*[a-z][\w+-]*|[+-]1|100|1234):|[\w.+-]*@[\w.-]*\w|#\d+)/i;

/** Text on one line. Escapes characters that have a meaning in Markdown or HTML. */
function plain(text: string): string {
  return visible(text)
    .split(TURNED)
    .map((part, index) => (index % 2 === 1 ? code(part) : escaped(part, index === 0)))
    .join('');
}

/** @param isFirst the text is at the beginning of a line */
function escaped(text: string, isFirst: boolean): string {
  const signs = text
    .replace(/[\\`*_{}[\]#!|~$@^<>&]/g, (sign) => ENTITIES[sign] ?? `\\${sign}`)
    .replace(/:\/\//g, ':\\//')
    .replace(/\bwww\./gi, (found) => `${found.slice(0, -1)}\\.`);
  if (!isFirst) return signs;
  return signs.replace(/^([-+])(?=\s|$|-+$)/, '\\$1').replace(/^(\d+)([.)])(?=\s|$)/, '$1\\$2');
}

const ENTITIES: Readonly<Record<string, string>> = { '<': '&lt;', '>': '&gt;', '&': '&amp;' };

/** Code in a line or a cell. A cell ends at `|`, also inside code. */
function code(text: string): string {
  const shown = visible(text).replaceAll('|', '\\|');
  const longest = Math.max(0, ...(shown.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  const pad = /^`|`$/.test(shown) || /^ .* $/.test(shown) ? ' ' : '';
  return `${fence}${pad}${shown}${pad}${fence}`;
}

/** The fence is longer than any run of backticks in the text. */
function fenced(text: string, language = 'sh'): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}
