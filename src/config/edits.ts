import { ProcError } from '../core/errors.ts';
import { Secret } from '../core/service/secret.ts';
import type { Credential } from '../core/service-target.ts';
import { inShell } from '../core/text/typed.ts';
import { parseBaseUrl } from './base-url.ts';
import { SCHEME_NAME } from './clean-secret.ts';
import type { Config, EnvironmentSettings, ProfileSettings } from './keys.ts';
import {
  environmentNames,
  environmentNotFound,
  hasProfile,
  newName,
  profileNotFound,
} from './names.ts';

export function storedProfile(config: Config, name: string): ProfileSettings {
  if (!hasProfile(config, name)) throw profileNotFound(config, name, '');
  return config.profiles![name]!;
}

/** Without a name: the only environment. */
export function storedEnvironment(
  config: Config,
  profile: string,
  name: string | undefined,
): { name: string; settings: EnvironmentSettings } {
  const { environments } = storedProfile(config, profile);
  const names = environmentNames(config, profile);
  const chosen = name ?? (names.length === 1 ? names[0]! : undefined);
  if (chosen === undefined) throw unnamedEnvironment(profile, names);
  if (!names.includes(chosen)) throw environmentNotFound(config, profile, chosen, '');
  return { name: chosen, settings: environments[chosen]! };
}

function unnamedEnvironment(profile: string, names: readonly string[]): ProcError {
  if (names.length === 0) {
    return new ProcError('environment_not_found', `"${profile}" has no environments`, {
      hint: `Add one: proc profile add ${inShell(profile)} -e NAME --base-url URL`,
    });
  }
  return new ProcError(
    'environment_not_found',
    `"${profile}" has several environments: which one to change?`,
    { hint: `Name it with -e: ${names.join(', ')}` },
  );
}

/** @returns true if the profile is the first and has become the current profile */
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
      if (stored?.secret === credential.secret.reveal()) {
        throw sharedKey(other, environment, credential);
      }
    }
  }
}

function sharedKey(other: string, environment: string, { scheme }: Credential): ProcError {
  const at = `${other}/${environment}`;
  const message = `this ${SCHEME_NAME[scheme]} is already stored for ${at}`;
  const logout = `proc auth logout -p ${inShell(other)} -e ${inShell(environment)}`;
  return new ProcError('credential_conflict', message, {
    hint: `A key belongs to one organization. Use that profile (-p ${inShell(other)}), or remove the key there: ${logout}`,
  });
}
