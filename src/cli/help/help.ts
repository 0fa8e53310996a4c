import type { Command, Help, HelpConfiguration } from 'commander';
import { wrapWords } from '../../terminal/wrap-words.ts';

/** Columns that a description needs beside its term; with fewer it stands below. */
const BESIDE = 40;

/** How help looks, for every command. Global flags stand on a page of their own: `proc help flags`. */
export const helpConfiguration: HelpConfiguration = {
  showGlobalOptions: false,
  subcommandTerm: (command: Command) => command.name(),
  // Commander would list `orders|order`; the usage line is for what one types.
  commandUsage: (command: Command) => {
    const usage =
      command.parent === null
        ? '<noun> <verb> [flags]'
        : command.usage().replace('[options]', '[flags]').replace('[command]', '<verb>');
    return `${commandPath(command)} ${usage}`.trimEnd();
  },
  // Commander does not wrap at all where little room is left beside the longest term.
  formatItem(this: Help, term: string, termWidth: number, description: string) {
    const width = this.helpWidth ?? 80;
    const column = termWidth + 4;
    if (description === '') return `  ${term}`;
    if (width - column < BESIDE) {
      return [`  ${term}`, ...wrapWords(`      ${description}`, width, 6)].join('\n');
    }
    const lines = wrapWords(`  ${term.padEnd(termWidth)}  ${description}`, width, column);
    return lines.join('\n');
  },
};

/** The words that reach a command: `proc orders list`. */
export function commandPath(command: Command): string {
  const names: string[] = [];
  for (let at: Command | null = command; at !== null; at = at.parent) names.unshift(at.name());
  return names.join(' ');
}
