import { momentText } from '../core/moment.ts';
import { VERSION } from '../core/system.ts';
import { visible } from '../terminal/sanitise.ts';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Any text may come from files and services. Control characters become visible. */
function html(text: string): string {
  return visible(text).replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}

export interface PageHead {
  readonly title: string;
  /** Where and when. */
  readonly place: readonly (string | undefined)[];
  readonly lead: string;
}

/** A page without scripts, which loads nothing. */
export function pageHead({ title, place, lead }: PageHead): string {
  const where = place.filter((part) => part !== undefined).join(' · ');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${html(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<p class="soft">${html(where)}</p>
<h1>${html(title)}</h1>
<p class="lead">${html(lead)}</p>
`;
}

/** @param now Unix time, in ms */
export function pageEnd(now: number): string {
  return `<footer class="soft">Made by proc ${VERSION} on ${momentText(now)}.</footer>\n</main>\n</body>\n</html>\n`;
}

export function heading(text: string): string {
  return `<h2>${html(text)}</h2>\n`;
}

export function paragraph(text: string): string {
  return `<p>${html(text)}</p>\n`;
}

export function commandLine(command: string): string {
  return `<pre>${html(command)}</pre>\n`;
}

/** @param headers with `>` in front: aligned right */
export function* table(
  headers: readonly string[],
  rows: Iterable<readonly (string | number | null)[]>,
): Generator<string> {
  const side = headers.map((header) => (header.startsWith('>') ? ' class="right"' : ''));
  const cells = (tag: 'th' | 'td', texts: readonly (string | number | null)[]) =>
    texts.map((text, at) => `<${tag}${side[at]}>${html(String(text ?? ''))}</${tag}>`).join('');
  yield `<table>\n<thead><tr>${cells(
    'th',
    headers.map((header) => header.replace(/^>/, '')),
  )}</tr></thead>\n<tbody>\n`;
  for (const row of rows) yield `<tr>${cells('td', row)}</tr>\n`;
  yield '</tbody>\n</table>\n';
}

export interface Bar {
  readonly label: string;
  readonly value: number;
  readonly text: string;
}

/** In pixels: fits between the margins of an A4 page. */
const [WIDTH, LABEL, TEXT, ROW] = [680, 140, 140, 28];

/** @param title says the same as the chart, for a reader who does not see it */
export function barChart(title: string, bars: readonly Bar[]): string {
  const most = Math.max(...bars.map(({ value }) => value), 1);
  const rows = bars.map(({ label, value, text }, index) => {
    const y = index * ROW + 6;
    const width = value <= 0 ? 0 : Math.max((value / most) * (WIDTH - LABEL - TEXT), 2);
    const name = label.length <= 20 ? label : `${label.slice(0, 19)}…`;
    return `<text x="0" y="${y + 13}">${html(name)}</text><rect x="${LABEL}" y="${y}" width="${width.toFixed(1)}" height="16" rx="2"/><text x="${(LABEL + width + 8).toFixed(1)}" y="${y + 13}">${html(text)}</text>\n`;
  });
  const height = bars.length * ROW + 6;
  return `<svg role="img" aria-label="${html(title)}" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}">\n${rows.join('')}</svg>\n`;
}

const STYLE = `
:root{color-scheme:light dark;--soft:#566070;--line:#d8dde4;--faint:#f4f6f8;--bar:#4a8fdc}
@media (prefers-color-scheme:dark){:root{--soft:#a3adba;--line:#39414d;--faint:#20262e}}
body{margin:0;font:15px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
main{max-width:52rem;margin:0 auto;padding:2rem 1.5rem}
h1{margin:.2rem 0 1rem;font-size:1.7rem;line-height:1.2}
h2{margin:2.2rem 0 .6rem;padding-top:1.1rem;border-top:1px solid var(--line);font-size:1.15rem}
.soft{color:var(--soft);font-size:.85rem}
.lead{padding:.8rem 1rem;background:var(--faint);font-size:1.1rem}
pre{padding:.6rem .9rem;background:var(--faint);white-space:pre-wrap}
table{width:100%;border-collapse:collapse;font-variant-numeric:tabular-nums}
th,td{padding:.35rem 1rem .35rem 0;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}
.right{text-align:right}
svg{display:block;max-width:100%;height:auto;font-size:13px;fill:currentColor}
rect{fill:var(--bar)}
footer{margin-top:3rem}
@media print{main{max-width:none;padding:0}tr,svg,pre{break-inside:avoid}}
`.trim();
