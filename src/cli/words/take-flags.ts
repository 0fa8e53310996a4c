import type { FlagSpec } from '../../core/command-spec.ts';
import { ProcError } from '../../core/errors.ts';
import { kebab } from '../../core/text/kebab.ts';
import { show } from '../../core/validate.ts';
import { flagTerm } from '../flags/flag-options.ts';
import { type Place, ROOT } from './command-place.ts';

export interface WithoutFlags {
  /** The words before the first unknown flag. */
  readonly operands: readonly string[];
  /**
   * The first unknown flag, and the words after it, except known flags. A place further down the
   * command tree may know the unknown flag.
   */
  readonly rest: readonly string[];
  /** The flags found, with their last value: `--limit` → `3`. */
  readonly taken: ReadonlyMap<string, string>;
}

const NEGATIVE_NUMBER = /^-(\d+|\d*\.\d+)([eE][+-]?\d+)?$/;

/**
 * Removes the flags of a place with their values, as commander does: `--flag value`, `--flag=value`,
 * `-fvalue`, `-vy`. Nothing after `--` is a flag.
 *
 * @throws ProcError `invalid_usage` if a value is missing, or if a flag that is not repeatable has two
 * different values
 */
export function takeFlags(words: readonly string[], place: Place): WithoutFlags {
  const operands: string[] = [];
  const rest: string[] = [];
  const taken = new Map<string, string>();
  const take = (flag: Flag, value: () => string | undefined): void => {
    if (flag.spec.kind === 'boolean') {
      taken.set(flag.name, '');
      return;
    }
    const given = value();
    if (given === undefined) throw missingValue(flag, place);
    if (flag.spec.kind !== 'strings') refuseTwice(flag.name, taken.get(flag.name), given);
    taken.set(flag.name, given);
  };
  const left = [...words];
  for (let word = left.shift(); word !== undefined; word = left.shift()) {
    if (word === '--') {
      if (rest.length > 0) rest.push(word, ...left);
      else operands.push(...left);
      break;
    }
    const whole = flagNamed(word, place);
    if (whole !== undefined) {
      take(whole, () => left.shift());
      continue;
    }
    // `-vy` is `-v -y`, and `-ojson` is `-o json`.
    const first = /^-[^-]./s.test(word) ? flagNamed(word.slice(0, 2), place) : undefined;
    if (first !== undefined) {
      const behind = word.slice(2);
      take(first, () => behind);
      if (first.spec.kind === 'boolean') left.unshift(`-${behind}`);
      continue;
    }
    const [name = '', ...value] = word.split('=');
    const assigned = /^--[^=]+=/.test(word) ? flagNamed(name, place) : undefined;
    if (assigned !== undefined && assigned.spec.kind !== 'boolean') {
      take(assigned, () => value.join('='));
      continue;
    }
    const isNumber = place.below.size === 0 && NEGATIVE_NUMBER.test(word);
    const isFlag = word.length > 1 && word.startsWith('-') && !isNumber;
    (rest.length > 0 || isFlag ? rest : operands).push(word);
  }
  return { operands, rest, taken };
}

interface Flag {
  readonly name: string;
  readonly key: string;
  readonly spec: FlagSpec;
}

function flagNamed(word: string, { flags }: Place): Flag | undefined {
  for (const [key, spec] of Object.entries(flags)) {
    const name = `--${kebab(key)}`;
    if (word === name || (spec.short !== undefined && word === `-${spec.short}`)) {
      return { name, key, spec };
    }
  }
  return undefined;
}

function missingValue({ key, spec }: Flag, place: Place): ProcError {
  return new ProcError('invalid_usage', `option '${flagTerm(key, spec)}' argument missing`, {
    hint: helpHint(place),
  });
}

/** Scripts that join arguments may give a flag twice, and the last value would silently win. */
function refuseTwice(name: string, before: string | undefined, value: string): void {
  if (before === undefined || before === value) return;
  throw new ProcError(
    'invalid_usage',
    `${name} was given twice: ${show(before)} and ${show(value)}`,
    { hint: 'Give it once.' },
  );
}

export function helpHint(place: Place): string {
  return `See the help: ${place === ROOT ? 'proc help' : `${place.name} --help`}`;
}
