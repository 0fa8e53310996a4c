import { wrapWords } from '../../terminal/wrap-words.ts';
import { helpLine, helpSection, helpText, widestTerm } from './help-page.ts';
import type { HelpStyle } from './help-style.ts';
import type { CommandPage } from './pages/command-page.ts';
import { wrapCommand } from './wrap-command.ts';

export function commandHelp(
  page: CommandPage,
  style: HelpStyle,
  examplesFolder: () => string,
): string {
  const { usage, summary, description, args, flags, advanced, globals, topics } = page;
  const termWidth = widestTerm([['', ''], ...flags.flatMap(([, rows]) => rows), ...globals]);
  return `${[
    helpLine('Usage', usage, style),
    helpText(`${summary}.`, style),
    ...(description === undefined ? [] : [helpText(description, style)]),
    ...(args.length === 0 ? [] : [helpSection('Arguments', args, style)]),
    ...flags.map(([heading, rows]) => helpSection(heading, rows, style, termWidth)),
    ...(advanced.length === 0
      ? []
      : [helpLine('Advanced', `${advanced.join(', ')} (proc help import-flags)`, style)]),
    ...(globals.length === 0 ? [] : [helpSection('Global flags', globals, style, termWidth)]),
    ...(topics === undefined ? [] : [helpSection('Topics', topics, style)]),
    exampleLines(page, style, examplesFolder),
    footer(page, style),
  ].join('\n\n')}\n`;
}

function exampleLines(
  { examples }: CommandPage,
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
    helpLine('Exit codes', `${exitCodes} (proc help exit-codes)`, style),
    ...(passesCodes === undefined ? [] : [helpText(passesCodes, style)]),
    helpText('All global flags: proc help flags', style),
  ].join('\n');
}
