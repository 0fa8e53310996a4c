import { ProcError } from '../core/errors.ts';
import type { GlobalFlags } from '../core/global-flags.ts';
import type { Env } from '../core/ports.ts';
import { inShell } from '../core/text/typed.ts';
import { type BaseUrl, parseBaseUrl } from './base-url.ts';
import type { Config, EnvironmentSettings } from './keys.ts';
import { environmentNames, environmentNotFound, hasProfile, profileNotFound } from './names.ts';
import { configFile } from './paths.ts';

/** Where a value comes from, in the order of precedence. */
export type OriginKind = 'flag' | 'variable' | 'config' | 'profile' | 'default';

export interface Sourced<T> {
  readonly value: T;
  readonly origin: OriginKind;
  /** The exact place: `--profile`, `PROC_PROFILE`, a path, `acme/production`; empty for defaults. */
  readonly place: string;
}

export function sourced<T>(value: T, origin: OriginKind, place = ''): Sourced<T> {
  return { value, origin, place };
}

/**
 * The first candidate with a value. An empty variable counts as unset. An empty flag counts as set:
 * `-p "$UNSET"` must not select another target.
 */
export function first(
  ...candidates: readonly (readonly [string | undefined, OriginKind, string])[]
): Sourced<string> | undefined {
  for (const [value, origin, place] of candidates) {
    if (value === undefined || (value === '' && origin !== 'flag')) continue;
    return sourced(value, origin, place);
  }
  return undefined;
}

export type TargetFlags = Partial<Pick<GlobalFlags, 'profile' | 'env'>>;

export interface Sources {
  readonly flags: TargetFlags;
  readonly env: Env;
  readonly config: Config;
}

export interface KnownEnvironment {
  readonly profile: string;
  readonly environment: string;
  readonly url: BaseUrl;
  readonly settings: EnvironmentSettings;
}

export interface Selection {
  /** Undefined if only `PROC_BASE_URL` selects the target. */
  readonly profile: Sourced<string> | undefined;
  readonly environment: Sourced<string> | undefined;
  readonly url: Sourced<BaseUrl>;
  /** The selected environment. Undefined if only `PROC_BASE_URL` selects the target. */
  readonly known: KnownEnvironment | undefined;
  /**
   * The environment that `PROC_BASE_URL` replaces. Errors say why its stored credential is not
   * sent.
   */
  readonly passedOver: KnownEnvironment | undefined;
}

/**
 * Precedence: flag, variable, current profile.
 *
 * `PROC_BASE_URL` replaces the address of the environment. If {@link describes} is false for the new address,
 * the environment becomes `passedOver`, unless a flag or variable names its profile.
 *
 * @throws ProcError `no_target`, `profile_not_found`, `environment_not_found`, `invalid_setting`
 */
export function select(sources: Sources): Selection {
  const profile = wantedProfile(sources);
  const isNamed = profile?.origin === 'flag' || profile?.origin === 'variable';
  const typedUrl = sources.env.PROC_BASE_URL || undefined;
  const url = typedUrl === undefined ? undefined : parseBaseUrl(typedUrl, 'PROC_BASE_URL');
  const wanted = wantedEnvironment(sources);
  if (profile === undefined && url === undefined) throw noTarget();
  const found = profile && findEnvironment(sources, profile, wanted, url !== undefined && !isNamed);
  const known = found?.known;

  if (url === undefined) {
    // Without a URL, findEnvironment throws if there is no environment.
    const place = `${known!.profile}/${known!.environment}`;
    const from = sourced(known!.url, 'profile', place);
    return { profile, environment: found!.environment, url: from, known, passedOver: undefined };
  }
  const from = sourced(url, 'variable', 'PROC_BASE_URL');
  if (known !== undefined && (isNamed || describes(known, url))) {
    return { profile, environment: found!.environment, url: from, known, passedOver: undefined };
  }
  // The environment is only a name here and need not exist. Scripts name it with `-e` to write to a
  // protected target.
  return {
    profile: undefined,
    environment: wanted,
    url: from,
    known: undefined,
    passedOver: known,
  };
}

/** Whether the settings and the credential of an environment apply to an address. */
export function describes(known: KnownEnvironment, url: BaseUrl): boolean {
  return known.url.origin === url.origin;
}

function wantedProfile({ flags, env, config }: Sources): Sourced<string> | undefined {
  const wanted = first(
    [flags.profile, 'flag', '--profile'],
    [env.PROC_PROFILE, 'variable', 'PROC_PROFILE'],
    [config.profile, 'config', configFile(env)],
  );
  return wanted && { ...wanted, value: wanted.value.normalize('NFC') };
}

function noTarget(): ProcError {
  return new ProcError('no_target', 'no service is selected', {
    hint: 'Set up a profile: proc setup. To try proc with sample data: proc sandbox exec',
  });
}

function wantedEnvironment(sources: Sources): Sourced<string> | undefined {
  const { flags, env } = sources;
  return first([flags.env, 'flag', '--env'], [env.PROC_ENV, 'variable', 'PROC_ENV']);
}

/** @param mayMiss return undefined instead of an error if the profile has no such environment. */
function findEnvironment(
  { config, env }: Sources,
  profile: Sourced<string>,
  wanted: Sourced<string> | undefined,
  mayMiss: boolean,
): { known: KnownEnvironment; environment: Sourced<string> } | undefined {
  const name = profile.value;
  if (!hasProfile(config, name)) throw profileNotFound(config, name, profile.place);
  const names = environmentNames(config, name);
  const environment = wanted ?? defaultEnvironment(config, name, names);
  if (environment === undefined) {
    if (mayMiss) return undefined;
    throw new ProcError(
      'environment_not_found',
      names.length === 0
        ? `profile "${name}" has no environment`
        : `profile "${name}" has several environments and none is selected: ${names.join(', ')}`,
      {
        hint:
          names.length === 0
            ? `Add one: proc profile add ${inShell(name)} -e NAME --base-url URL`
            : `Select one with -e, or set the default: proc profile use ${inShell(name)} -e ${inShell(names[0]!)}`,
        details: { profile: name, known: names },
      },
    );
  }
  const key = environment.value.normalize('NFC');
  if (!names.includes(key)) {
    if (mayMiss) return undefined;
    throw environmentNotFound(config, name, key, environment.place);
  }
  const settings = config.profiles![name]!.environments[key]!;
  const url = parseBaseUrl(settings.baseUrl, `${configFile(env)}: baseUrl of ${name}/${key}`);
  return {
    known: { profile: name, environment: key, url, settings },
    environment: { ...environment, value: key },
  };
}

function defaultEnvironment(
  config: Config,
  profile: string,
  names: readonly string[],
): Sourced<string> | undefined {
  const chosen = config.profiles?.[profile]?.defaultEnvironment;
  if (chosen !== undefined) return sourced(chosen, 'profile', profile);
  return names.length === 1 ? sourced(names[0]!, 'profile', profile) : undefined;
}
