import { describe, expect, it } from 'vitest';
import type { EnvironmentSettings } from '../../../src/settings/keys.ts';
import { errorOf, freshWorld, targetOf, type World, withKey } from './world.ts';

const A = 'https://a.example/api/v1';
const B = 'https://b.example/api/v1';

function worldWith(environments: Record<string, EnvironmentSettings>, usual = 'e'): World {
  const w = freshWorld();
  w.config({ profile: 'p', profiles: { p: { environments, defaultEnvironment: usual } } });
  return w;
}

const at = (baseUrl: string, access?: 'read' | 'stage' | 'write'): EnvironmentSettings => ({
  ...withKey(baseUrl, 'k'),
  ...(access === undefined ? {} : { access }),
});

describe('the access level', () => {
  it.each([
    [undefined, undefined, 'write', ''],
    ['write', '', 'write', 'p/e'],
    ['stage', '0', 'stage', 'p/e'],
    ['read', 'false', 'read', 'p/e'],
    [undefined, '1', 'read', 'PROC_READ_ONLY'],
    ['write', 'true', 'read', 'PROC_READ_ONLY'],
    ['stage', 'on', 'read', 'PROC_READ_ONLY'],
    ['read', '1', 'read', 'p/e'],
  ] as const)('access=%s, PROC_READ_ONLY=%s: %s', async (setting, PROC_READ_ONLY, level, place) => {
    const w = worldWith({ e: at(A, setting) });
    const { access } = await targetOf(w, { variables: { PROC_READ_ONLY } });
    expect(access).toMatchObject({ level, place });
  });

  it('PROC_READ_ONLY applies without any profile', async () => {
    const variables = { PROC_BASE_URL: B, PROC_API_KEY: 'k', PROC_READ_ONLY: '1' };
    expect((await targetOf(freshWorld(), { variables })).access.level).toBe('read');
  });

  it('applies to another address too if the user named the environment', async () => {
    const w = worldWith({ e: at(A, 'read') });
    const variables = { PROC_BASE_URL: B, PROC_API_KEY: 'k' };
    expect((await targetOf(w, { profile: 'p', env: 'e', variables })).access.level).toBe('read');
    expect((await targetOf(w, { variables })).access.level).toBe('write');
  });

  it.each([
    ['https://a.example/api/v1', 'https://A.EXAMPLE:443/api/v1/'],
    ['https://a.example/api/v1', 'https://a.example./other'],
    ['http://127.0.0.1:4011/api/v1', 'http://localhost:4011/api/v1'],
    ['http://localhost:4011/api/v1', 'http://[::1]:4011/api/v1'],
    ['http://[::1]:4011/api/v1', 'http://127.9.9.9:4011/api/v1'],
    ['http://127.0.0.1:4011/api/v1', 'http://LOCALHOST.:4011/api/v1'],
    ['http://127.0.0.1:4011/api/v1', 'http://[::ffff:127.0.0.1]:4011/api/v1'],
    ['http://127.0.0.1:4011/api/v1', 'http://0.0.0.0:4011/api/v1'],
  ])('of %s applies to the same address as %s', async (baseUrl, PROC_BASE_URL) => {
    const rule = { access: 'stage', allowHttp: true } as const;
    const w = worldWith({ e: { ...at(baseUrl), ...rule }, other: at(B) });
    const other = freshWorld();
    const lab = at('https://lab.example/api/v1');
    const p = { environments: { lab } };
    other.config({
      profile: 'p',
      profiles: { p, q: { environments: { e: { ...at(baseUrl), ...rule } } } },
    });
    const variables = { PROC_BASE_URL, PROC_API_KEY: 'k' };
    const readable = !/LOCALHOST\.|::ffff|0\.0\.0\.0/.test(PROC_BASE_URL);
    // The rules of `e` always apply to its address: even if another environment is named, or another profile is
    // current.
    for (const [world, asked] of [
      [w, {}],
      [w, { env: 'nosuch' }],
      [other, {}],
      [other, { profile: 'p' }],
    ] as const) {
      const target = targetOf(world, { ...asked, variables });
      if (readable) {
        expect(await target).toMatchObject({
          access: { level: 'stage', place: expect.stringMatching(/^[pq].e$/) },
        });
      } else expect((await errorOf(() => target)).code).toBe('insecure_url');
    }
  });

  it('of another port or name does not apply', async () => {
    const w = worldWith({ e: at('https://a.example:8443/api/v1', 'read') });
    for (const PROC_BASE_URL of [A, 'https://www.a.example:8443/api/v1']) {
      const variables = { PROC_BASE_URL, PROC_API_KEY: 'k' };
      expect((await targetOf(w, { variables })).access.level).toBe('write');
    }
  });

  it('an unknown level in the configuration is an error, not full access', async () => {
    const w = worldWith({ e: { ...at(A), access: 'none' as 'read' } });
    const error = await errorOf(() => targetOf(w));
    expect(error).toMatchObject({ code: 'config_unreadable', exitCode: 3 });
    expect(error.message).toContain('must be one of read, stage, write');
  });
});
