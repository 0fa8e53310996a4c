import { describe, expect, it } from 'vitest';
import { type Asked, errorOf, freshWorld, targetOf, type World, withKey } from './world.ts';

const A = 'https://a.example/api/v1';
const B = 'https://b.example/api/v1';
const LOOPBACK = 'http://127.0.0.1:5999/api/v1';

/** `acme` has two environments on one host and a third on another host. `bare` has no key. */
function world(current?: string): World {
  const fresh = freshWorld();
  fresh.config({
    ...(current === undefined ? {} : { profile: current }),
    profiles: {
      acme: {
        defaultEnvironment: 'production',
        environments: { production: withKey(A, 'stored-a'), staging: withKey(B, 'stored-b') },
      },
      bare: { environments: { production: { baseUrl: A } } },
      moved: { environments: { production: { ...withKey(A, 'stored-m'), baseUrl: B } } },
    },
  });
  return fresh;
}

const KEY = { PROC_API_KEY: 'canary-key' };

describe('which credential is sent where', () => {
  it.each<[string, string | undefined, Asked, string, string]>([
    // title, current profile, flags and variables, secret, base URL
    ['stored, by flag', undefined, { profile: 'acme' }, 'stored-a', A],
    ['stored, other environment', undefined, { profile: 'acme', env: 'staging' }, 'stored-b', B],
    ['stored, by profile use', 'acme', {}, 'stored-a', A],
    [
      'stored, PROC_BASE_URL on the same origin',
      'acme',
      { variables: { PROC_BASE_URL: 'https://a.example/other/api/v1/' } },
      'stored-a',
      'https://a.example/other/api/v1',
    ],
    [
      'variable wins over stored, by flag',
      undefined,
      { profile: 'acme', variables: KEY },
      'canary-key',
      A,
    ],
    [
      'variable wins over stored, by variable',
      undefined,
      { variables: { ...KEY, PROC_PROFILE: 'acme' } },
      'canary-key',
      A,
    ],
    ['variable wins over stored, by profile use', 'acme', { variables: KEY }, 'canary-key', A],
    ['variable, no key stored', 'bare', { variables: KEY }, 'canary-key', A],
    [
      'variable to PROC_BASE_URL',
      undefined,
      { variables: { ...KEY, PROC_BASE_URL: B } },
      'canary-key',
      B,
    ],
    [
      'variable to PROC_BASE_URL beside a current profile',
      'acme',
      { variables: { ...KEY, PROC_BASE_URL: B } },
      'canary-key',
      B,
    ],
    [
      'a line break at the end is no part of it',
      'bare',
      { variables: { PROC_API_KEY: 'canary-key\r\n' } },
      'canary-key',
      A,
    ],
  ])('%s', async (_title, current, asked, secret, baseUrl) => {
    const w = world(current);
    const target = await targetOf(w, asked);
    expect(target.credential?.secret.reveal()).toBe(secret);
    expect(target.baseUrl).toBe(baseUrl);
  });

  it.each<[string, string | undefined, Asked, string]>([
    [
      'stored, PROC_BASE_URL elsewhere',
      'acme',
      { variables: { PROC_BASE_URL: B } },
      'no_credential',
    ],
    [
      'stored, PROC_BASE_URL elsewhere, by flag',
      undefined,
      { profile: 'acme', variables: { PROC_BASE_URL: B } },
      'invalid_setting',
    ],
    [
      'stored, PROC_BASE_URL on another port',
      'acme',
      { variables: { PROC_BASE_URL: 'https://a.example:444/api/v1' } },
      'no_credential',
    ],
    [
      'stored, PROC_BASE_URL on loopback',
      'acme',
      { variables: { PROC_BASE_URL: LOOPBACK } },
      'no_credential',
    ],
    ['stored before base-url changed', 'moved', {}, 'credential_origin'],
    ['variable, nothing chosen', undefined, { variables: KEY }, 'no_target'],
    ['token, nothing chosen', undefined, { variables: { PROC_TOKEN: 'canary-key' } }, 'no_target'],
    [
      'API key and token',
      'acme',
      { variables: { ...KEY, PROC_TOKEN: 'canary-key-2' } },
      'invalid_setting',
    ],
    ['no key stored', 'bare', {}, 'no_credential'],
    [
      'PROC_BASE_URL without any key',
      undefined,
      { variables: { PROC_BASE_URL: A } },
      'no_credential',
    ],
    [
      'two lines',
      'bare',
      { variables: { PROC_API_KEY: 'canary-key\ncanary-key-2' } },
      'invalid_setting',
    ],
    [
      'control character',
      'bare',
      { variables: { PROC_API_KEY: 'canary-key\u0007' } },
      'invalid_setting',
    ],
    ['not Latin-1', 'bare', { variables: { PROC_API_KEY: 'canary-key\u20ac' } }, 'invalid_setting'],
    [
      '"Bearer" in a token',
      'bare',
      { variables: { PROC_TOKEN: 'Bearer canary-key' } },
      'invalid_setting',
    ],
  ])('refused: %s', async (_title, current, asked, code) => {
    const w = world(current);
    const error = await errorOf(() => targetOf(w, asked));
    expect(error).toMatchObject({ code, exitCode: 3 });
    expect(error.hint).toBeDefined();
    const shown = JSON.stringify([error.message, error.hint, error.details]);
    expect(shown).not.toMatch(/canary|stored-/);
    if (!['invalid_setting', 'invalid_setting', 'no_target'].includes(code)) {
      const unneeded = await targetOf(w, { ...asked, needCredential: false });
      expect(unneeded.credential).toBeUndefined();
    }
  });

  it('proc says if a variable replaces a stored key', async () => {
    const said: never[] = [];
    await targetOf(world('acme'), { variables: KEY, said });
    expect(said).toEqual([
      { kind: 'warning', text: 'using PROC_API_KEY instead of the key stored for acme/production' },
    ]);
  });

  it('a URL alone has no profile, and the environment only as a label for CI', async () => {
    const variables = { ...KEY, PROC_BASE_URL: B, PROC_ENV: 'production' };
    for (const current of [undefined, 'acme', 'bare']) {
      expect(await targetOf(world(current), { variables })).toMatchObject({
        profile: undefined,
        environment: 'production',
        baseUrl: B,
        isProtected: true,
      });
    }
  });
});
