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

function* page({ title, place, lead, tone, sections, footer }: ReportDocument): Generator<string> {
  yield `<!doctype html>
<html lang="en">
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
      if (block.kind === 'table') yield* table(block, section.title, `table-${++tables}`);
      else if (isChart(block)) yield chartSvg(block, `chart-${++charts}`);
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
function* table(block: Table, section: string, id: string): Generator<string> {
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
    yield `<tr>${columns.map((column) => cell(cellIn(row, column, block), column)).join('')}</tr>\n`;
  }
  yield '</tbody>\n</table>\n';
  const rest = restOf(block, most);
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

/**
 * Some CI servers block CSS. So the order and the words of a page must not depend on this style.
 */
const PAGE_STYLE = `
:root{color-scheme:light dark;--ink:#1c2430;--soft:#566070;--line:#d8dde4;--faint:#f4f6f8;--paper:#fff;--accent:#1f5fbf;--good:#1e7b45;--attention:#9a5b00;--bad:#b3261e}
@media (prefers-color-scheme:dark){:root{--ink:#e6e9ee;--soft:#a3adba;--line:#39414d;--faint:#20262e;--paper:#161b21;--accent:#8ab4f8;--good:#6fce95;--attention:#f0b357;--bad:#ff8a80}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
main{max-width:52rem;margin:0 auto;padding:2.5rem 1.75rem 2rem}
.place{margin:0;color:var(--soft);font-size:.85rem;overflow-wrap:anywhere}
h1{margin:.2rem 0 1rem;font-size:1.8rem;line-height:1.2;font-weight:650;letter-spacing:-.01em;overflow-wrap:anywhere}
h2{margin:2.5rem 0 .7rem;padding-top:1.3rem;border-top:1px solid var(--line);font-size:1.15rem;line-height:1.3;font-weight:650}
h3{margin:1.4rem 0 .35rem;font-size:.97rem;line-height:1.4;font-weight:600;overflow-wrap:anywhere}
.lead{margin:0;padding:.9rem 1.15rem;border-left:4px solid var(--accent);border-radius:0 6px 6px 0;background:var(--faint);font-size:1.12rem;overflow-wrap:anywhere}
.lead strong{font-weight:550}
.lead.good{border-color:var(--good)}.lead.attention{border-color:var(--attention)}.lead.bad{border-color:var(--bad)}
h2.attention{color:var(--attention)}h2.bad{color:var(--bad)}
p{margin:.5rem 0;overflow-wrap:anywhere}
ul{margin:.5rem 0;padding-left:1.2rem}
li{margin:.3rem 0;overflow-wrap:anywhere}
pre{margin:.4rem 0 1rem;padding:.65rem .9rem;border:1px solid var(--line);border-radius:6px;background:var(--faint);white-space:pre-wrap;overflow-wrap:anywhere}
code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono","DejaVu Sans Mono",monospace}
code{font-size:.88em}pre code{font-size:.92em}
table{width:100%;margin:.3rem 0 1.2rem;border:0;border-collapse:collapse;font-size:.95em;font-variant-numeric:tabular-nums}
th,td{padding:.4rem 1rem .4rem 0;border:0;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}
th:last-child,td:last-child{width:auto;padding-right:0}
thead th{border-bottom-color:var(--soft);color:var(--soft);font-size:.85em;font-weight:600;white-space:nowrap}
.right{width:1%;text-align:right;white-space:nowrap}
.code{width:1%;white-space:nowrap}
.long{overflow-wrap:anywhere}
.facts th{width:30%;color:var(--soft);font-weight:500}
.facts td{overflow-wrap:anywhere}
details{margin:.5rem 0 1.2rem}
details table{margin-top:.6rem}
summary{cursor:pointer;font-weight:600}
svg{display:block;max-width:100%;height:auto;margin:.5rem 0 1rem;color:var(--ink)}
.rest{color:var(--soft);font-size:.9rem}
footer{margin-top:3rem;padding-top:1rem;border-top:1px solid var(--line);color:var(--soft);font-size:.85rem}
@media (max-width:40rem){main{padding:1.25rem 1rem}h1{font-size:1.4rem}th,td{padding-right:.6rem}}
@page{size:A4;margin:16mm 15mm}
@media print{
:root{--ink:#000;--soft:#444;--line:#bbb;--faint:#f5f5f5;--paper:#fff;--accent:#1f5fbf;--good:#1e7b45;--attention:#7a4700;--bad:#9c1f18}
body{font-size:10pt}
main{max-width:none;padding:0}
h1{font-size:19pt}
h2{margin-top:1.6rem}
h2,h3,summary{break-after:avoid}
thead{display:table-header-group}
tr,svg,pre,.lead{break-inside:avoid}
}
`.trim();
