import type { Env } from '../core/ports.ts';
import { Scope, serviceOf } from '../core/scope.ts';
import { keyFingerprint } from '../history/key-fingerprint.ts';
import { SANDBOX_ENVIRONMENT, SANDBOX_PROFILE, sandboxUrl } from '../settings/read/built-in.ts';
import { configFile } from '../settings/read/paths.ts';
import { readRegularFile } from '../store/regular-file.ts';
import { keyNames } from './stored.ts';

export interface Profiles {
  readonly profile?: unknown;
  readonly profiles?: Readonly<Record<string, Profile | undefined>> | undefined;
}

interface Profile {
  readonly environments?: Readonly<Record<string, { readonly baseUrl?: unknown } | undefined>>;
  readonly defaultEnvironment?: unknown;
}

/** Reads the settings without validation: completion must be fast and may be wrong. */
export function readProfiles(env: Env): Profiles {
  return readObject(configFile(env)) ?? {};
}

export function profileIn(words: readonly string[], env: Env, all: Profiles): string {
  const named = flagIn(words, '--profile', '-p') || env.PROC_PROFILE;
  return textOf(named) ?? textOf(all.profile) ?? SANDBOX_PROFILE;
}

function baseUrlIn(words: readonly string[], env: Env): string | undefined {
  if (env.PROC_BASE_URL) return env.PROC_BASE_URL;
  const all = readProfiles(env);
  const profile = profileIn(words, env, all);
  if (profile === SANDBOX_PROFILE) return sandboxUrl(env).href;
  const { environments = {}, defaultEnvironment } = all.profiles?.[profile] ?? {};
  const named = flagIn(words, '--env', '-e') || env.PROC_ENV;
  const names = Object.keys(environments);
  const environment =
    textOf(named) ?? textOf(defaultEnvironment) ?? (names.length === 1 ? names[0] : undefined);
  return environment === undefined ? undefined : textOf(environments[environment]?.baseUrl);
}

/** @returns undefined if the base URL is not known */
export function scopeIn(words: readonly string[], env: Env): Scope | undefined {
  const baseUrl = baseUrlIn(words, env);
  if (baseUrl === undefined) return undefined;
  const named = flagIn(words, '--organization') || env.PROC_ORGANIZATION || undefined;
  const secret = env.PROC_API_KEY?.trim() || env.PROC_TOKEN?.trim();
  if (!secret) {
    const profile = profileIn(words, env, readProfiles(env));
    return new Scope({ baseUrl, organization: named ?? profile });
  }
  const names = keyNames(env, serviceOf(baseUrl), (salt) => keyFingerprint(salt, secret));
  return new Scope({ baseUrl, organization: named ?? names[0] }, { names });
}

export function environmentsOf(profile: string, all: Profiles): readonly string[] {
  if (profile === SANDBOX_PROFILE) return [SANDBOX_ENVIRONMENT];
  return Object.keys(all.profiles?.[profile]?.environments ?? {});
}

/** The value of a flag among words, in any form: `--env x`, `--env=x`, `-e x`, `-ex`. */
function flagIn(words: readonly string[], long: string, short?: string): string | undefined {
  for (const [index, word] of words.entries()) {
    if (word === long || word === short) return words[index + 1];
    if (word.startsWith(`${long}=`)) return word.slice(long.length + 1);
    if (short !== undefined && word.startsWith(short) && !word.startsWith('--'))
      return word.slice(short.length);
  }
  return undefined;
}

function readObject(path: string): object | undefined {
  try {
    const value: unknown = JSON.parse(readRegularFile(path).text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
