import type { CommandSpec, FlagSpec } from '../../core/command-spec.ts';
import { EFFECTIVE } from './fitting-flags.ts';
import { GLOBAL_FLAGS, SOURCE_WHERE } from './globals.ts';

/** The most common output flags. */
const SHAPING = ['output', 'where', 'orderBy', 'fields', 'out'] as const;

/** The global flags that help shows on a command's page. */
export function commonFlags(spec: CommandSpec): Readonly<Record<string, FlagSpec>> {
  const shaping = SHAPING.filter((key) => EFFECTIVE[spec.prints].includes(key));
  if (spec.changes === 'nothing') return named(shaping);
  return {
    ...(spec.filtersSource === true ? { where: SOURCE_WHERE } : {}),
    ...named(['dryRun', 'yes']),
    ...named(shaping.filter((key) => key === 'output')),
  };
}

function named(keys: readonly (keyof typeof GLOBAL_FLAGS)[]): Record<string, FlagSpec> {
  return Object.fromEntries(keys.map((key) => [key, GLOBAL_FLAGS[key]]));
}
