import type { CommandSpec, FlagSpec } from '../../core/command-spec.ts';
import { durationText } from '../../core/time/duration.ts';
import { EFFECTIVE } from './fitting-flags.ts';
import { GLOBAL_FLAGS, SOURCE_WHERE } from './globals.ts';

const SHAPING = ['output', 'where', 'orderBy', 'fields', 'out'] as const;

const COMPARED_WHERE: FlagSpec = {
  ...SOURCE_WHERE,
  doc: 'compare only source rows that meet every condition',
};

export function commonFlags(spec: CommandSpec): Readonly<Record<string, FlagSpec>> {
  const shaping = SHAPING.filter((key) => EFFECTIVE[spec.prints].includes(key));
  const isOfSource = spec.filtersSource === true;
  if (spec.changes === 'nothing') {
    return {
      ...deadline(spec),
      ...named(shaping),
      ...(isOfSource ? { where: COMPARED_WHERE } : {}),
    };
  }
  return {
    ...(isOfSource ? { where: SOURCE_WHERE } : {}),
    ...named(['dryRun', 'yes']),
    ...named(shaping.filter((key) => key === 'output')),
  };
}

function deadline({ defaultDeadlineMs }: CommandSpec): Record<string, FlagSpec> {
  if (defaultDeadlineMs === undefined) return {};
  const defaultText = durationText(defaultDeadlineMs);
  return { deadline: { ...GLOBAL_FLAGS.deadline, doc: 'give up after this time', defaultText } };
}

function named(keys: readonly (keyof typeof GLOBAL_FLAGS)[]): Record<string, FlagSpec> {
  return Object.fromEntries(keys.map((key) => [key, GLOBAL_FLAGS[key]]));
}
