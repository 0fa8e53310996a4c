import type { CommandSpec, FlagSpec } from '../../core/command-spec.ts';
import { shownExitCodes } from '../../core/exit-codes.ts';
import { wrapWords } from '../../terminal/wrap-words.ts';
import { commonFlags } from '../flags/common-flags.ts';
import { argDocOf, docOf, flagTerm } from '../flags/flag-options.ts';
import { type HelpRow, helpLine, helpSection, helpText, widestTerm } from './help-page.ts';
import type { HelpStyle } from './help-style.ts';
import { usageOf } from './usage.ts';
import { wrapCommand } from './wrap-command.ts';

/** The most examples on a command's page; the reference has all of them. */
const EXAMPLES = 4;

/** The help page of a command. */
export function commandHelp(
  spec: CommandSpec,
  style: HelpStyle,
  examplesFolder: () => string,
  more: readonly string[] = [],
): string {
  const flags = Object.entries(spec.flags ?? {});
  const shown = flags.filter(([, flag]) => flag.advanced !== true);
  const common = Object.entries(commonFlags(spec));
  const termWidth = widestTerm([['', ''], ...flagRows([...shown, ...common])]);
  const groups = [...new Set(shown.map(([, { group = 'Flags' }]) => group))];
  return `${[
    helpLine('Usage', usageOf(spec), style),
    helpText(`${spec.summary}.`, style),
    ...(spec.description === undefined ? [] : [helpText(spec.description, style)]),
    ...argumentSection(spec, style),
    ...groups.map((name) =>
      helpSection(
        name,
        flagRows(shown.filter(([, { group = 'Flags' }]) => group === name)),
        style,
        termWidth,
      ),
    ),
    ...advancedLine(flags, style),
    ...(common.length === 0
      ? []
      : [helpSection('Global flags', flagRows(common), style, termWidth)]),
    ...more,
    examples(spec, style, examplesFolder),
    footer(spec, style),
  ].join('\n\n')}\n`;
}

type NamedFlag = readonly [key: string, spec: FlagSpec];

/** Aligns flags without a short name with those that have one. */
export function flagRows(flags: readonly NamedFlag[]): readonly HelpRow[] {
  return flags.map(
    ([key, flag]) =>
      [`${flag.short === undefined ? '    ' : ''}${flagTerm(key, flag)}`, docOf(flag)] as const,
  );
}

function argumentSection({ args = {} }: CommandSpec, style: HelpStyle): string[] {
  const rows = Object.entries(args).map(([name, arg]) => [`<${name}>`, argDocOf(arg)] as const);
  return rows.length === 0 ? [] : [helpSection('Arguments', rows, style)];
}

/** Names the rarely needed flags, which a topic describes. */
function advancedLine(flags: readonly NamedFlag[], style: HelpStyle): string[] {
  const names = flags
    .filter(([, { advanced }]) => advanced === true)
    .map(([key, flag]) => flagTerm(key, flag).replace(/ .*/, ''));
  if (names.length === 0) return [];
  return [helpLine('Advanced', `${names.join(', ')} (proc help import-flags)`, style)];
}

function examples(
  spec: CommandSpec,
  { width, heading }: HelpStyle,
  examplesFolder: () => string,
): string {
  const shown = spec.examples.slice(0, EXAMPLES);
  const lines = shown.flatMap(({ run, doc }) => [
    ...wrapWords(`  # ${doc}`, width, 4),
    ...wrapCommand(run, width),
  ]);
  if (shown.some(({ run }) => /\bexamples\//.test(run))) {
    lines.push(...wrapWords(`Example files: ${examplesFolder()}`, width));
  }
  return [heading('Examples:'), ...lines].join('\n');
}

function footer({ exitCodes, passesCodes }: CommandSpec, style: HelpStyle): string {
  const codes = `${shownExitCodes(exitCodes).join(' ')} (proc help exit-codes)`;
  return [
    helpLine('Exit codes', codes, style),
    ...(passesCodes === undefined ? [] : [helpText(passesCodes, style)]),
    helpText('All global flags: proc help flags', style),
  ].join('\n');
}
