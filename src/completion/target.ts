import { configFile } from '../config/paths.ts';
import type { Env } from '../core/ports.ts';
import { readRegularFile } from '../store/regular-file.ts';

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

export function profileIn(words: readonly string[], env: Env, all: Profiles): string | undefined {
  const named = flagIn(words, '--profile', '-p') || env.PROC_PROFILE;
  return textOf(named) ?? textOf(all.profile);
}

export function environmentsOf(profile: string | undefined, all: Profiles): readonly string[] {
  if (profile === undefined) return [];
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
