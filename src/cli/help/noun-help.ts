import type { CommandSpec } from '../../core/command-spec.ts';
import { helpLine, helpSection, helpText } from './help-page.ts';
import type { HelpStyle } from './help-style.ts';

export function nounHelp(
  path: readonly string[],
  summary: string,
  commands: readonly Pick<CommandSpec, 'path' | 'summary' | 'hidden'>[],
  style: HelpStyle,
): string {
  const rows = commands
    .filter(
      ({ hidden, path: own }) => hidden !== true && path.every((word, at) => own[at] === word),
    )
    .map((command) => [command.path.slice(path.length).join(' '), command.summary] as const);
  const call = `proc ${path.join(' ')} <verb>`;
  return `${[
    helpLine('Usage', `${call} [flags]`, style),
    helpText(`${summary}.`, style),
    helpSection('Commands', rows, style),
    helpText(`Help on a command: ${call} --help`, style),
  ].join('\n\n')}\n`;
}
