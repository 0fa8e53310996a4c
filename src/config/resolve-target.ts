import { ProcError } from '../core/errors.ts';
import type { GlobalFlags } from '../core/global-flags.ts';
import type { Env, Say } from '../core/io.ts';
import { type Credential, cleanSecret, type Scheme, Secret } from '../core/secret.ts';
import type { KeyedTarget } from '../core/service.ts';
import { isOn } from '../core/system.ts';
import { readTimeLimit } from '../core/time.ts';
import { show } from '../core/validate.ts';
import { inShell, listed } from '../core/wording.ts';
import { configFile } from '../store/folder.ts';
import { type BaseUrl, parseBaseUrl } from './addresses.ts';
import {
  defaultEnvironment,
  profileNames,
  readConfig,
  storedEnvironment,
  storedProfile,
  typedPlace,
} from './config-file.ts';
import {
  type Config,
  DEFAULT_DIALECT,
  type DialectSettings,
  dialectFor,
  type EnvironmentSettings,
  parseConcurrency,
  parseDialect,
} from './settings.ts';

export interface Sources {
  readonly flags: Partial<Pick<GlobalFlags, 'profile' | 'env'>>;
  readonly env: Env;
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
  readonly env: Env;
  /** Undefined if only `PROC_BASE_URL` selects the target. */
  readonly profile: string | undefined;
  readonly environment: string | undefined;
  readonly url: From<BaseUrl>;
  /** The selected environment. Undefined if only `PROC_BASE_URL` selects the target. */
  readonly known: KnownEnvironment | undefined;
}

const URL_VARIABLE = 'PROC_BASE_URL';

/**
 * Where the profile, the environment and the address come from: flag, variable, profile, default.
 *
 * `PROC_BASE_URL` may change the path of the environment's address. With another origin it stands alone: the current
 * profile is not used, and one that a flag or variable names is refused.
 *
 * @throws ProcError `no_target`, `profile_not_found`, `invalid_setting`
 */
