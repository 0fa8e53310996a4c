import { ProcError } from '../core/errors.ts';
import type { GlobalFlags } from '../core/global-flags.ts';
import type { Env, Say } from '../core/io.ts';
import { isOn } from '../core/process/is-on.ts';
import { Secret } from '../core/service/secret.ts';
import type { Credential, KeyedTarget, Scheme } from '../core/service-target.ts';
import { inShell } from '../core/text/typed.ts';
import { readTimeLimit } from '../core/time/duration.ts';
import { show } from '../core/validate.ts';
import { type BaseUrl, parseBaseUrl } from './base-url.ts';
import { readConfig } from './config-file.ts';
import { cleanSecret, fingerprint, runCredentialCommand } from './credential.ts';
import { DEFAULT_DIALECT, type DialectSettings, dialectFor, parseDialect } from './dialect.ts';
import {
  environmentNames,
  environmentNotFound,
  hasProfile,
  noEnvironment,
  profileNotFound,
} from './names.ts';
import { configFile } from './paths.ts';
import {
  type AuthoritiesFile,
  type Config,
  type EnvironmentSettings,
  parseConcurrency,
} from './settings.ts';

type TargetFlags = Partial<Pick<GlobalFlags, 'profile' | 'env'>>;

export interface Sources {
  readonly flags: TargetFlags;
  readonly env: Env;
  readonly config: Config;
}

/** A value, and the exact place that it comes from: `--profile`, `PROC_PROFILE`, a path, `acme/production`. */
export interface From<T> {
  readonly value: T;
  readonly place: string;
}

export interface KnownEnvironment {
  readonly profile: string;
  readonly environment: string;
  readonly url: BaseUrl;
  readonly settings: EnvironmentSettings;
}

export interface Selection {
  /** Undefined if only `PROC_BASE_URL` selects the target. */
  readonly profile: string | undefined;
  readonly environment: string | undefined;
  readonly url: From<BaseUrl>;
  /** The selected environment. Undefined if only `PROC_BASE_URL` selects the target. */
  readonly known: KnownEnvironment | undefined;
  /** The environment that `PROC_BASE_URL` replaces. Errors say why its stored credential is not sent. */
  readonly passedOver: KnownEnvironment | undefined;
}

const URL_VARIABLE = 'PROC_BASE_URL';

/** Every call reads the file again: nothing is cached. */
export function readSources({ flags, env }: Omit<Sources, 'config'>): Sources {
  return { flags, env, config: readConfig(env) };
}

/**
 * Where the profile, the environment and the address come from: flag, variable, profile, default.
 *
 * `PROC_BASE_URL` replaces the address of the environment. At another origin, the environment becomes
 * `passedOver`, unless a flag or variable names its profile.
 *
 * @throws ProcError `no_target`, `profile_not_found`, `environment_not_found`, `invalid_setting`
 */
export function resolve(sources: Sources): Selection {
  const { flags, env, config } = sources;
  const named = first([flags.profile, '--profile'], [env.PROC_PROFILE, 'PROC_PROFILE']);
  const profile = profileOf(sources);
  const wanted = first([flags.env, '--env'], [env.PROC_ENV, 'PROC_ENV']);
  const typedUrl = env[URL_VARIABLE] || undefined;
  const url = typedUrl === undefined ? undefined : parseBaseUrl(typedUrl, URL_VARIABLE);
  if (profile === undefined && url === undefined) {
    throw new ProcError('no_target', 'no service is selected', {
      hint: 'Set up a profile: proc setup. To try proc with sample data: proc sandbox exec',
    });
  }
  const mayMiss = url !== undefined && named === undefined;
  const known = profile && findEnvironment(config, env, profile, wanted, mayMiss);
  const isUsed =
    known !== undefined &&
    (url === undefined || named !== undefined || known.url.origin === url.origin);
  if (isUsed) {
    const { profile, environment } = known;
    const stored = { value: known.url, place: placeOf(known) };
    const from = url === undefined ? stored : { value: url, place: URL_VARIABLE };
    return { profile, environment, url: from, known, passedOver: undefined };
  }
  // The environment is only a name here and need not exist. Scripts name it with `-e` to write to a
  // protected target.
  return {
    profile: undefined,
    environment: wanted?.value,
    url: { value: url!, place: URL_VARIABLE },
    known: undefined,
    passedOver: known,
  };
}

