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

/** Former flags of imports, and what replaces them. `VALUE` stands for the value. */
const REPLACED: Readonly<Record<string, string>> = {
  '--allow-nameless': '--allow missing',
  '--allow-error-values': '--allow error-values',
  '--allow-invisible': '--allow invisible',
  '--accept-changed-codes': '--allow changed-codes',
  '--unverified': '--allow unverified',
  '--max-errors': '--max-rejected VALUE',
  '--fail-fast': '--max-rejected 0',
  '--patience': '--tune patience=VALUE',
  '--settle': '--tune settle=VALUE',
  '--concurrency': '--tune concurrency=VALUE',
  '--map-from': '--map-file FILE (--save-map FILE writes it)',
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
  const given = joined ?? (after?.startsWith('-') === false ? after : undefined);
  if (Object.hasOwn(REPLACED, flag) && /\bimports?$/.test(spec?.path.join(' ') ?? '')) {
    return REPLACED[flag]!.replace('VALUE', given === undefined ? 'VALUE' : inShell(given));
  }
  if (flag === '--learn' && spec?.path[0] === 'doctor') {
    return 'proc doctor, which stores what it detects';
  }
  const isFormat = OUTPUT_FORMATS.some((format) => flag === `--${format}`);
  const key = isFormat ? 'output' : Object.hasOwn(WITH_VALUE, flag) ? WITH_VALUE[flag]! : undefined;
  if (key === undefined || (spec !== undefined && !EFFECTIVE[spec.prints].includes(key))) {
    return undefined;
  }
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