export function resolve(sources: Sources): Selection {
  const { flags, env } = sources;
  // Nothing is cached.
  const config = readConfig(env);
  const isNamed = first([flags.profile, '--profile'], [env.PROC_PROFILE, '']) !== undefined;
  const profile = profileOf(sources, config);
  const wanted = first([flags.env, '--env'], [env.PROC_ENV, 'PROC_ENV']);
  const typed = first([env[URL_VARIABLE], URL_VARIABLE]);
  const url = typed && { ...typed, value: parseBaseUrl(typed.value, URL_VARIABLE) };
  if (profile === undefined && url === undefined) {
    const names = profileNames(config).map((name) => `-p ${inShell(name)}`);
    const setUp = 'Set up a profile: proc setup. To try proc with sample data: proc sandbox exec';
    throw new ProcError('no_target', 'no service is selected', {
      hint: names.length === 0 ? setUp : `Name a profile: ${listed(names, 5)}`,
    });
  }
  const mayMiss = url !== undefined && !isNamed;
  const known = profile && findEnvironment(config, env, profile, wanted, mayMiss);
  if (known === undefined || (url !== undefined && url.value.origin !== known.url.origin)) {
    if (known !== undefined && isNamed) {
      const says = `PROC_BASE_URL is an address of ${url!.value.origin}, but ${placeOf(known)} is at ${known.url.origin}`;
      throw new ProcError('invalid_setting', says, {
        hint: 'Unset PROC_BASE_URL, or name no profile',
      });
    }
    // The environment is only a name here and need not exist. Scripts name it with `-e` to write to a
    // protected target.
    return { env, profile: undefined, environment: wanted?.value, url: url!, known: undefined };
  }
  const from = url ?? { value: known.url, place: placeOf(known) };
  return { env, profile: known.profile, environment: known.environment, url: from, known };
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
export function ownEnvironment({ flags, env }: Sources): {
  readonly selection: Selection;
  readonly known: KnownEnvironment;
} {
  const selection = resolve({ flags, env: { ...env, PROC_BASE_URL: '' } });
  // Without PROC_BASE_URL every selection is a known environment.
  return { selection, known: selection.known! };
}

/** The name of the selected profile, which need not exist. */
export function profileOf({ flags, env }: Sources, config: Config): From<string> | undefined {
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
  const { environments } = storedProfile(config, profile, place);
  const name = (wanted?.value ?? defaultEnvironment(config, profile))?.normalize('NFC');
  if (mayMiss && (name === undefined || !Object.hasOwn(environments, name))) return undefined;
  const { name: environment, settings } = storedEnvironment(config, profile, name);
  const where = `${configFile(env)}: baseUrl of ${profile}/${environment}`;
  return { profile, environment, url: parseBaseUrl(settings.baseUrl, where), settings };
}

/** `acme/production`. */
function placeOf({ profile, environment }: KnownEnvironment): string {
  return `${profile}/${environment}`;
}

const VARIABLES = {
  settle: 'PROC_SETTLE',
  ledger: 'PROC_LEDGER',
  listNames: 'PROC_LIST_NAMES',
  concurrency: 'PROC_CONCURRENCY',
  caFile: 'PROC_CA_FILE',
} as const;

/** A setting that a variable overrides. */
export function settingOf(
  key: keyof typeof VARIABLES,
  { env, known }: Pick<Selection, 'env' | 'known'>,
): From<string> | undefined {
  const stored = known?.settings[key];
  const where = known === undefined ? '' : `${key} of ${placeOf(known)}`;
  const variable = VARIABLES[key];
  return first([env[variable], variable], [stored === undefined ? stored : `${stored}`, where]);
}

/** @throws ProcError `invalid_setting` */
function parsed<T>(
  text: From<string> | undefined,
  parse: (text: string) => T | undefined,
  expected: string,
): T | undefined {
  const value = text && parse(text.value);
  if (text === undefined || value !== undefined) return value;
  const says = `${text.place} must be ${expected}, got ${show(text.value)}`;
  throw new ProcError('invalid_setting', says);
}

const TIME = 'a time such as 30s';

interface ResolveInput extends Sources {
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
  const selection = resolve(input);
  checkTransport(selection);
  const { env, known, url, profile, environment } = selection;
  const names = listNamesOf(selection);
  const patience = first([env.PROC_PATIENCE, 'PROC_PATIENCE']);
  const concurrency = settingOf('concurrency', selection);
  return {
    profile,
    environment,
    baseUrl: url.value.href,
    ...(await credentialOf(selection, input)),
    readOnly: readOnlyOf(selection),
    isProtected: known?.settings.protected ?? !url.value.isLoopback,
    settleMs: parsed(settingOf('settle', selection), readTimeLimit, TIME),
    concurrency: parsed(concurrency, parseConcurrency, 'a number from 1 to 256'),
    patienceMs: parsed(patience, readTimeLimit, TIME),
    authorities: settingOf('caFile', selection),
    dialect: (noun) => dialectFor(names, noun),
  };
}

/** Needs no key. If no target can be selected, nothing can be sent anyway. */
export function readOnlyTarget(
  sources: Sources,
): Pick<KeyedTarget, 'readOnly'> & Partial<Pick<KeyedTarget, 'profile' | 'environment'>> {
  try {
    const selection = resolve(sources);
    const { profile, environment } = selection;
    return { readOnly: readOnlyOf(selection), profile, environment };
  } catch (thrown) {
    if (thrown instanceof ProcError) return { readOnly: undefined };
    throw thrown;
  }
}

/** The setting holds for every address to which its environment is sent. */
function readOnlyOf({ env, known }: Selection): KeyedTarget['readOnly'] {
  if (isOn(env.PROC_READ_ONLY)) return 'PROC_READ_ONLY';
  return known?.settings.readOnly === true ? 'setting' : undefined;
}

/** Plain http exposes the key on the network. It is allowed for loopback, or with `allowHttp`. */
export function checkTransport({
  url: { value: url },
  known,
}: Pick<Selection, 'known'> & { readonly url: Pick<From<BaseUrl>, 'value'> }): void {
  if (!url.isPlainHttp || url.isLoopback || known?.settings.allowHttp === true) return;
  const message = `plain http to ${url.origin} would send the key unencrypted`;
  const allow = setCommand(known, 'allowHttp=true');
  throw new ProcError('insecure_url', message, {
    hint: `Use https, or allow http for a profile with this address: ${allow}`,
  });
}

/** `PROC_LIST_NAMES` replaces all list names of the environment. */
export function listNamesOf(selection: Selection): DialectSettings & { readonly text: string } {
  const found = settingOf('listNames', selection);
  if (found === undefined) return { all: DEFAULT_DIALECT, byNoun: {}, text: '' };
  return { ...parseDialect(found.value, found.place), text: found.value };
}

/** A credential for the selected address. A `credentialCommand` has not run yet. */
type FoundCredential = Credential | { readonly scheme: Scheme; readonly argv: readonly string[] };

/**
 * Where the key comes from. One from a variable wins over a stored one, which is sent only to the origin for which
 * it was saved.
 *
 * @throws ProcError `invalid_setting`, `credential_origin`, `no_credential`
 */
export function findCredential(selection: Selection): From<FoundCredential> {
  const given = fromVariables(selection.env);
  if (given !== undefined) return given;
  const { known, url } = selection;
  const { scheme = 'api-key', credential, credentialCommand: command } = known?.settings ?? {};
  const bound = credential ?? command;
  if (known === undefined || bound === undefined) throw noCredential(selection);
  const place = placeOf(known);
  const at = `-p ${typedPlace(known)}`;
  if (credential !== undefined && command !== undefined) {
    const message = `${place} has both a stored key and a credentialCommand`;
    throw new ProcError('invalid_setting', message, {
      hint: `Remove the stored one: proc auth logout ${at}`,
    });
  }
  const { origin } = url.value;
  if (bound.origin !== origin) {
    const message = `the credential of ${place} belongs to ${bound.origin} and is not sent to ${origin}`;
    const again =
      command === undefined
        ? `proc auth login ${at}`
        : setCommand(known, `credentialCommand=${JSON.stringify(command.argv)}`);
    throw new ProcError('credential_origin', message, { hint: `For the new address: ${again}` });
  }
  if (command !== undefined) return { value: { scheme, argv: command.argv }, place };
  const secret = new Secret(cleanSecret(credential!.secret, scheme, place));
  return { value: { scheme, secret }, place };
}

/** How a credential is shown: `api-key sha256:1a2b3c4d`, `command pass`. */
export function shownCredential(found: FoundCredential): string {
  if ('argv' in found) return `command ${found.argv[0]}`;
  return `${found.scheme} ${found.secret.fingerprint}`;
}

function fromVariables(env: Env): From<Credential> | undefined {
  const [apiKey, token] = (
    [
      ['PROC_API_KEY', 'api-key'],
      ['PROC_TOKEN', 'bearer'],
    ] as const
  ).map(([place, scheme]) => {
    const secret = cleanSecret(env[place] ?? '', scheme, place);
    return secret === '' ? undefined : { value: { scheme, secret: new Secret(secret) }, place };
  });
  if (apiKey !== undefined && token !== undefined) {
    throw new ProcError('invalid_setting', 'PROC_API_KEY and PROC_TOKEN are both set', {
      hint: 'Unset one of them: a request uses an API key or a token, not both',
    });
  }
  return apiKey ?? token;
}

async function credentialOf(
  selection: Selection,
  { needCredential, say }: ResolveInput,
): Promise<Pick<KeyedTarget, 'credential' | 'credentialProfile' | 'keyVariable'>> {
  const { env, known } = selection;
  let found: From<FoundCredential>;
  try {
    found = findCredential(selection);
  } catch (thrown) {
    if (needCredential || !(thrown instanceof ProcError)) throw thrown;
    return { credential: undefined, credentialProfile: undefined };
  }
  const { value, place } = found;
  let credential: Credential | undefined;
  if (!('argv' in value)) credential = value;
  // A preview runs no `credentialCommand`, because it may ask for a passphrase.
  else if (needCredential) {
    const { argv, scheme } = value;
    const secret = new Secret(await runCredentialCommand(argv, scheme, env));
    credential = { scheme, secret };
  }
  const own = known && placeOf(known);
  const stored = known?.settings.credential?.secret;
  const isStored = stored !== undefined && stored === credential?.secret.reveal();
  if (stored !== undefined && !isStored) {
    say?.({ kind: 'warning', text: `using ${place} instead of the key stored for ${own}` });
  }
  // A key from a variable belongs to the selected profile only if the environment stores the same key.
  const isOwn = isStored || place === own;
  const credentialProfile = isOwn ? selection.profile : undefined;
  return { credential, credentialProfile, keyVariable: place === own ? undefined : place };
}

const MAX_OUTPUT = 64 * 1024;

/**
 * Runs a program that prints a secret: without a shell, and within a time limit. Its stderr is never shown, because it
 * may have secrets in any form.
 *
 * @throws ProcError `credential_command`
 */
export async function runCredentialCommand(
  argv: readonly string[],
  scheme: Scheme,
  env: Env,
  limitMs = 10_000,
): Promise<string> {
  const where = `credentialCommand "${argv[0]!}"`;
  const { execa } = await import('execa');
  const running = execa(argv[0]!, argv.slice(1), {
    // Not the standard input of proc, which may be the source of an import.
    ...{ stdin: 'ignore', stderr: 'ignore', env, extendEnv: false, reject: false },
    ...{ timeout: limitMs, killSignal: 'SIGKILL', maxBuffer: MAX_OUTPUT },
  });
  // What it has started may hold its output for longer.
  const limit = setTimeout(() => running.stdout.destroy(), limitMs);
  const ran = await running;
  clearTimeout(limit);
  // The library adds the command with its arguments, which may be secret.
  const problem = ran.failed ? ran.shortMessage!.split(':')[0] : undefined;
  const secret = problem ? '' : cleanSecret(ran.stdout, scheme, where, 'credential_command');
  if (secret !== '') return secret;
  throw new ProcError('credential_command', `${where}: ${problem ?? 'it printed nothing'}`, {
    hint: `Run it yourself to see why: ${argv.join(' ')}`,
  });
}

function noCredential({ known, url }: Selection): ProcError {
  const [says, hint] =
    known !== undefined
      ? [`stored for ${placeOf(known)}`, `Store it: proc auth login -p ${typedPlace(known)}`]
      : [
          `set for ${url.value.origin}`,
          'Set PROC_API_KEY or PROC_TOKEN, or add a profile: proc profile add NAME -e ENV --base-url URL --api-key-stdin',
        ];
  return new ProcError('no_credential', `no key is ${says}`, {
    hint: `Your organization gets a key from the service's support team. ${hint}`,
  });
}

function setCommand(owner: KnownEnvironment | undefined, pair: string): string {
  if (owner === undefined) return `proc profile set NAME -e ENV ${inShell(pair)}`;
  return `proc profile set ${typedPlace(owner)} ${inShell(pair)}`;
}