/**
 * The first candidate with a value. An empty variable counts as unset. An empty flag counts as set:
 * `-p "$UNSET"` must not select another target.
 */
function first(
  ...candidates: readonly (readonly [string | undefined, string])[]
): From<string> | undefined {
  for (const [value, place] of candidates) {
    if (value !== undefined && (value !== '' || place.startsWith('--'))) return { value, place };
  }
  return undefined;
}

/** Ignores `PROC_BASE_URL`, because a key is stored for the address of an environment. */
export function ownEnvironment(input: Omit<Sources, 'config'>): {
  readonly selection: Selection;
  readonly known: KnownEnvironment;
} {
  const selection = resolve({ ...readSources(input), env: { ...input.env, PROC_BASE_URL: '' } });
  // Without PROC_BASE_URL every selection is a known environment.
  return { selection, known: selection.known! };
}

/** The name of the selected profile, which need not exist. */
export function profileOf({ flags, env, config }: Sources): From<string> | undefined {
  const wanted = first(
    [flags.profile, '--profile'],
    [env.PROC_PROFILE, 'PROC_PROFILE'],
    [config.profile, 'the current profile'],
  );
  return wanted && { ...wanted, value: wanted.value.normalize('NFC') };
}

/** @param mayMiss return undefined instead of an error if the profile has no such environment. */
function findEnvironment(
  config: Config,
  env: Env,
  { value: profile, place }: From<string>,
  wanted: From<string> | undefined,
  mayMiss: boolean,
): KnownEnvironment | undefined {
  if (!hasProfile(config, profile)) throw profileNotFound(config, profile, place);
  const names = environmentNames(config, profile);
  const environment = (wanted?.value ?? defaultEnvironment(config, profile))?.normalize('NFC');
  if (environment === undefined || !names.includes(environment)) {
    if (mayMiss) return undefined;
    throw environment === undefined
      ? noEnvironment(config, profile)
      : environmentNotFound(config, profile, environment, wanted?.place ?? '');
  }
  const settings = config.profiles![profile]!.environments[environment]!;
  const where = `${configFile(env)}: baseUrl of ${profile}/${environment}`;
  return { profile, environment, url: parseBaseUrl(settings.baseUrl, where), settings };
}

/** The environment that a profile uses if nothing names one. */
export function defaultEnvironment(config: Config, profile: string): string | undefined {
  const names = environmentNames(config, profile);
  const chosen = config.profiles?.[profile]?.defaultEnvironment;
  return chosen ?? (names.length === 1 ? names[0] : undefined);
}

/** `acme/production`. */
function placeOf({ profile, environment }: KnownEnvironment): string {
  return `${profile}/${environment}`;
}

/** The settings of the environment. Undefined if `PROC_BASE_URL` has another origin. */
function settingsAt({ known, url }: Selection): EnvironmentSettings | undefined {
  return known?.url.origin === url.value.origin ? known.settings : undefined;
}

/** A setting that a variable overrides. It holds only at the address of its environment. */
export function textOf(
  key: 'settle' | 'ledger',
  variable: string,
  { env }: Pick<Sources, 'env'>,
  selection: Selection | undefined,
): From<string> | undefined {
  const stored = selection && settingsAt(selection)?.[key];
  const where = stored === undefined ? '' : `${key} of ${placeOf(selection!.known!)}`;
  return first([env[variable], variable], [stored, where]);
}

export interface ResolveInput extends Omit<Sources, 'config'> {
  /** If false, a missing credential is not an error, and no `credentialCommand` runs. */
  readonly needCredential: boolean;
  /** Warns if a key from a variable overrides a stored key. */
  readonly say?: Say | undefined;
}

