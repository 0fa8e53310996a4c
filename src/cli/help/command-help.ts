import { wrapWords } from '../../terminal/wrap-words.ts';
import { helpLine, helpSection, helpText, widestTerm } from './help-page.ts';
import type { HelpStyle } from './help-style.ts';
import type { CommandPage } from './pages/command-page.ts';

export function commandHelp(
  page: CommandPage,
  style: HelpStyle,
  examplesFolder: () => string,
): string {
  const { usage, summary, description, args, flags } = page;
  const termWidth = widestTerm([['', ''], ...flags.flatMap(([, rows]) => rows)]);
  return `${[
    helpLine('Usage', usage, style),
    helpText(`${summary}.`, style),
    ...(description === undefined ? [] : [helpText(description, style)]),
    exampleLines(page.examples, style, examplesFolder),
    ...(args.length === 0 ? [] : [helpSection('Arguments', args, style)]),
    ...flags.map(([heading, rows]) => helpSection(heading, rows, style, termWidth)),
    footer(page, style),
  ].join('\n\n')}\n`;
}

export function exampleLines(
  examples: CommandPage['examples'],
  { width, heading }: HelpStyle,
  examplesFolder: () => string,
): string {
  const lines = examples.flatMap(({ run, doc }) => [
    ...wrapWords(`  # ${doc}`, width, 4),
    ...wrapCommand(run, width),
  ]);
  if (examples.some(({ run }) => /\bexamples\//.test(run))) {
    lines.push(...wrapWords(`Example files: ${examplesFolder()}`, width));
  }
  return [heading('Examples:'), ...lines].join('\n');
}

function footer({ exitCodes, passesCodes }: CommandPage, style: HelpStyle): string {
  return [
    helpLine('Exit codes', exitCodes, style),
    ...(passesCodes === undefined ? [] : [helpText(passesCodes, style)]),
  ].join('\n');
}

const INDENT = '  ';

/**
 * A word of a command. A flag and its value count as one word: `-o json`, `--map 'name=Item name'`.
 */
const WORD = /(?:-\S+ (?![-|&]))?(?:[^\s'"]+|'[^']*'|"[^"]*")+/g;

/**
 * Breaks a long command between words. Broken lines end with a backslash, so a user can paste them
 * into a shell.
 */
function wrapCommand(command: string, width: number): string[] {
  const lines: string[] = [];
  let line = INDENT;
  const words = command.match(WORD) ?? [];
  for (const word of words.flatMap((one) => fitting(one, width))) {
    const longer = line.trim() === '' ? line + word : `${line} ${word}`;
    if (longer.length > width - 2 && line.trim() !== '') {
      lines.push(`${line} \\`);
      line = `${INDENT}    ${word}`;
    } else line = longer;
  }
  return [...lines, line];
}

function fitting(word: string, width: number): string[] {
  if (!word.startsWith('-') || word.length + INDENT.length + 6 <= width) return [word];
  return word.split(/ (.*)/s).filter((part) => part !== '');
}
