import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { run } from './running.ts';
import { errorOf, freshWorld, targetOf, type World, withKey } from './world.ts';

const A = 'https://a.example/api/v1';

function world(): World {
  const w = freshWorld();
  const environments = { production: { baseUrl: A }, staging: { baseUrl: A } };
  w.config({
    profile: 'acme',
    profiles: {
      acme: { environments, defaultEnvironment: 'production' },
      other: { environments: { production: withKey(A, 'canary-other') } },
    },
  });
  return w;
}

describe('auth login and logout', () => {
  it('stores a piped key for the environment, whatever PROC_BASE_URL says', async () => {
    const w = world();
    const variables = { PROC_BASE_URL: 'https://evil.example' };
    const { data, shown } = await run(w, 'auth login', {
      flags: { apiKeyStdin: true },
      stdin: 'canary-key\n',
      variables,
    });
    expect(data).toMatchObject({
      profile: 'acme',
      environment: 'production',
      origin: 'https://a.example',
    });
    expect(shown).not.toContain('canary');
    const { credential } = await targetOf(w);
    expect(credential?.scheme).toBe('api-key');
    expect(credential?.secret.reveal()).toBe('canary-key');
    expect((await run(w, 'auth logout')).data).toMatchObject({ removed: true });
    expect((await run(w, 'auth logout')).data).toMatchObject({ removed: false });
    expect((await errorOf(() => targetOf(w))).code).toBe('no_credential');
  });

  it('stores a token', async () => {
    const w = world();
    await run(w, 'auth login', {
      flags: { tokenStdin: true },
      stdin: 'ey.canary.x',
      env: 'staging',
    });
    expect((await targetOf(w, { env: 'staging' })).credential?.scheme).toBe('bearer');
  });

  it('asks at a hidden prompt that names profile and address; a wrong key can be typed again', async () => {
    const w = world();
    const answers = ['canary-\u20ac', 'canary-key'];
    const { questions, said, shown } = await run(w, 'auth login', { answers });
    expect(questions[0]).toBe('API key of acme/production, for https://a.example (hidden)');
    expect(said.map(({ text }) => text)).toEqual([
      expect.stringContaining('cannot contain'),
      expect.stringContaining('stored for acme/production'),
    ]);
    expect(shown).not.toContain('canary');
    expect((await targetOf(w)).credential?.secret.reveal()).toBe('canary-key');
  });

  it('an empty input stores nothing', async () => {
    const w = world();
    const before = readFileSync(w.configFile, 'utf8');
    await run(w, 'auth login', { answers: [''] });
    expect(readFileSync(w.configFile, 'utf8')).toBe(before);
  });

  it('refuses to ask without a terminal', async () => {
    const w = world();
    const nobody = await errorOf(() => run(w, 'auth login', { profile: 'other' }));
    expect(nobody).toMatchObject({ exitCode: 2 });
    expect(nobody.hint).toContain('proc auth login --api-key-stdin');
  });
});
