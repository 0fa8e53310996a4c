import { wrapWords } from '../../terminal/wrap-words.ts';
import type { HelpStyle } from './help-style.ts';

export type HelpRow = readonly [term: string, meaning: string];

/**
 * In columns of the terminal. If less room is left to the right of the terms, each description goes below
 * its term.
 */
const LEAST_ROOM = 40;

export function helpLine(heading: string, text: string, style: HelpStyle): string {
  const label = `${heading}: `;
  const lines = wrapWords(`${label}${text}`, style.width, label.length);
  return lines.join('\n').replace(label.trimEnd(), style.heading(label.trimEnd()));
}

export function helpSection(
  heading: string,
  rows: readonly HelpRow[],
  style: HelpStyle,
  termWidth = widestTerm(rows),
): string {
  const column = termWidth + 4;
  const lines = rows.flatMap(([term, meaning]) =>
    style.width - column < LEAST_ROOM
      ? [`  ${term}`, ...wrapWords(`        ${meaning}`, style.width, 8)]
      : wrapWords(`  ${term.padEnd(termWidth)}  ${meaning}`, style.width, column),
  );
  return [style.heading(`${heading}:`), ...lines].join('\n');
}

export function widestTerm(rows: readonly HelpRow[]): number {
  return Math.max(...rows.map(([term]) => term.length));
}

export function helpText(text: string, { width }: HelpStyle): string {
  return text
    .split('\n')
    .flatMap((line) => wrapWords(line, width))
    .join('\n');
}
