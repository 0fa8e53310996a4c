import { ProcError } from '../core/errors.ts';
import { nearest } from '../core/text/nearest.ts';
import { inShell } from '../core/text/typed.ts';
import { show } from '../core/validate.ts';
import { type Config, NAME } from './settings.ts';

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

/** `acme -e staging`, as typed. After `-p` too. */
export function typedPlace(place: {
  readonly profile: string;
  readonly environment: string;
}): string {
  return `${inShell(place.profile)} -e ${inShell(place.environment)}`;
}

/** @param place that has the name, e.g. `--profile` */
export function profileNotFound(config: Config, name: string, place?: string): ProcError {
  const known = profileNames(config);
  const near = nearest(name, known);
  const guess = near === undefined ? '' : `Did you mean "${near}"? `;
  const message = `no profile is named ${show(name)}${place === undefined ? '' : ` (${place})`}`;
  return new ProcError('profile_not_found', message, {
    hint: `${guess}List the profiles: proc profile list`,
    details: { profile: name, known },
  });
}

/** The profile has no such environment. @param name undefined: it has none, or several and none of them is named */
export function environmentNotFound(config: Config, profile: string, name?: string): ProcError {
  const known = environmentNames(config, profile);
  const [first] = known;
  const near = name === undefined ? undefined : nearest(name, known);
  const says =
    name !== undefined
      ? `no environment ${show(name)}`
      : first === undefined
        ? 'no environment'
        : 'several environments and none is selected';
  const hint =
    near !== undefined
      ? `Did you mean "${near}"?`
      : first === undefined || name !== undefined
        ? `Add one: proc profile add ${inShell(profile)} -e NAME --base-url URL`
        : `Select one with -e, or set the default: proc profile use ${inShell(profile)} -e ${inShell(first)}`;
  return new ProcError('profile_not_found', `profile "${profile}" has ${says}`, {
    hint: known.length === 0 ? hint : `Environments: ${known.join(', ')}. ${hint}`,
    details: { profile, environment: name, known },
  });
}
