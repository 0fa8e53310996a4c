import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../../src/core/secret.ts';
import { run } from './running.ts';
import { errorOf, freshWorld, targetOf, type World, withKey } from './world.ts';

const A = 'https://a.example/api/v1';
const B = 'https://b.example/api/v1';
const added = (name: string, env: string, baseUrl = A, secret?: string) => ({
  args: { name },
  env,
  flags: { baseUrl, apiKeyStdin: secret !== undefined },
  ...(secret === undefined ? {} : { stdin: `${secret}\n` }),
});
const stored = (w: World) => JSON.parse(readFileSync(w.configFile, 'utf8'));
const texts = (said: readonly { text: string }[]) => said.map(({ text }) => text).join('\n');

describe('profile add', () => {
  it('adds a profile with a piped key; the first one becomes current', async () => {
    const w = freshWorld();
    const { data, said, shown } = await run(
      w,
      'profile add',
      added('acme.com', 'production', `${A}/`, 'canary-key'),
    );
    expect(data).toMatchObject({
      profile: 'acme.com',
      environment: 'production',
      baseUrl: A,
      credential: `api-key ${new Secret('canary-key').fingerprint} for https://a.example`,
      protected: true,
    });
    expect(texts(said)).toContain('"acme.com" is now the current profile');
    expect(shown).not.toContain('canary');
    expect((await targetOf(w)).credential?.secret.reveal()).toBe('canary-key');
    await run(w, 'profile add', added('other', 'production', B));
    expect(stored(w).profile).toBe('acme.com');
  });

  it('adds a second environment to a profile, but never replaces one', async () => {
    const w = freshWorld();
    await run(w, 'profile add', added('acme', 'production', A, 'canary-key'));
    await run(w, 'profile add', added('acme', 'staging', B, 'canary-key'));
    const error = await errorOf(() => run(w, 'profile add', added('acme', 'production', B)));
    expect(error).toMatchObject({ code: 'invalid_usage', exitCode: 2 });
    expect(error.hint).toContain('proc profile set acme -e production');
    expect(stored(w).profiles.acme.environments.production.baseUrl).toBe(A);
  });

  it.each([
    [{ args: { name: 'acme' }, flags: { baseUrl: A } }, 'missing environment'],
    [added('a b', 'x'), '"a b"'],
    [added('acme', 'x', 'a.example'), '--base-url'],
    [added('acme', 'x', A, ''), 'empty'],
    [added('acme', 'x', A, 'canary-key\ncanary'), 'more than one line'],
    [
      {
        ...added('acme', 'x', A, 'canary-key'),
        flags: { baseUrl: A, apiKeyStdin: true, tokenStdin: true },
      },
      'cannot be combined',
    ],
    [{ ...added('acme', 'x', A, 'canary-key'), answers: [] }, 'terminal'],
  ])('refuses %j', async (given, problem) => {
    const w = freshWorld();
    const error = await errorOf(() => run(w, 'profile add', given));
    expect(error).toMatchObject({ exitCode: 2 });
    expect(error.message).toContain(problem);
    expect(error).toMatchObject({ shown: expect.not.stringContaining('canary') });
    expect((await run(w, 'profile list')).data).toEqual([]);
  });
});

