import type {
  Block,
  Fact,
  ReportDocument,
  Section,
  Table,
  TableColumn,
} from '../../core/document/document.ts';
import type { Sink } from '../sink.ts';
import { chartSvg } from './chart-svg.ts';
import { html } from './html-text.ts';
import { PAGE_STYLE } from './page-style.ts';
import { cellIn, firstRows, isRight, restOf } from './table-text.ts';

const PIECE = 64 * 1024;

/** Writes a report as one HTML page without scripts. The page loads nothing and is readable without its CSS. */
export async function writeHtml(document: ReportDocument, sink: Sink): Promise<void> {
  let waiting = '';
  for (const piece of page(document)) {
    waiting += piece;
    if (waiting.length < PIECE) continue;
    await sink.write(waiting);
    waiting = '';
  }
  await sink.write(waiting);
}

function* page({
  lang,
  title,
  place,
  lead,
  tone,
  sections,
  footer,
}: ReportDocument): Generator<string> {
  yield `<!doctype html>
<html lang="${lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${html(title)}</title>
<style>${PAGE_STYLE}</style>
</head>
<body>
<main>
<p class="place">${html(place)}</p>
<h1>${html(title)}</h1>
<p class="lead ${tone}"><strong>${html(lead)}</strong></p>
`;
  let charts = 0;
  let tables = 0;
  for (const section of sections) {
    yield heading(section);
    for (const block of section.blocks) {
      if (block.kind === 'table') yield* table(block, section.title, `table-${++tables}`, lang);
      else if (isChart(block)) yield chartSvg(block, `chart-${++charts}`, lang);
      else yield simple(block);
    }
    yield '</section>\n';
  }
  yield `<footer>${html(footer)}</footer>\n</main>\n</body>\n</html>\n`;
}

function heading({ title, tone }: Section): string {
  const colour = tone === undefined ? '' : ` class="${tone}"`;
  return `<section>\n<h2${colour}>${html(title)}</h2>\n`;
}

function isChart(block: Block): block is Extract<Block, { kind: 'bars' | 'stacks' | 'line' }> {
  return ['bars', 'stacks', 'line'].includes(block.kind);
}

function simple(block: Exclude<Block, Table>): string {
  switch (block.kind) {
    case 'text':
      return `<p>${html(block.text)}</p>\n`;
    case 'command':
      return `<pre><code>${html(block.text)}</code></pre>\n`;
    case 'list':
      return `<ul>\n${block.items.map((item) => `<li>${html(item)}</li>\n`).join('')}</ul>\n`;
    case 'facts':
      // These attributes draw the table where CSS is forbidden.
      return `<table class="facts" border="1" cellpadding="5" cellspacing="0">\n${block.facts.map(fact).join('')}</table>\n`;
    default:
      return '';
  }
}

function fact({ label, value, isCode }: Fact): string {
  const shown = isCode === true ? `<code>${html(value)}</code>` : html(value);
  return `<tr><th scope="row" align="left">${html(label)}</th><td>${shown}</td></tr>\n`;
}

/** @param id unique in the page */
function* table(
  block: Table,
  section: string,
  id: string,
  lang: ReportDocument['lang'],
): Generator<string> {
  const { columns, title, most, isFolded = false } = block;
  const named = html(title);
  if (isFolded) yield `<details>\n<summary>${named}</summary>\n`;
  const isTitled = !isFolded && title !== section;
  if (isTitled) yield `<h3 id="${id}">${named}</h3>\n`;
  const label = isTitled ? `aria-labelledby="${id}"` : `aria-label="${named}"`;
  const side = columns.map((column) => (isRight(column) ? 'right' : 'left'));
  const head = columns.map(
    ({ header }, index) =>
      `<th scope="col" class="${side[index]}" align="${side[index]}">${html(header)}</th>`,
  );
  yield `<table ${label} border="1" cellpadding="5" cellspacing="0">\n<thead><tr>${head.join('')}</tr></thead>\n<tbody>\n`;
  for (const row of firstRows(block, most)) {
    yield `<tr>${columns.map((column) => cell(cellIn(row, column, block, lang), column)).join('')}</tr>\n`;
  }
  yield '</tbody>\n</table>\n';
  const rest = restOf(block, most, lang);
  if (rest !== undefined) {
    const command = rest.command === undefined ? '' : ` <code>${html(rest.command)}</code>`;
    yield `<p class="rest">${html(rest.text)}${command}</p>\n`;
  }
  if (isFolded) yield '</details>\n';
}

/** Words of 25 characters or more may be broken anywhere, so that the table fits on paper. */
const LONG_WORD = /\S{25}/;

function cell(text: string, column: TableColumn): string {
  const shown = html(text);
  if (isRight(column)) return `<td class="right" align="right">${shown}</td>`;
  const isLong = LONG_WORD.test(text);
  if (column.kind !== 'code' || text === '') {
    return isLong ? `<td class="long">${shown}</td>` : `<td>${shown}</td>`;
  }
  return `<td class="${isLong || text.length > 40 ? 'long' : 'code'}"><code>${shown}</code></td>`;
}
