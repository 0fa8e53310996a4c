import { ProcError } from '../core/errors.ts';
import { nearest } from '../core/text/nearest.ts';
import { inShell } from '../core/text/typed.ts';
import { show } from '../core/validate.ts';
import { parseBaseUrl } from './base-url.ts';
import { readAuthorities } from './certificate-setting.ts';
import {
  ENVIRONMENT_KEYS,
  type EnvironmentKey,
  type EnvironmentSettings,
  plainKey,
  SETTINGS,
} from './keys.ts';

const SETTABLE = ENVIRONMENT_KEYS.filter((key) => SETTINGS[key].parse !== undefined);

/** As people type it: `base-url`, which is also a flag. */
function typedAs(key: EnvironmentKey): string {
  return key === 'baseUrl' ? 'base-url' : key;
}

/** For the help of `profile set`: each setting, with an explanation if its name needs one. */
export const SETTABLE_DOC = SETTABLE.map((key) => {
  const { doc } = SETTINGS[key];
  return doc === undefined ? typedAs(key) : `${typedAs(key)} (${doc})`;
}).join(', ');

/**
 * Applies `KEY=VALUE` pairs, and binds a command or `caFile` among them to the environment's origin.
 * An empty value removes a setting.
 *
 * @param place `profile` and `environment`, for errors
 * @throws ProcError `invalid_usage`, `credential_conflict`, `invalid_setting`, `config_insecure`
 */
export function setKeys(
  settings: EnvironmentSettings,
  pairs: readonly string[],
  place: { readonly profile: string; readonly environment: string },
  cwd: string,
): void {
  const hadKey = settings.credential !== undefined;
  const changed = pairs.map((pair) => setKey(settings, pair, cwd));
  if (changed.includes('credentialCommand')) {
    if (hadKey && settings.credentialCommand !== undefined) throw hasStoredKey(place);
    bindCommand(settings);
  }
  if (changed.includes('caFile')) {
    if (settings.caFile === undefined) delete settings.caFileOrigin;
    else {
      readAuthorities({ path: settings.caFile, name: `caFile ${settings.caFile}` }, cwd);
      settings.caFileOrigin = parseBaseUrl(settings.baseUrl, 'base-url').origin;
    }
  }
}

function setKey(settings: EnvironmentSettings, pair: string, cwd: string): EnvironmentKey {
  const equals = pair.indexOf('=');
  if (equals < 1) throw usage(`${show(pair)} does not have the form KEY=VALUE`);
  const typed = pair.slice(0, equals);
  const value = pair.slice(equals + 1).trim();
  const key = SETTABLE.find((one) => plainKey(one) === plainKey(typed));
  if (key === undefined) {
    const near = nearest(typed, SETTABLE.map(typedAs));
    const hint = near === undefined ? undefined : `Did you mean "${near}"?`;
    throw usage(`unknown setting ${show(typed)}`, hint);
  }
  const all: Record<string, unknown> = settings;
  if (value === '' && key !== 'baseUrl') delete all[key];
  else all[key] = SETTINGS[key].parse?.(value, key, cwd);
  return key;
}

function usage(message: string, hint = `Use one of: ${SETTABLE.map(typedAs).join(', ')}`) {
  return new ProcError('invalid_usage', message, { hint });
}

function hasStoredKey({ profile, environment }: { profile: string; environment: string }) {
  return new ProcError('credential_conflict', `${profile}/${environment} has a stored credential`, {
    hint: `Remove it first: proc auth logout -p ${inShell(profile)} -e ${inShell(environment)}`,
  });
}

function bindCommand(settings: EnvironmentSettings): void {
  const { credentialCommand: argv } = settings;
  if (argv === undefined) {
    delete settings.credentialCommandOrigin;
  } else {
    settings.credentialCommandOrigin = parseBaseUrl(settings.baseUrl, 'base-url').origin;
  }
}