/**
 * Decides where requests go, with which key and settings. docs/profiles.md describes the precedence.
 *
 * @throws ProcError
 */
export async function resolveTarget(input: ResolveInput): Promise<KeyedTarget> {
  const sources = readSources(input);
  const selection = resolve(sources);
  checkTransport(selection);
  const { known, url, profile, environment } = selection;
  const { env } = sources;
  const names = listNamesOf(sources, selection);
  const { credential, credentialProfile } = await credentialOf(sources, selection, input);
  const settings = settingsAt(selection);
  return {
    profile,
    environment,
    baseUrl: url.value.href,
    key: credential === undefined ? undefined : keyMarkOf(credential),
    credential,
    credentialProfile,
    isOtherAddress: known !== undefined && known.url.origin !== url.value.origin,
    readOnly: readOnlyOf(sources, selection),
    isProtected: settings?.protected ?? !url.value.isLoopback,
    allowHttp: settings?.allowHttp === true,
    settleMs: timeOf(textOf('settle', 'PROC_SETTLE', sources, selection)),
    concurrency: concurrencyOf(env, settings),
    patienceMs: timeOf(first([env.PROC_PATIENCE, 'PROC_PATIENCE'])),
    authorities: authoritiesOf(sources, selection),
    dialect: (noun) => dialectFor(names, noun),
  };
}

/** Computed on use, because only a few commands show the fingerprint. */
function keyMarkOf({ scheme, secret }: Credential): NonNullable<KeyedTarget['key']> {
  return {
    scheme,
    get fingerprint() {
      return fingerprint(secret);
    },
  };
}

/** Needs no key. If no target can be selected, nothing can be sent anyway. */
export function readOnlyTarget(
  input: Omit<Sources, 'config'>,
): Pick<KeyedTarget, 'readOnly'> & Partial<Pick<KeyedTarget, 'profile' | 'environment'>> {
  try {
    const sources = readSources(input);
    const selection = resolve(sources);
    const { profile, environment } = selection;
    return { readOnly: readOnlyOf(sources, selection), profile, environment };
  } catch (thrown) {
    if (thrown instanceof ProcError) return { readOnly: undefined };
    throw thrown;
  }
}

/** The setting holds for every address to which its environment is sent. */
function readOnlyOf({ env }: Pick<Sources, 'env'>, { known }: Selection): KeyedTarget['readOnly'] {
  if (isOn(env.PROC_READ_ONLY)) return 'PROC_READ_ONLY';
  return known?.settings.readOnly === true ? 'setting' : undefined;
}

/** Plain http exposes the key on the network. It is allowed for loopback, or with `allowHttp`. */
export function checkTransport(selection: Selection): void {
  const url = selection.url.value;
  const settings = settingsAt(selection);
  if (!url.isPlainHttp || url.isLoopback || settings?.allowHttp === true) return;
  const message = `plain http to ${url.origin} would send the key unencrypted`;
  const owner = settings === undefined ? undefined : selection.known;
  const allow = setCommand(owner, 'allowHttp=true');
  throw new ProcError('insecure_url', message, {
    hint: `Use https, or allow http for a profile with this address: ${allow}`,
  });
}

/** `PROC_LIST_NAMES` replaces all list names of the environment. */
export function listNamesOf(
  { env }: Pick<Sources, 'env'>,
  { known }: Selection,
): DialectSettings & { readonly text: string } {
  const found = first(
    [env.PROC_LIST_NAMES, 'PROC_LIST_NAMES'],
    [known?.settings.listNames, known === undefined ? '' : `listNames of ${placeOf(known)}`],
  );
  if (found === undefined) return { all: DEFAULT_DIALECT, byNoun: {}, text: '' };
  return { ...parseDialect(found.value, found.place), text: found.value };
}

/** @throws ProcError `invalid_setting` */
function timeOf(text: From<string> | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ms = readTimeLimit(text.value);
  if (ms !== undefined) return ms;
  throw new ProcError('invalid_setting', `${text.place} must be a time, got ${show(text.value)}`, {
    hint: 'Use e.g. 30s',
  });
}

