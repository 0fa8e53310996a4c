import type { BarColour, Chart } from '../../core/document/document.ts';
import { html } from './html-text.ts';

/** In pixels. Fits between the margins of an A4 page. */
const WIDTH = 680;
const FONT = 'font-family="system-ui, sans-serif" font-size="13" fill="currentColor"';
const SMALL = 'font-family="system-ui, sans-serif" font-size="11" fill="currentColor"';
const AXIS = 'stroke="currentColor" stroke-opacity="0.25"';

/** Colours that differ clearly on white and on black. */
const COLOURS: Readonly<Record<BarColour, string>> = {
  green: '#2f9e62',
  blue: '#4a8fdc',
  violet: '#9077d6',
  red: '#dc5147',
  orange: '#dd8b22',
  grey: '#8d96a3',
  brown: '#a8805c',
};

/**
 * Uses SVG attributes, so that a chart looks the same where CSS is forbidden.
 *
 * @param id unique in the page
 */
export function chartSvg(chart: Chart, id: string): string {
  switch (chart.kind) {
    case 'bars':
      return bars(chart, id);
    case 'stacks':
      return stacks(chart, id);
    case 'line':
      return line(chart, id);
  }
}

function svg(height: number, { title }: Chart, id: string, drawing: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="${id}" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}"><title id="${id}">${html(title)}</title>\n${drawing}</svg>\n`;
}

/** Shortened to fit, because SVG does not wrap. */
function short(text: string, most: number): string {
  return html(text.length <= most ? text : `${text.slice(0, most - 1)}…`);
}

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

function rect({ x, y, width, height }: Box, colour: BarColour): string {
  return `<rect x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" rx="2" fill="${COLOURS[colour]}"/>`;
}

function text(x: number, y: number, content: string, more = FONT): string {
  // Some mail programs drop the drawing but keep its words. The line break separates the words.
  return `<text x="${round(x)}" y="${round(y)}" ${more}>${content}</text>\n`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function bars(chart: Extract<Chart, { kind: 'bars' }>, id: string): string {
  const [rowHeight, barHeight, labelWidth, textWidth] = [28, 16, 140, 90];
  const most = Math.max(...chart.bars.map(({ value }) => value), 1);
  const room = WIDTH - labelWidth - textWidth;
  const rows = chart.bars.map(({ label, value, text: shown, colour }, index) => {
    const y = index * rowHeight + 6;
    const width = value === 0 ? 0 : Math.max((value / most) * room, 2);
    return [
      text(0, y + 13, short(label, 20)),
      rect({ x: labelWidth, y, width, height: barHeight }, colour),
      text(labelWidth + width + 8, y + 13, html(shown)),
    ].join('');
  });
  return svg(chart.bars.length * rowHeight + 6, chart, id, rows.join(''));
}

const PLOT = { left: 64, right: WIDTH - 8, top: 12, height: 190 } as const;

function axis(most: number): { readonly top: number; readonly drawing: string } {
  const step = roundStep(most / 4);
  const top = Math.max(step, Math.ceil(most / step) * step);
  const lines: string[] = [];
  for (let at = 0; at <= Math.round(top / step); at++) {
    const y = PLOT.top + PLOT.height * (1 - (at * step) / top);
    lines.push(
      `<line x1="${PLOT.left}" y1="${round(y)}" x2="${PLOT.right}" y2="${round(y)}" ${AXIS}/>`,
      text(PLOT.left - 8, y + 4, compact(at * step), `${SMALL} text-anchor="end"`),
    );
  }
  return { top, drawing: lines.join('') };
}

/** Rounds up to 1, 2 or 5 times a power of ten: 30 → 50. */
function roundStep(value: number): number {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 2, 5, 10].find((one) => one * power >= value)! * power;
  return step;
}

function compact(value: number): string {
  return new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 2 }).format(
    value,
  );
}

function stacks(chart: Extract<Chart, { kind: 'stacks' }>, id: string): string {
  const { parts } = chart;
  const sums = chart.stacks.map(({ values }) => values.reduce((sum, one) => sum + one, 0));
  const { top, drawing } = axis(Math.max(...sums, 0));
  const slot = (PLOT.right - PLOT.left) / Math.max(chart.stacks.length, 1);
  const width = Math.min(slot * 0.7, 56);
  const bottom = PLOT.top + PLOT.height;
  // A label is about 56 pixels wide. If stacks are narrower, some have no label.
  const every = Math.ceil(56 / slot);
  const columns = chart.stacks.map(({ label, values, text: said }, index) => {
    const x = PLOT.left + slot * index + (slot - width) / 2;
    let y = bottom;
    const pieces = values.map((value, part) => {
      const height = (Math.max(value, 0) / top) * PLOT.height;
      y -= height;
      return height === 0 ? '' : rect({ x, y, width, height }, parts[part]!.colour);
    });
    const isLabelled = index % every === 0;
    const labelled = isLabelled
      ? text(x + width / 2, bottom + 16, short(label, 10), `${SMALL} text-anchor="middle"`)
      : '';
    return `<g><title>${html(said)}</title>\n${pieces.join('')}</g>${labelled}`;
  });
  const legendTop = bottom + 30;
  const perLine = 4;
  const legend = parts.map(({ name, colour }, index) => {
    const x = PLOT.left + (index % perLine) * ((PLOT.right - PLOT.left) / perLine);
    const y = legendTop + Math.floor(index / perLine) * 20;
    return `${rect({ x, y, width: 12, height: 12 }, colour)}${text(x + 18, y + 11, short(name, 18), SMALL)}`;
  });
  const height = legendTop + Math.ceil(parts.length / perLine) * 20;
  return svg(height, chart, id, `${drawing}${columns.join('')}${legend.join('')}`);
}

function line(chart: Extract<Chart, { kind: 'line' }>, id: string): string {
  const { points, unit } = chart;
  const { top, drawing } = axis(Math.max(...points.map(({ value }) => value), 0));
  const bottom = PLOT.top + PLOT.height;
  const step = (PLOT.right - PLOT.left) / Math.max(points.length - 1, 1);
  const at = points.map(({ value }, index) => ({
    x: round(PLOT.left + step * index),
    y: round(bottom - (value / top) * PLOT.height),
  }));
  const path = at.map(({ x, y }) => `${x},${y}`).join(' ');
  const last = at.at(-1) ?? { x: PLOT.left, y: bottom };
  const area = `<polygon points="${PLOT.left},${bottom} ${path} ${last.x},${bottom}" fill="${COLOURS.blue}" fill-opacity="0.18"/>`;
  const stroke = `<polyline points="${path}" fill="none" stroke="${COLOURS.blue}" stroke-width="2" stroke-linejoin="round"/>`;
  const ends = [
    text(PLOT.left, bottom + 18, html(points[0]?.label ?? ''), SMALL),
    text(PLOT.right, bottom + 18, html(points.at(-1)?.label ?? ''), `${SMALL} text-anchor="end"`),
    text((PLOT.left + PLOT.right) / 2, bottom + 18, html(unit), `${SMALL} text-anchor="middle"`),
  ];
  return svg(bottom + 26, chart, id, `${drawing}${area}${stroke}${ends.join('')}`);
}
