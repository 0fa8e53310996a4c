import { Scope, serviceOf } from '../client/scope.ts';
import type { Env } from '../core/ports.ts';
import { keyFingerprint } from '../history/key-fingerprint.ts';
import { baseUrlIn, flagIn, profileIn, readProfiles } from './place.ts';
import { keyNames } from './stored.ts';

/** The service and organization that the words of a command line mean; undefined if unclear. */
export function scopeIn(words: readonly string[], env: Env, cwd: string): Scope | undefined {
  const baseUrl = baseUrlIn(words, env, cwd);
  if (baseUrl === undefined) return undefined;
  const named = flagIn(words, '--organization') || env.PROC_ORGANIZATION || undefined;
  const secret = env.PROC_API_KEY?.trim() || env.PROC_TOKEN?.trim();
  if (!secret) {
    const profile = profileIn(words, env, cwd, readProfiles(env));
    return new Scope({ baseUrl, organization: named ?? profile });
  }
  const names = keyNames(env, serviceOf(baseUrl), (salt) => keyFingerprint(salt, secret));
  return new Scope({ baseUrl, organization: named ?? names[0] }, { names });
}