/** @throws ProcError `invalid_setting` */
function concurrencyOf(
  { PROC_CONCURRENCY: text }: Env,
  settings: EnvironmentSettings | undefined,
): number | undefined {
  if (!text) return settings?.concurrency;
  const count = parseConcurrency(text);
  if (count !== undefined) return count;
  throw new ProcError(
    'invalid_setting',
    `PROC_CONCURRENCY must be a number from 1 to 256, got ${show(text)}`,
  );
}

/**
 * A value with the only origin that may get it, if that is the selected one.
 *
 * @throws ProcError `credential_origin`
 */
function unbind<T>(
  bound: T & { readonly origin: string },
  owner: KnownEnvironment,
  { url }: Selection,
  words: {
    readonly what: string;
    readonly verb: string;
    /** What to do if `PROC_BASE_URL` selects another address. */
    readonly instead: string;
    /** The command that binds the value to the present address of its environment. */
    readonly again: string;
  },
): T {
  const { origin: selected } = url.value;
  if (bound.origin === selected) return bound;
  const { what, verb, instead, again } = words;
  const message = `the ${what} of ${placeOf(owner)} belongs to ${bound.origin} and is not ${verb} ${selected}`;
  throw new ProcError('credential_origin', message, {
    hint:
      url.place === URL_VARIABLE
        ? `${instead}, or unset PROC_BASE_URL`
        : `For the new address: ${again}`,
  });
}

export function authoritiesGiven(env: Env): AuthoritiesFile | undefined {
  const path = env.PROC_CA_FILE;
  return path ? { path, name: `PROC_CA_FILE ${path}` } : undefined;
}

/**
 * `PROC_CA_FILE`, or the setting of the environment, which holds only for the origin for which it was stored.
 *
 * @throws ProcError `credential_origin`
 */
function authoritiesOf(
  { env }: Pick<Sources, 'env'>,
  selection: Selection,
): AuthoritiesFile | undefined {
  const { known } = selection;
  const caFile = known?.settings.caFile;
  const given = authoritiesGiven(env);
  if (given !== undefined || known === undefined || caFile === undefined) return given;
  const { path } = unbind(caFile, known, selection, {
    what: 'caFile',
    verb: 'used for',
    instead: 'Set PROC_CA_FILE for this address',
    again: setCommand(known, `caFile=${caFile.path}`),
  });
  return { path, name: `caFile of ${placeOf(known)}, ${path}` };
}

/** A credential for the selected address. A `credentialCommand` has not run yet. */
type FoundCredential = Credential | { readonly scheme: Scheme; readonly argv: readonly string[] };

/**
 * Where the key comes from. One from a variable wins over a stored one, which is sent only to the origin for which
 * it was saved.
 *
 * @throws ProcError `credential_conflict`, `credential_origin`, `no_credential`
 */
export function findCredential(sources: Sources, selection: Selection): From<FoundCredential> {
  const given = fromVariables(sources.env);
  if (given !== undefined) return given;
  const owner = selection.known ?? selection.passedOver;
  const { scheme = 'api-key', credential, credentialCommand: command } = owner?.settings ?? {};
  if (owner === undefined || (credential ?? command) === undefined) throw noCredential(selection);
  const place = placeOf(owner);
  if (credential !== undefined && command !== undefined) {
    const message = `${place} has both a stored key and a credentialCommand`;
    throw new ProcError('credential_conflict', message, {
      hint: `Remove the stored one: proc auth logout -p ${inShell(owner.profile)} -e ${inShell(owner.environment)}`,
    });
  }
  const words = {
    what: 'credential',
    verb: 'sent to',
    instead: 'Set PROC_API_KEY or PROC_TOKEN for this address',
  };
  if (command !== undefined) {
    const again = setCommand(owner, `credentialCommand=${JSON.stringify(command.argv)}`);
    const { argv } = unbind(command, owner, selection, { ...words, again });
    return { value: { scheme, argv }, place };
  }
  const again = `proc auth login -p ${inShell(owner.profile)} -e ${inShell(owner.environment)}`;
  const { secret } = unbind(credential!, owner, selection, { ...words, again });
  return { value: { scheme, secret: new Secret(cleanSecret(secret, scheme, place)) }, place };
}

