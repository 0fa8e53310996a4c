import type { CommandSpec, FlagSpec, FlagSpecs } from '../../../core/command-spec.ts';
import { shownExitCodes } from '../../../core/exit-codes.ts';
import { sharedFlags } from '../../../core/global-flags.ts';
import { argDocOf, docOf, flagTerm } from '../../flags/flag-options.ts';
import type { HelpRow } from '../help-page.ts';
import { usageOf } from './usage.ts';

export interface CommandPage {
  readonly usage: string;
  readonly summary: string;
  readonly description?: string | undefined;
  readonly args: readonly HelpRow[];
  readonly flags: readonly FlagGroup[];
  readonly examples: CommandSpec['examples'];
  readonly exitCodes: string;
  readonly passesCodes?: string | undefined;
}

type FlagGroup = readonly [heading: string, rows: readonly HelpRow[]];

const EXAMPLES = 4;

export function pageOf(spec: CommandSpec): CommandPage {
  // A command may say more of a shared flag, and where it stands.
  const all: FlagSpecs = { ...spec.flags, ...sharedFlags(spec), ...spec.flags };
  const flags = Object.entries(all);
  const headings = new Set(flags.map(([, { group = 'Flags' }]) => group));
  return {
    usage: usageOf(spec),
    summary: spec.summary,
    description: spec.description,
    args: Object.entries(spec.args ?? {}).map(([name, arg]) => [`<${name}>`, argDocOf(arg)]),
    flags: [...headings].map((name) => [
      name,
      flagRows(flags.filter(([, { group = 'Flags' }]) => group === name)),
    ]),
    examples: spec.examples.slice(0, EXAMPLES),
    exitCodes: shownExitCodes(spec.exitCodes).join(' '),
    passesCodes: spec.passesCodes,
  };
}

type NamedFlag = readonly [key: string, spec: FlagSpec];

/** Indents flags without a short name, to align the long names. */
function flagRows(flags: readonly NamedFlag[]): readonly HelpRow[] {
  return flags.map(
    ([key, flag]) =>
      [`${flag.short === undefined ? '    ' : ''}${flagTerm(key, flag)}`, docOf(flag)] as const,
  );
}
