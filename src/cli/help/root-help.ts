import { HELP_NOUN, NOUNS, TOPICS } from '../registry.ts';
import { helpLine, helpSection, helpText, widestTerm } from './help-page.ts';
import type { HelpStyle } from './help-style.ts';

/** Written out, so that the root page loads no list of flags. */
export const ROOT_FLAGS =
  '-p --profile, -e --env, -o --output, -y --yes, --dry-run, -v --verbose, -h --help, -V --version (all: proc help flags)';

export function rootHelp(style: HelpStyle): string {
  const all = [...NOUNS, HELP_NOUN];
  const rows = all.map(({ name, summary }) => [name, summary] as const);
  const headings = [...new Set(all.map(({ heading }) => heading))];
  const sections = headings.map((heading) =>
    helpSection(
      heading,
      rows.filter((_, at) => all[at]!.heading === heading),
      style,
      widestTerm(rows),
    ),
  );
  const topics = `${Object.keys(TOPICS).join(', ')} (proc help <topic>)`;
  return `${[
    helpLine('Usage', 'proc <noun> <verb> [flags]', style),
    helpText('The command line for procurement operations.', style),
    ...sections,
    `${helpLine('Flags', ROOT_FLAGS, style)}\n${helpLine('Topics', topics, style)}`,
    [
      style.heading('Examples:'),
      '  proc sandbox start',
      '  proc orders list --limit 5',
      '  proc items import examples/items.csv --dry-run',
    ].join('\n'),
    helpText('Help on a command: proc <noun> <verb> --help', style),
  ].join('\n\n')}\n`;
}
