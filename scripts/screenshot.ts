// Generates docs/images/: SVG pictures of the built program in a real pseudo-terminal with its own
// sandbox. The same program always gives the same picture.
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Cell, type CellStyle, cellsOf } from '../test/support/screen.ts';
import type { SandboxTerminal, Step } from './sandbox-terminal.ts';

const COLUMNS = 84;
const KILLED = resolve(import.meta.dirname, '../docs/images/kill-and-resume.svg');

const SESSION: readonly Step[] = [
  { line: 'proc orders list --sort code --limit 4' },
  { line: 'proc orders list --where "amount>=110000" --fields code,amount,status' },
  { line: 'proc sectors delete sec-9', confirmAt: '(y/N)' },
];

export async function screenshots(terminal: SandboxTerminal): Promise<ReadonlyMap<string, string>> {
  const rows: Cell[][] = [];
  for (const step of SESSION) {
    if (rows.length > 0) rows.push([]);
    const text = (await terminal.received(step, COLUMNS)).trimEnd();
    rows.push(typed(step.line), ...cellsOf(text, COLUMNS));
  }
  const killed = await terminal.received({ line: 'sh examples/kill-and-resume.sh' }, COLUMNS);
  const label =
    'an import of 20,000 rows is killed at 13 % and resumed; all rows are stored, none twice';
  return new Map([
    [
      'terminal.svg',
      svgOf(
        rows,
        'proc in a terminal: a list of orders, a filtered list, and a delete that asks first',
      ),
    ],
    ['kill-and-resume.svg', keptIfAlike(svgOf(cellsOf(killed.trimEnd(), COLUMNS), label))],
  ]);
}

/** No two runs of the session have the same counts and times, so the old picture stays if only those differ. */
function keptIfAlike(picture: string): string {
  if (!existsSync(KILLED)) return picture;
  const old = readFileSync(KILLED, 'utf8');
  return wordsIn(old) === wordsIn(picture) ? old : picture;
}

/** Without numbers, and without the line of the progress. */
function wordsIn(picture: string): string {
  return [...picture.matchAll(/<text x="([\d.]+)".*?>(.*)<\/text>/g)]
    .map(([, , text = '']) => (text.includes('░') ? '░' : text.replaceAll(/\d[\d,.]*/g, '0')))
    .join('\n');
}

function typed(line: string): Cell[] {
  const cell = (style: CellStyle) => (text: string) => ({ text, style });
  return [...[...'$ '].map(cell({ dim: true })), ...[...line].map(cell({ bold: true }))];
}

const FONT_SIZE = 14;
const CELL_WIDTH = 8.4;
const ROW_HEIGHT = 19;
const MARGIN = 16;

/** Light and dark colours. `c1` to `c6` are colours 1 to 6 of a terminal. */
const STYLE = `
    text { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: ${FONT_SIZE}px; fill: #1f2328; }
    .screen { fill: #f6f8fa; stroke: #d0d7de; }
    .bold { font-weight: 700; }
    .dim { opacity: 0.6; }
    .c1 { fill: #cf222e; } .c2 { fill: #1a7f37; } .c3 { fill: #9a6700; } .c4 { fill: #0969da; } .c5 { fill: #8250df; } .c6 { fill: #1b7c83; }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6edf3; }
      .screen { fill: #0d1117; stroke: #30363d; }
      .c1 { fill: #ff7b72; } .c2 { fill: #3fb950; } .c3 { fill: #d29922; } .c4 { fill: #58a6ff; } .c5 { fill: #bc8cff; } .c6 { fill: #39c5cf; }
    }
`;

function svgOf(rows: readonly (readonly Cell[])[], label: string): string {
  const width = rounded(COLUMNS * CELL_WIDTH + 2 * MARGIN);
  const height = rows.length * ROW_HEIGHT + 2 * MARGIN;
  const texts = rows.flatMap((cells, at) =>
    runsOf(cells).map(({ column, text, style }) => {
      const classes = [
        ...(style.bold ? ['bold'] : []),
        ...(style.dim ? ['dim'] : []),
        ...(style.color === undefined ? [] : [`c${style.color}`]),
      ].join(' ');
      const x = rounded(MARGIN + column * CELL_WIDTH);
      const y = MARGIN + at * ROW_HEIGHT + FONT_SIZE;
      // Keeps columns aligned in any font.
      const length = rounded([...text].length * CELL_WIDTH);
      return `  <text x="${x}" y="${y}" textLength="${length}"${classes === '' ? '' : ` class="${classes}"`}>${escaped(text)}</text>`;
    }),
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${label}">`,
    `  <style>${STYLE}  </style>`,
    `  <rect class="screen" x="0.5" y="0.5" width="${rounded(width - 1)}" height="${height - 1}" rx="8"/>`,
    ...texts,
    '</svg>',
    '',
  ].join('\n');
}

interface Run {
  readonly column: number;
  readonly text: string;
  readonly style: CellStyle;
}

/**
 * Groups neighbouring cells of the same style. Two blanks end a group, as between the columns of a
 * table.
 */
function runsOf(cells: readonly Cell[]): Run[] {
  const runs: Run[] = [];
  let gap = 2;
  for (const [column, { text, style }] of cells.entries()) {
    if (text === ' ') {
      gap++;
      continue;
    }
    const last = runs.at(-1);
    if (last !== undefined && gap < 2 && isSame(last.style, style)) {
      runs[runs.length - 1] = { ...last, text: `${last.text}${' '.repeat(gap)}${text}` };
    } else runs.push({ column, text, style });
    gap = 0;
  }
  return runs;
}

function isSame(one: CellStyle, other: CellStyle): boolean {
  return one.bold === other.bold && one.dim === other.dim && one.color === other.color;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
