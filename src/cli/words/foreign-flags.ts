import type { CommandSpec } from '../../core/command-spec.ts';
import { inShell } from '../../core/text/typed.ts';
import { OUTPUT_FORMATS } from '../../output/format.ts';
import { EFFECTIVE } from '../flags/fitting-flags.ts';

const WITH_VALUE: Readonly<Record<string, 'output' | 'where' | 'query' | 'fields'>> = {
  '--format': 'output',
  '--filter': 'where',
  '--jq': 'query',
  '--jmespath': 'query',
  '--columns': 'fields',
};

const PLAIN: Readonly<Record<string, string>> = {
  '--force': '--yes',
  '--dryrun': '--dry-run',
  '--non-interactive': '--no-input',
  '--debug': '--verbose',
};

/** The flag of proc for a flag of other programs: `-o json` for `--json`. */
export function flagMeant(
  typed: string,
  after: string | undefined,
  spec: CommandSpec | undefined,
): string | undefined {
  const [, flag = '', joined] = /^(--[\w-]+)(?:=(.*))?$/s.exec(typed) ?? [];
  if (Object.hasOwn(PLAIN, flag)) return PLAIN[flag];
  const isFormat = OUTPUT_FORMATS.some((format) => flag === `--${format}`);
  const key = isFormat ? 'output' : Object.hasOwn(WITH_VALUE, flag) ? WITH_VALUE[flag]! : undefined;
  if (key === undefined || (spec !== undefined && !EFFECTIVE[spec.prints].includes(key))) {
    return undefined;
  }
  const given = joined ?? (after?.startsWith('-') === false ? after : undefined);
  switch (key) {
    case 'output': {
      const format = isFormat ? flag.slice(2) : OUTPUT_FORMATS.find((one) => one === given);
      return `-o ${format ?? OUTPUT_FORMATS.join('|')}`;
    }
    case 'where':
      return `--where ${given?.includes('=') ? inShell(given) : "'FIELD=VALUE'"}`;
    default:
      return `--${key} ${given === undefined ? 'VALUE' : inShell(given)}`;
  }
}
