import { ProcError } from '../core/errors.ts';
import { nearest } from '../core/text/nearest.ts';
import { inShell } from '../core/text/typed.ts';
import { show } from '../core/validate.ts';
import { type Config, type EnvironmentSettings, NAME, type ProfileSettings } from './settings.ts';

export const NAME_RULE =
  'a name starts with a letter or digit, contains only letters, digits, ".", "_" and "-", and has at most 64 characters';

export function isName(text: string): boolean {
  return NAME.test(text);
}

/**
 * Checks a new name. Normalizes Unicode, so that names that look equal are equal.
 *
 * @param where the flag or variable that has it
 */
export function newName(
  text: string,
  what: 'profile' | 'environment' | 'organization' | 'snapshot',
  where?: string,
): string {
  const name = text.normalize('NFC');
  if (!isName(name)) {
    const at = where === undefined ? '' : `${where}: `;
    throw new ProcError('invalid_usage', `${at}${show(text)} is not a valid ${what} name`, {
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

/** The environment that a profile uses if nothing names one. */
export function defaultEnvironment(config: Config, profile: string): string | undefined {
  const names = environmentNames(config, profile);
  const chosen = config.profiles?.[profile]?.defaultEnvironment;
  return chosen ?? (names.length === 1 ? names[0] : undefined);
}

/** @param place that has the name, e.g. `--profile` @throws ProcError `profile_not_found` */
export function storedProfile(config: Config, name: string, place?: string): ProfileSettings {
  if (hasProfile(config, name)) return config.profiles![name]!;
  const known = profileNames(config);
  const near = nearest(name, known);
  const guess = near === undefined ? '' : `Did you mean "${near}"? `;
  const message = `no profile is named ${show(name)}${place === undefined ? '' : ` (${place})`}`;
  throw new ProcError('profile_not_found', message, {
    hint: `${guess}List the profiles: proc profile list`,
    details: { profile: name, known },
  });
}

/** @param wanted default: that of the profile @throws ProcError `profile_not_found` */
export function storedEnvironment(
  config: Config,
  profile: string,
  wanted = defaultEnvironment(config, profile),
): { readonly name: string; readonly settings: EnvironmentSettings } {
  const { environments } = storedProfile(config, profile);
  if (wanted !== undefined && Object.hasOwn(environments, wanted))
    return { name: wanted, settings: environments[wanted]! };
  const known = Object.keys(environments);
  const [first] = known;
  const near = wanted === undefined ? undefined : nearest(wanted, known);
  const isUnnamed = wanted === undefined && first !== undefined;
  const says = isUnnamed
    ? 'several environments and none is selected'
    : `no environment ${wanted === undefined ? '' : show(wanted)}`.trimEnd();
  const hint = isUnnamed
    ? `Select one with -e, or set the default: proc profile use ${inShell(profile)} -e ${inShell(first)}`
    : near === undefined
      ? `Add one: proc profile add ${inShell(profile)} -e NAME --base-url URL`
      : `Did you mean "${near}"?`;
  throw new ProcError('profile_not_found', `profile "${profile}" has ${says}`, {
    hint: first === undefined ? hint : `Environments: ${known.join(', ')}. ${hint}`,
    details: { profile, environment: wanted, known },
  });
}
