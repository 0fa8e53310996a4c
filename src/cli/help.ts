import type { Command, HelpConfiguration } from 'commander';

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
};

/** The words that reach a command: `proc orders list`. */
export function commandPath(command: Command): string {
  const names: string[] = [];
  for (let at: Command | null = command; at !== null; at = at.parent) names.unshift(at.name());
  return names.join(' ');
}
