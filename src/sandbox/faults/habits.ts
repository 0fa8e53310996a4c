import { dialectFor, parseDialect } from '../../client/dialect.ts';
import { ProcError } from '../../core/errors.ts';
import type { Dialect } from '../../core/service-target.ts';

export type Collation = 'binary' | 'nocase' | 'unaccented';

/** The sandbox's behaviour where the API is not documented and services differ. */
export interface Habits {
  dialect(noun: string): Dialect;
  readonly unknown: 'refuse' | 'ignore';
  readonly collation: Collation;
  /** `refuse`: 409 for an item whose code already exists. */
  readonly duplicates: 'allow' | 'refuse';
  readonly absent: 'omit' | 'null' | 'empty';
}

const CHOICES = {
  unknown: ['ignore', 'refuse'],
  collation: ['binary', 'nocase', 'unaccented'],
  duplicates: ['allow', 'refuse'],
  absent: ['omit', 'null', 'empty'],
} as const;

/**
 * `--dialect` of the sandbox takes the keys of any dialect and those of `CHOICES`. The first value
 * of a key in `CHOICES` is its default.
 *
 * @throws ProcError `invalid_setting`
 */
export function parseHabits(text: string, where = '--dialect'): Habits {
  const settings = parseDialect(text, where, Object.keys(CHOICES));
  const choice = <K extends keyof typeof CHOICES>(key: K): (typeof CHOICES)[K][number] => {
    const given = settings.extra[key];
    const choices: readonly (typeof CHOICES)[K][number][] = CHOICES[key];
    if (given === undefined) return choices[0]!;
    const found = choices.find((candidate) => candidate === given);
    if (found !== undefined) return found;
    throw new ProcError(
      'invalid_setting',
      `${where}: ${key} must be ${choices.join(' or ')}, got "${given}"`,
      { hint: `Use e.g. ${key}=${choices[1]}` },
    );
  };
  return {
    dialect: (noun) => dialectFor(settings, noun),
    unknown: choice('unknown'),
    collation: choice('collation'),
    duplicates: choice('duplicates'),
    absent: choice('absent'),
  };
}