describe('profile use, set, show, list, remove', () => {
  const two = () => {
    const w = freshWorld();
    const environments = { staging: withKey(B, 'canary-b'), production: withKey(A, 'canary-a') };
    w.config({ profile: 'acme', profiles: { acme: { environments } } });
    return w;
  };

  it('use selects the profile and its default environment', async () => {
    const w = two();
    await run(w, 'profile use', { args: { name: 'acme' } });
    const { data } = await run(w, 'profile use', { args: { name: 'acme' }, env: 'production' });
    expect(data).toEqual({ profile: 'acme', defaultEnvironment: 'production' });
    expect((await targetOf(w)).environment).toBe('production');
    for (const [name, env, code] of [
      ['acem', undefined, 'profile_not_found'],
      ['acme', 'prod', 'profile_not_found'],
    ] as const) {
      const error = await errorOf(() =>
        run(w, 'profile use', { args: { name }, ...(env && { env }) }),
      );
      expect(error.code).toBe(code);
    }
    expect(stored(w).profiles.acem).toBeUndefined();
  });

  it('set changes, an empty value removes', async () => {
    const w = two();
    const set = (...settings: string[]) =>
      run(w, 'profile set', { args: { name: 'acme', settings }, env: 'staging' });
    await set('listNames=limit=pageSize,items.limit=max', 'protected=false', 'allowHttp=true');
    await set('settle=5s');
    expect(stored(w).profiles.acme.environments.staging).toMatchObject({
      listNames: 'limit=pageSize,items.limit=max',
      protected: false,
      allowHttp: true,
      settle: '5s',
    });
    expect(await errorOf(() => set('settle=soon'))).toMatchObject({
      code: 'invalid_usage',
      message: 'settle must be valid: a time such as 5s, got "soon"',
    });
    await set('listNames=', 'allowHttp=', 'protected=', 'settle=');
    await set('readOnly=true');
    expect(stored(w).profiles.acme.environments.staging.readOnly).toBe(true);
    expect(await errorOf(() => set('readOnly=yes'))).toMatchObject({
      code: 'invalid_usage',
      message: expect.stringContaining('readOnly must be one of true, false'),
    });
    await set('readOnly=');
    expect(stored(w).profiles.acme.environments.staging).toEqual(withKey(B, 'canary-b'));
    expect((await errorOf(() => set('credentialCommand=pass show x'))).code).toBe(
      'invalid_setting',
    );
    await run(w, 'auth logout', { profile: 'acme', env: 'staging' });
    await set('credentialCommand=pass show acme');
    const { origin } = new URL(B);
    const command = () => stored(w).profiles.acme.environments.staging.credentialCommand;
    expect(command()).toEqual({ argv: ['pass', 'show', 'acme'], origin });
    await set('credentialCommand=["pass", "a b"]');
    expect(command()).toEqual({ argv: ['pass', 'a b'], origin });
  });

  it.each([
    'protected=maybe',
    'protceted=true',
    'protected',
    '=x',
    'baseUrl=ftp://x',
    'credentialCommand=pass $KEY',
    'credentialCommand=["pass", 1]',
    'credentialCommand=[]',
    'credentialCommand=[',
    'scheme=basic',
    'listNames=foo=1',
    'listNames=pageBase=x',
  ])('set refuses %s', async (pair) => {
    const w = two();
    const before = readFileSync(w.configFile, 'utf8');
    const given = { args: { name: 'acme', settings: ['listNames=limit=x', pair] }, env: 'staging' };
    expect((await errorOf(() => run(w, 'profile set', given))).exitCode).toBe(2);
    expect(readFileSync(w.configFile, 'utf8')).toBe(before);
  });

  it('a key stays bound to the address for which it was stored', async () => {
    const w = two();
    const given = {
      args: { name: 'acme', settings: [`baseUrl=https://c.example/api/v1`] },
      env: 'staging',
    };
    const { said } = await run(w, 'profile set', given);
    expect(texts(said)).toContain('belongs to https://b.example');
    const error = await errorOf(() => targetOf(w, { env: 'staging' }));
    expect(error).toMatchObject({ code: 'credential_origin', exitCode: 3 });
    expect(error.hint).toContain('proc auth login -p acme -e staging');
  });

  it('list and show never show a key', async () => {
    const w = two();
    const list = await run(w, 'profile list');
    expect(list.data).toEqual([
      {
        profile: 'acme',
        current: true,
        environments: ['staging', 'production'],
        defaultEnvironment: null,
      },
    ]);
    const target = await run(w, 'profile show', { env: 'staging' });
    expect(target.data).toMatchObject([
      { profile: 'acme', baseUrl: B, baseUrlFrom: 'acme/staging', credentialFrom: 'acme/staging' },
    ]);
    expect(target.shown).not.toContain('canary');
    const show = await run(w, 'profile show', { args: { name: 'acme' } });
    expect(show.data).toMatchObject([
      { environment: 'staging', baseUrl: B, protected: true },
      { environment: 'production', baseUrl: A, protected: true },
    ]);
    expect(list.shown + show.shown).not.toContain('canary');
  });

  it('remove asks, with or without a key', async () => {
    const w = two();
    const declined = await errorOf(() =>
      run(w, 'profile remove', { args: { name: 'acme' }, answers: [false] }),
    );
    expect(declined).toMatchObject({ code: 'declined', message: 'Nothing was changed.' });
    expect(stored(w).profiles.acme).toBeDefined();
    await run(w, 'profile remove', { args: { name: 'acme' }, env: 'staging', answers: [true] });
    expect(Object.keys(stored(w).profiles.acme.environments)).toEqual(['production']);
    const unasked = await errorOf(() => run(w, 'profile remove', { args: { name: 'acme' } }));
    expect(unasked).toMatchObject({
      code: 'confirmation_required',
      hint: 'Add --yes: proc profile remove --yes',
    });
    expect(stored(w).profiles.acme).toBeDefined();
    await run(w, 'profile remove', { args: { name: 'acme' }, yes: true });
    expect(stored(w)).toEqual({ profiles: {} });
  });
});
