import { ProcError } from '../../core/errors.ts';
import { nearest } from '../../core/text/nearest.ts';
import { inShell } from '../../core/text/typed.ts';
import { show } from '../../core/validate.ts';
import { SANDBOX_ENVIRONMENT, SANDBOX_PROFILE } from './built-in.ts';
import type { Config } from './config-schema.ts';

export function environmentNames(config: Config, profile: string): readonly string[] {
  if (profile === SANDBOX_PROFILE) return [SANDBOX_ENVIRONMENT];
  return Object.keys(config.profiles?.[profile]?.environments ?? {});
}

/** All profiles, the built-in one last. */
export function profileNames(config: Config): readonly string[] {
  return [...Object.keys(config.profiles ?? {}), SANDBOX_PROFILE];
}

export function hasProfile(config: Config, name: string): boolean {
  // Not `in`: a profile may be called `constructor`.
  return name === SANDBOX_PROFILE || Object.hasOwn(config.profiles ?? {}, name);
}

export function profileNotFound(config: Config, name: string, place: string): ProcError {
  const near = nearest(name, profileNames(config));
  return new ProcError('profile_not_found', `There is no profile ${show(name)}${from(place)}`, {
    hint:
      near === undefined
        ? 'See them with: proc profile list'
        : `Did you mean "${near}"? See all with: proc profile list`,
    details: { profile: name, known: profileNames(config) },
  });
}

export function environmentNotFound(
  config: Config,
  profile: string,
  name: string,
  place: string,
): ProcError {
  const names = environmentNames(config, profile);
  const near = nearest(name, names);
  const message = `Profile "${profile}" has no environment ${show(name)}${from(place)}`;
  return new ProcError('environment_not_found', message, {
    hint:
      near === undefined
        ? `It has: ${names.join(', ') || 'none'}. Add one with: proc profile add ${inShell(profile)} -e NAME --base-url URL`
        : `Did you mean "${near}"? It has: ${names.join(', ')}`,
    details: { profile, environment: name, known: names },
  });
}

function from(place: string): string {
  return place === '' ? '' : ` (${place})`;
}
