import { exampleLines } from './command-help.ts';
import { helpLine, helpSection, helpText } from './help-page.ts';
import type { HelpStyle } from './help-style.ts';
import type { PagedCommand } from './pages/all-pages.ts';

const EXAMPLES = 2;

interface NounPage {
  readonly path: readonly string[];
  readonly summary: string;
  readonly commands: readonly Pick<PagedCommand, 'path' | 'summary' | 'examples'>[];
}

export function nounHelp(
  { path, summary, commands }: NounPage,
  style: HelpStyle,
  examplesFolder: () => string,
): string {
  const shown = commands.filter(({ path: own }) => path.every((word, at) => own[at] === word));
  // Each from another command; a noun with one command has two examples of it.
  const examples = [0, 1].flatMap((nth) => shown.flatMap((one) => one.examples[nth] ?? []));
  const call = `proc ${path.join(' ')} <verb>`;
  return `${[
    helpLine('Usage', `${call} [flags]`, style),
    helpText(`${summary}.`, style),
    exampleLines(examples.slice(0, EXAMPLES), style, examplesFolder),
    helpSection(
      'Commands',
      shown.map((one) => [one.path.slice(path.length).join(' '), one.summary]),
      style,
    ),
    helpText(`Help on a command: ${call} --help`, style),
  ].join('\n\n')}\n`;
}
