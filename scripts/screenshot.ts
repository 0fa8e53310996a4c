// Generates docs/images: pictures of sessions in a real pseudo-terminal.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { spawn } from '@lydell/node-pty';
import { type Cell, type CellStyle, cellsOf } from '../test/support/screen.ts';

const ROOT = resolve(import.meta.dirname, '..');
const COLUMNS = 84;
const PROC = `#!/bin/sh\nexec '${process.execPath}' '${join(ROOT, 'bin/proc.js')}' "$@"\n`;

const ORDINARY = `proc sandbox exec -- sh -c '
  show() { echo "$ proc $*"; proc "$@"; echo; }
  show orders list --status pending --limit 3
  show items import examples/items.csv --map brand= --yes'`;

/** By name: the line that is typed, and what the picture shows, for those who cannot see it. */
const SESSIONS = {
  'kill-and-resume.svg': [
    'sh examples/kill-and-resume.sh',
    'an import of 20,000 rows is killed at 13 % and resumed; all rows are stored, none twice',
  ],
  'ordinary-use.svg': [ORDINARY, 'a list of orders, and an import that shows its plan'],
} as const;

export async function screenshots(): Promise<ReadonlyMap<string, string>> {
  const pictures = new Map<string, string>();
  for (const [name, [line, label]] of Object.entries(SESSIONS)) {
    const home = mkdtempSync(join(tmpdir(), 'proc-screenshot-'));
    try {
      const session = await received(line, home);
      const picture = svgOf(cellsOf(session.trimEnd(), COLUMNS), label);
      pictures.set(name, keptIfAlike(picture, join(ROOT, 'docs/images', name)));
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  }
  return pictures;
}

/** What the built program prints to a terminal, in a folder of its own. */
function received(line: string, home: string): Promise<string> {
  const bin = join(home, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'proc'), PROC, { mode: 0o755 });
  symlinkSync(join(ROOT, 'examples'), join(home, 'examples'));
  const terminal = spawn('sh', ['-c', line], {
    name: 'xterm-256color',
    cols: COLUMNS,
    rows: 50,
    cwd: home,
    env: {
      PATH: `${bin}${delimiter}${process.env.PATH ?? ''}`,
      HOME: home,
      TZ: 'UTC',
      TERM: 'xterm-256color',
      PROC_CONFIG_DIR: join(home, 'config'),
      PROC_STATE_DIR: join(home, 'state'),
    },
  });
  let text = '';
  terminal.onData((data) => {
    text += data;
  });
  return new Promise((done) => terminal.onExit(() => done(text)));
}

/** No two runs of the session have the same counts and times, so the old picture stays if only those differ. */
function keptIfAlike(picture: string, file: string): string {
  if (!existsSync(file)) return picture;
  const old = readFileSync(file, 'utf8');
  return wordsIn(old) === wordsIn(picture) ? old : picture;
}

/** Without numbers, and without the line of the progress. */
function wordsIn(picture: string): string {
  return [...picture.matchAll(/<text x="([\d.]+)".*?>(.*)<\/text>/g)]
    .map(([, , text = '']) =>
      text.includes('rows/s') ? 'rows/s' : text.replaceAll(/\d[\d,.]*/g, '0'),
    )
    .join('\n');
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
