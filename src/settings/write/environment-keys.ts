import { resolve } from 'node:path';
import { parseDialect } from '../../client/dialect.ts';
import type { PairSpecs } from '../../core/command-spec.ts';
import { ProcError } from '../../core/errors.ts';
import { ACCESS_LEVELS } from '../../core/service/access.ts';
import { nearest } from '../../core/text/nearest.ts';
import { inShell } from '../../core/text/typed.ts';
import { readTimeLimit } from '../../core/time/duration.ts';
import { show } from '../../core/validate.ts';
import { placeOfCommand } from '../credential/keychain.ts';
import { parseBaseUrl, parseNewBaseUrl } from '../read/base-url.ts';
import type { EnvironmentSettings } from '../read/config-schema.ts';

/** Setting → its possible values. Empty if they cannot be listed. */
export const SETTABLE_VALUES = {
  'base-url': [],
  dialect: [],
  protected: ['true', 'false'],
  access: ACCESS_LEVELS,
  credentialCommand: [],
  credentialScheme: ['api-key', 'bearer'],
  allowHttp: ['true', 'false'],
  settle: [],
  clientCert: [],
  clientKey: [],
  clientKeyPassphraseCommand: [],
} as const satisfies PairSpecs;

export const SETTABLE = Object.keys(SETTABLE_VALUES) as readonly (keyof typeof SETTABLE_VALUES)[];

/** Applies `KEY=VALUE`; an empty value removes the setting. */
export function setKey(
  settings: EnvironmentSettings,
  pair: string,
  profile: string,
  environment: string,
  storing: Parameters<typeof parseNewBaseUrl>[2] & { readonly cwd: string },
): void {
  const equals = pair.indexOf('=');
  if (equals < 1) throw usage(`${show(pair)} does not have the form KEY=VALUE`);
  const typed = pair.slice(0, equals);
  const value = pair.slice(equals + 1).trim();
  const key = SETTABLE.find((one) => plainKey(one) === plainKey(typed));
  if (key === undefined) {
    const near = nearest(typed, SETTABLE);
    throw usage(
      `unknown setting ${show(typed)}`,
      near === undefined ? undefined : `Did you mean "${near}"?`,
    );
  }
  if (key === 'base-url') {
    settings.baseUrl = parseNewBaseUrl(value, 'base-url', storing).href;
  } else if (key === 'dialect') {
    checkDialect(value);
    assign(settings, 'dialect', value === '' ? undefined : value);
  } else if (key === 'credentialCommand') {
    setCommand(settings, value, profile, environment);
  } else if (key === 'access') {
    const level = ACCESS_LEVELS.find((one) => one === value);
    if (value !== '' && level === undefined) {
      throw usage(`${key} must be one of ${ACCESS_LEVELS.join(', ')}`, `Example: ${key}=read`);
    }
    assign(settings, key, level);
  } else if (key === 'clientCert' || key === 'clientKey') {
    assign(settings, key, value === '' ? undefined : resolve(storing.cwd, value));
  } else if (key === 'clientKeyPassphraseCommand') {
    assign(settings, key, value === '' ? undefined : parseCommand(key, value));
  } else if (key === 'settle') {
    if (value !== '' && readTimeLimit(value) === undefined)
      throw usage(`settle must be a time, got ${show(value)}`, 'Example: settle=5s');
    assign(settings, key, value === '' ? undefined : value);
  } else if (key === 'credentialScheme') {
    if (!['', 'api-key', 'bearer'].includes(value))
      throw usage(`${key} must be api-key or bearer`, `Example: ${key}=bearer`);
    assign(settings, key, value === '' ? undefined : (value as 'api-key' | 'bearer'));
  } else {
    if (!['', 'true', 'false'].includes(value))
      throw usage(`${key} must be true or false`, `Example: ${key}=true`);
    assign(settings, key, value === '' ? undefined : value === 'true');
  }
}

export function isCredentialCommand(pair: string): boolean {
  return plainKey(pair).startsWith('credentialcommand');
}

/** Call it after a change of the command. Binds the key that it prints to the environment's origin. */
export function bindCommand(settings: EnvironmentSettings): void {
  const isBound =
    settings.credentialCommand !== undefined &&
    placeOfCommand(settings.credentialCommand) === undefined;
  assign(
    settings,
    'credentialCommandOrigin',
    isBound ? parseBaseUrl(settings.baseUrl, 'base-url').origin : undefined,
  );
}

export function isOfCertificate(pair: string): boolean {
  return plainKey(pair).startsWith('client');
}

/** A usage error, because the user has just typed the dialect. */
function checkDialect(text: string): void {
  try {
    parseDialect(text, 'dialect');
  } catch (thrown) {
    if (!(thrown instanceof ProcError)) throw thrown;
    throw usage(thrown.message, thrown.hint);
  }
}

function setCommand(
  settings: EnvironmentSettings,
  value: string,
  profile: string,
  environment: string,
): void {
  const argv = value === '' ? undefined : parseCommand('credentialCommand', value);
  const isStored =
    settings.credential !== undefined || placeOfCommand(settings.credentialCommand) !== undefined;
  if (argv !== undefined && isStored) {
    throw new ProcError(
      'credential_conflict',
      `${profile}/${environment} has a stored credential`,
      {
        hint: `Remove it first: proc auth logout -p ${inShell(profile)} -e ${inShell(environment)}`,
      },
    );
  }
  assign(settings, 'credentialCommand', argv);
}

/** Parses a JSON array or plain words. Refuses shell syntax, because no shell interprets it. */
function parseCommand(key: string, value: string): string[] {
  const form = `Write it as a JSON array: ${key}='["pass", "show", "acme key"]'`;
  if (!value.startsWith('[')) {
    if (/["'`$|&;<>()*?\\]/.test(value)) {
      throw usage(`${key} runs without a shell, but contains shell syntax`, form);
    }
    return value.split(/\s+/);
  }
  let argv: unknown;
  try {
    argv = JSON.parse(value);
  } catch {
    throw usage(`${key} is not valid JSON`, form);
  }
  if (!isArgv(argv)) throw usage(`${key} is not an array of strings`, form);
  return argv;
}

function isArgv(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((word) => typeof word === 'string') && !!value[0];
}

function assign<K extends keyof EnvironmentSettings>(
  settings: EnvironmentSettings,
  key: K,
  value: EnvironmentSettings[K] | undefined,
): void {
  if (value === undefined) delete settings[key];
  else settings[key] = value;
}

/** Accepts `base-url`, `baseUrl` and `base_url` alike. */
export function plainKey(key: string): string {
  return key.replace(/[-_]/g, '').toLowerCase();
}

function usage(message: string, hint = `Use one of: ${SETTABLE.join(', ')}`): ProcError {
  return new ProcError('invalid_usage', message, { hint });
}
