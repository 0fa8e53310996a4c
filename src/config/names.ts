import { ProcError } from '../core/errors.ts';
import { nearest } from '../core/text/nearest.ts';
import { inShell } from '../core/text/typed.ts';
import { show } from '../core/validate.ts';
import type { Config } from './settings.ts';

/**
 * No spaces or quotes, because names are typed in shells. The first character excludes flags and
 * `__proto__`.
 */
const NAME = /^[\p{L}\p{N}][\p{L}\p{N}\p{M}._-]{0,63}$/u;

export const NAME_RULE =
  'a name starts with a letter or digit, contains only letters, digits, ".", "_" and "-", and has at most 64 characters';

export function isName(text: string): boolean {
  return NAME.test(text);
}

/** Checks a new name. Normalizes Unicode, so that names that look equal are equal. */
export function newName(text: string, what: 'profile' | 'environment' | 'organization'): string {
  const name = text.normalize('NFC');
  if (!isName(name)) {
    throw new ProcError('invalid_usage', `${show(text)} is not a valid ${what} name`, {
      hint: `Choose another: ${NAME_RULE}`,
    });
  }
  return name;
}

export function environmentNames(config: Config, profile: string): readonly string[] {
  return Object.keys(config.profiles?.[profile]?.environments ?? {});
}

export function profileNames(config: Config): readonly string[] {
  return Object.keys(config.profiles ?? {});
}

export function hasProfile(config: Config, name: string): boolean {
  // Not `in`, which also finds inherited keys: a profile may be named `constructor`.
  return Object.hasOwn(config.profiles ?? {}, name);
}

/** @param place that has the name, e.g. `--profile` */
export function profileNotFound(config: Config, name: string, place = ''): ProcError {
  const known = profileNames(config);
  const near = nearest(name, known);
  const guess = near === undefined ? '' : `Did you mean "${near}"? `;
  return new ProcError('profile_not_found', `no profile is named ${show(name)}${from(place)}`, {
    hint: `${guess}List the profiles: proc profile list`,
    details: { profile: name, known },
  });
}

/** @param place that has the name, e.g. `--env` */
export function environmentNotFound(
  config: Config,
  profile: string,
  name: string,
  place = '',
): ProcError {
  const known = environmentNames(config, profile);
  const near = nearest(name, known);
  const message = `profile "${profile}" has no environment ${show(name)}${from(place)}`;
  const guess = near === undefined ? addHint(profile) : `Did you mean "${near}"?`;
  return new ProcError('environment_not_found', message, {
    hint: `Environments: ${known.join(', ') || 'none'}. ${guess}`,
    details: { profile, environment: name, known },
  });
}

/** The profile has no environment, or several and none of them is named. */
export function noEnvironment(config: Config, profile: string): ProcError {
  const known = environmentNames(config, profile);
  const [first] = known;
  const [problem, hint] =
    first === undefined
      ? ['no environment', addHint(profile)]
      : [
          `several environments and none is selected: ${known.join(', ')}`,
          `Select one with -e, or set the default: proc profile use ${inShell(profile)} -e ${inShell(first)}`,
        ];
  const message = `profile "${profile}" has ${problem}`;
  return new ProcError('environment_not_found', message, { hint, details: { profile, known } });
}

function addHint(profile: string): string {
  return `Add one: proc profile add ${inShell(profile)} -e NAME --base-url URL`;
}

function from(place: string): string {
  return place === '' ? '' : ` (${place})`;
}