/** How a credential is shown: `api-key sha256:1a2b3c4d`, `command pass`. */
export function shownCredential(found: FoundCredential): string {
  if ('argv' in found) return `command ${found.argv[0]}`;
  return `${found.scheme} ${fingerprint(found.secret)}`;
}

function fromVariables(env: Env): From<Credential> | undefined {
  const apiKey = cleanSecret(env.PROC_API_KEY ?? '', 'api-key', 'PROC_API_KEY');
  const token = cleanSecret(env.PROC_TOKEN ?? '', 'bearer', 'PROC_TOKEN');
  if (apiKey !== '' && token !== '') {
    throw new ProcError('credential_conflict', 'PROC_API_KEY and PROC_TOKEN are both set', {
      hint: 'Unset one of them: a request uses an API key or a token, not both',
    });
  }
  if (apiKey === '' && token === '') return undefined;
  const secret = new Secret(apiKey + token);
  return apiKey === ''
    ? { value: { scheme: 'bearer', secret }, place: 'PROC_TOKEN' }
    : { value: { scheme: 'api-key', secret }, place: 'PROC_API_KEY' };
}

async function credentialOf(
  sources: Sources,
  selection: Selection,
  { needCredential, say }: ResolveInput,
): Promise<Pick<KeyedTarget, 'credential' | 'credentialProfile'>> {
  let found: From<FoundCredential> | undefined;
  try {
    found = findCredential(sources, selection);
  } catch (thrown) {
    if (needCredential || !(thrown instanceof ProcError)) throw thrown;
  }
  // A preview runs no `credentialCommand`, because it may ask for a passphrase.
  if (found === undefined || ('argv' in found.value && !needCredential)) {
    const isOwn = found !== undefined && settingsAt(selection) !== undefined;
    return { credential: undefined, credentialProfile: isOwn ? selection.profile : undefined };
  }
  const { value, place } = found;
  const credential =
    'argv' in value
      ? {
          scheme: value.scheme,
          secret: new Secret(await runCredentialCommand(value.argv, value.scheme, sources.env)),
        }
      : value;
  const settings = settingsAt(selection);
  const stored = settings?.credential?.secret;
  const isStored = stored === credential.secret.reveal();
  if (stored !== undefined && !isStored) {
    const text = `using ${place} instead of the key stored for ${placeOf(selection.known!)}`;
    say?.({ kind: 'warning', text });
  }
  // A key from a variable belongs to the selected profile only if the environment stores the same key.
  const isOwn = settings !== undefined && (isStored || place === placeOf(selection.known!));
  return { credential, credentialProfile: isOwn ? selection.profile : undefined };
}

function noCredential(selection: Selection): ProcError {
  const { known, url } = selection;
  const ask = "Your organization gets a key from the service's support team.";
  return known !== undefined && settingsAt(selection) !== undefined
    ? new ProcError('no_credential', `no key is stored for ${placeOf(known)}`, {
        hint: `${ask} Store it: proc auth login -p ${inShell(known.profile)} -e ${inShell(known.environment)}`,
      })
    : new ProcError('no_credential', `no key is set for ${url.value.origin}`, {
        hint: `${ask} Set PROC_API_KEY or PROC_TOKEN, or add a profile: proc profile add NAME -e ENV --base-url URL --api-key-stdin`,
      });
}

function setCommand(owner: KnownEnvironment | undefined, pair: string): string {
  const { profile = 'NAME', environment = 'ENV' } = owner ?? {};
  return `proc profile set ${inShell(profile)} -e ${inShell(environment)} ${inShell(pair)}`;
}
