import { ProcError } from '../../core/errors.ts';
import { Secret } from '../../core/service/secret.ts';
import type { Credential } from '../../core/service-target.ts';
import { inShell } from '../../core/text/typed.ts';
import { SCHEME_NAME } from '../credential/clean-secret.ts';
import { parseBaseUrl } from '../read/base-url.ts';
import { SANDBOX_PROFILE } from '../read/built-in.ts';
import type { Config, EnvironmentSettings, ProfileSettings } from '../read/config-schema.ts';
import {
  environmentNames,
  environmentNotFound,
  hasProfile,
  profileNotFound,
} from '../read/lookup.ts';
import { newName } from '../read/names.ts';

/** Changes to a configuration, as `Settings.update` applies them. */

/** A stored profile. The built-in one cannot be changed. */
export function storedProfile(config: Config, name: string): ProfileSettings {
  if (name === SANDBOX_PROFILE) {
    throw new ProcError(
      'invalid_usage',
      `the profile "${SANDBOX_PROFILE}" is built in and cannot be changed`,
      {
        hint: 'Add your own: proc profile add NAME -e ENV --base-url URL',
      },
    );
  }
  if (!hasProfile(config, name)) throw profileNotFound(config, name, '');
  return config.profiles![name]!;
}

/** An environment by name; without a name, the only one. */
export function storedEnvironment(
  config: Config,
  profile: string,
  name: string | undefined,
): { name: string; settings: EnvironmentSettings } {
  const { environments } = storedProfile(config, profile);
  const names = environmentNames(config, profile);
  const chosen = name ?? (names.length === 1 ? names[0]! : undefined);
  if (chosen === undefined) {
    const list = names.join(', ') || 'none';
    throw new ProcError(
      'environment_not_found',
      `"${profile}" has several environments and none is selected`,
      {
        hint: `Select one with -e: ${list}`,
      },
    );
  }
  if (!names.includes(chosen)) throw environmentNotFound(config, profile, chosen, '');
  return { name: chosen, settings: environments[chosen]! };
}

/** @returns whether the profile is now the current one, which the first profile becomes. */
export function addEnvironment(
  draft: Config,
  profile: string,
  environment: string,
  settings: EnvironmentSettings,
): boolean {
  const name = newName(profile, 'profile');
  const env = newName(environment, 'environment');
  draft.profiles ??= {};
  const isFirst = Object.keys(draft.profiles).length === 0 && draft.profile === undefined;
  if (!hasProfile(draft, name)) draft.profiles[name] = { environments: {} };
  const { environments } = draft.profiles[name]!;
  if (Object.hasOwn(environments, env)) {
    throw new ProcError('invalid_usage', `${name}/${env} already exists`, {
      hint: `Change it: proc profile set ${inShell(name)} -e ${inShell(env)} base-url=URL`,
    });
  }
  const { credential } = settings;
  if (credential !== undefined)
    refuseSharedKey(draft, name, { ...credential, secret: new Secret(credential.secret) });
  environments[env] = settings;
  if (isFirst) draft.profile = name;
  return isFirst;
}

/** Stores a credential, bound to the origin of the environment's base URL. */
export function storeCredential(
  draft: Config,
  profile: string,
  environment: string,
  credential: Credential,
): void {
  const { settings } = storedEnvironment(draft, profile, environment);
  refuseCommandBeside(settings, profile, environment);
  refuseSharedKey(draft, profile, credential);
  const { origin } = parseBaseUrl(settings.baseUrl, `baseUrl of ${profile}/${environment}`);
  settings.credential = boundTo(origin, credential);
}

/** A credential in the form of the configuration file. */
export function boundTo(
  origin: string,
  { scheme, secret }: Credential,
): NonNullable<EnvironmentSettings['credential']> {
  return { scheme, secret: secret.reveal(), origin };
}

export function refuseCommandBeside(
  settings: EnvironmentSettings,
  profile: string,
  environment: string,
): void {
  if (settings.credentialCommand === undefined) return;
  const message = `${profile}/${environment} gets its credential from a credentialCommand`;
  throw new ProcError('credential_conflict', message, {
    hint: `Remove it first: proc profile set ${inShell(profile)} -e ${inShell(environment)} credentialCommand=`,
  });
}

/** A key belongs to one organization (docs/service-contract.md §5), so the same key in two profiles is a mistake. */
export function refuseSharedKey(config: Config, profile: string, credential: Credential): void {
  for (const [other, { environments }] of Object.entries(config.profiles ?? {})) {
    if (other === profile) continue;
    for (const [environment, { credential: stored }] of Object.entries(environments)) {
      if (stored?.secret !== credential.secret.reveal()) continue;
      const message = `this ${SCHEME_NAME[credential.scheme]} is already stored for ${other}/${environment}`;
      throw new ProcError('credential_conflict', message, {
        hint: `A key belongs to one organization. Use that profile (-p ${inShell(other)}), or remove the key there: proc auth logout -p ${inShell(other)} -e ${inShell(environment)}`,
      });
    }
  }
}
