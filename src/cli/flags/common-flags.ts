import type { CommandSpec, FlagSpec } from '../../core/command-spec.ts';
import { EFFECTIVE } from './fitting-flags.ts';
import { GLOBAL_FLAGS, SOURCE_WHERE } from './globals.ts';

/** Of the flags that shape output, those that people look for first. */
const SHAPING = ['output', 'where', 'fields', 'out'] as const;

/** The global flags that people look for on the page of a command. */
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
