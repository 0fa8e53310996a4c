import { describe, expect, it } from 'vitest';
import { errorOf, freshWorld, targetOf, withKey } from './world.ts';

const B = 'https://b.example/api/v1';
const KEY = { PROC_API_KEY: 'canary-key' };

describe('protection and plain http', () => {
  it.each([
    ['https://a.example', {}, true],
    ['https://a.example', { protected: false }, false],
    ['http://127.0.0.1:1', {}, false],
    ['http://127.0.0.1:1', { protected: true }, true],
  ])('%s %j: protected %s', async (baseUrl, marks, isProtected) => {
    const w = freshWorld();
    w.config({
      profile: 'p',
      profiles: { p: { environments: { e: { ...withKey(baseUrl, 'k'), ...marks } } } },
    });
    expect((await targetOf(w)).isProtected).toBe(isProtected);
  });

  it('a setting applies to the address for which it was made', async () => {
    const w = freshWorld();
    const environment = { ...withKey('http://a.example', 'k'), protected: false, allowHttp: true };
    w.config({ profile: 'p', profiles: { p: { environments: { e: environment } } } });
    expect(await targetOf(w)).toMatchObject({ isProtected: false });
    const variables = { ...KEY, PROC_BASE_URL: B };
    expect(await targetOf(w, { variables })).toMatchObject({ isProtected: true });
  });

  it.each([
    ['http://a.example', {}],
    ['http://a.example', { allowHttp: false }],
    ['http://127.0.0.1.evil.example', {}],
    ['http://10.0.0.1', {}],
  ])('refused: %s %j', async (baseUrl, marks) => {
    const w = freshWorld();
    w.config({
      profile: 'p',
      profiles: { p: { environments: { e: { ...withKey(baseUrl, 'k'), ...marks } } } },
    });
    for (const needCredential of [true, false]) {
      const error = await errorOf(() => targetOf(w, { needCredential }));
      expect(error).toMatchObject({ code: 'insecure_url', exitCode: 3 });
      expect(error.hint).toContain('proc profile set p -e e allowHttp=true');
    }
    const variables = { PROC_BASE_URL: baseUrl, ...KEY };
    expect((await errorOf(() => targetOf(freshWorld(), { variables }))).code).toBe('insecure_url');
  });
});
