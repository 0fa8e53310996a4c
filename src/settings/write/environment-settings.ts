import { resolve } from 'node:path';
import type { PairSpecs } from '../../core/command-spec.ts';
import { ProcError } from '../../core/errors.ts';
import type { SelfPort } from '../../core/ports.ts';
import { nearest } from '../../core/text/nearest.ts';
import { inShell } from '../../core/text/typed.ts';
import { show } from '../../core/validate.ts';
import { certificateOfFlags, readAuthorities } from '../credential/certificate-setting.ts';
import { openCertificateFiles } from '../credential/client-certificate.ts';
import { placeOfCommand } from '../credential/keychain.ts';
import {
  ENVIRONMENT_KEYS,
  type EnvironmentKey,
  type EnvironmentSettings,
  plainKey,
  SETTINGS,
  type Storing,
} from '../keys.ts';
import { parseBaseUrl } from '../read/base-url.ts';

const SETTABLE = ENVIRONMENT_KEYS.filter((key) => SETTINGS[key].parse !== undefined);

/** As people type it: `base-url`, which is also a flag. */
function typedAs(key: EnvironmentKey): string {
  return key === 'baseUrl' ? 'base-url' : key;
}

/** Setting → its possible values. Empty if they cannot be listed. */
export const SETTABLE_VALUES: PairSpecs = Object.fromEntries(
  SETTABLE.map((key) => [typedAs(key), SETTINGS[key].values ?? []]),
);

/** For the help of `profile set`: each setting, with an explanation if its name needs one. */
export const SETTABLE_DOC = SETTABLE.map((key) => {
  const { doc } = SETTINGS[key];
  return doc === undefined ? typedAs(key) : `${typedAs(key)} (${doc})`;
}).join(', ');

/**
 * Applies `KEY=VALUE` pairs, and binds a command or certificate among them to the environment's origin.
 * An empty value removes a setting.
 *
 * @param place `profile` and `environment`, for errors
 * @throws ProcError `invalid_usage`, `credential_conflict`, `invalid_setting`, `config_insecure`
 */
export function setKeys(
  settings: EnvironmentSettings,
  pairs: readonly string[],
  place: { readonly profile: string; readonly environment: string },
  storing: Storing & Pick<SelfPort, 'clock'>,
): void {
  const hadKey =
    settings.credential !== undefined || placeOfCommand(settings.credentialCommand) !== undefined;
  const changed = pairs.map((pair) => setKey(settings, pair, storing));
  if (changed.includes('credentialCommand')) {
    if (hadKey && settings.credentialCommand !== undefined) throw hasStoredKey(place);
    bindCommand(settings);
  }
  if (changed.includes('caFile')) {
    if (settings.caFile === undefined) delete settings.caFileOrigin;
    else {
      readAuthorities({ path: settings.caFile, name: `caFile ${settings.caFile}` }, storing.cwd);
      settings.caFileOrigin = parseBaseUrl(settings.baseUrl, 'base-url').origin;
    }
  }
  const ofCertificate = ['clientCert', 'clientKey', 'clientKeyPassphraseCommand'] as const;
  if (ofCertificate.some((key) => changed.includes(key))) {
    bindCertificate(settings, storing.cwd, storing.clock.now());
  }
}

function setKey(settings: EnvironmentSettings, pair: string, storing: Storing): EnvironmentKey {
  const equals = pair.indexOf('=');
  if (equals < 1) throw usage(`${show(pair)} does not have the form KEY=VALUE`);
  const typed = pair.slice(0, equals);
  const value = pair.slice(equals + 1).trim();
  const key = SETTABLE.find((one) => plainKey(one) === plainKey(typed));
  if (key === undefined) {
    const near = nearest(typed, Object.keys(SETTABLE_VALUES));
    const hint = near === undefined ? undefined : `Did you mean "${near}"?`;
    throw usage(`unknown setting ${show(typed)}`, hint);
  }
  const all: Record<string, unknown> = settings;
  if (value === '' && key !== 'baseUrl') delete all[key];
  else all[key] = SETTINGS[key].parse?.(value, key, storing);
  return key;
}

function usage(message: string, hint = `Use one of: ${Object.keys(SETTABLE_VALUES).join(', ')}`) {
  return new ProcError('invalid_usage', message, { hint });
}

function hasStoredKey({ profile, environment }: { profile: string; environment: string }) {
  return new ProcError('credential_conflict', `${profile}/${environment} has a stored credential`, {
    hint: `Remove it first: proc auth logout -p ${inShell(profile)} -e ${inShell(environment)}`,
  });
}

function bindCommand(settings: EnvironmentSettings): void {
  const { credentialCommand: argv } = settings;
  if (argv === undefined || placeOfCommand(argv) !== undefined) {
    delete settings.credentialCommandOrigin;
  } else {
    settings.credentialCommandOrigin = parseBaseUrl(settings.baseUrl, 'base-url').origin;
  }
}

/**
 * Checks the files of the certificate and binds it
 * to the environment's origin. If the certificate was removed, removes its other settings.
 *
 * @throws ProcError `invalid_usage`, `invalid_setting`, `config_insecure`
 */
function bindCertificate(settings: EnvironmentSettings, cwd: string, now: number): void {
  const { clientCert, clientKey, clientKeyPassphraseCommand } = settings;
  if (clientCert === undefined) {
    const isRemoved = settings.clientCertOrigin !== undefined;
    if (!isRemoved && (clientKey ?? clientKeyPassphraseCommand) !== undefined) {
      throw new ProcError('invalid_usage', 'clientKey needs clientCert', {
        hint: 'Give both: clientCert=FILE clientKey=FILE',
      });
    }
    delete settings.clientKey;
    delete settings.clientKeyPassphraseCommand;
    delete settings.clientCertOrigin;
    return;
  }
  openCertificateFiles({ cert: clientCert, key: clientKey ?? clientCert }, cwd, now);
  settings.clientCertOrigin = parseBaseUrl(settings.baseUrl, 'base-url').origin;
}

export function storeCertificateOfFlags(
  settings: EnvironmentSettings,
  { flags, cwd, clock }: Pick<SelfPort, 'flags' | 'cwd' | 'clock'>,
): void {
  const given = certificateOfFlags(flags);
  if (given === undefined) return;
  settings.clientCert = resolve(cwd, given.cert);
  if (given.key !== given.cert) settings.clientKey = resolve(cwd, given.key);
  bindCertificate(settings, cwd, clock.now());
}
