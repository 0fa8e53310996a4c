import { describe, expect, it } from 'vitest';
import { Secret } from '../../../src/core/service/secret.ts';
import { fingerprint } from '../../../src/settings/credential/clean-secret.ts';
import { run } from './running.ts';
import { errorOf, freshWorld, type World, withKey } from './world.ts';

const A = 'https://a.example/api/v1';

function world(): World {
  const w = freshWorld();
  const environments = { production: withKey(A, 'canary-key'), staging: { baseUrl: A } };
  w.config({ profile: 'acme', profiles: { acme: { environments } } });
  return w;
}

type Listed = readonly { key: string; value: unknown; origin: string; place: string | null }[];
const listed = (rows: Listed) =>
  Object.fromEntries(rows.map(({ key, value, origin, place }) => [key, [value, origin, place]]));

describe('config list', () => {
  it('shows every value with its origin, but no key', async () => {
    const w = world();
    const variables = { PROC_DIALECT: 'limit=max' };
    const { data, shown } = await run(w, 'config list', { variables, env: 'production' });
    expect(listed(data)).toMatchObject({
      profile: ['acme', 'config', w.configFile],
      'base-url': [A, 'profile', 'acme/production'],
      credential: [
        `api-key ${fingerprint(new Secret('canary-key'))}`,
        'profile',
        'acme/production',
      ],
      protected: [true, 'default', null],
      dialect: ['limit=max', 'variable', 'PROC_DIALECT'],
    });
    expect(shown).not.toContain('canary');
  });

  it('shows what it can if a command would fail, and why it would', async () => {
    const w = world();
    const ambiguous = await run(w, 'config list');
    expect(ambiguous.said[0]?.text).toContain('several environments');
    const missing = await run(w, 'config list', { env: 'staging' });
    expect(listed(missing.data)).toMatchObject({ credential: [null, 'default', null] });
    expect(missing.said[0]?.text).toContain('proc auth login -p acme -e staging');
  });
});

describe('config get, set, unset, path', () => {
  it('set and unset change the file; get shows the effective value', async () => {
    const w = world();
    const set = (key: string, value: string) => run(w, 'config set', { args: { key, value } });
    await set('output', 'json');
    await set('env', 'staging');
    expect((await run(w, 'config get', { args: { key: 'output' } })).data).toMatchObject({
      key: 'output',
      value: 'json',
      origin: 'config',
    });
    expect((await run(w, 'config get', { args: { key: 'env' } })).data).toMatchObject({
      value: 'staging',
      origin: 'profile',
    });
    await run(w, 'config unset', { args: { key: 'output' } });
    expect((await run(w, 'config get', { args: { key: 'output' } })).data).toMatchObject({
      value: null,
    });
  });

  it.each([
    ['outptu', 'json', 'invalid_usage', '"output"'],
    ['base-url', A, 'invalid_usage', 'proc profile set'],
    ['output', 'jsno', 'invalid_setting', '"json"'],
    ['profile', 'acem', 'profile_not_found', '"acme"'],
    ['env', 'stagign', 'environment_not_found', '"staging"'],
  ])('set %s %s is refused', async (key, value, code, hint) => {
    const error = await errorOf(() => run(world(), 'config set', { args: { key, value } }));
    expect(error.code).toBe(code);
    expect(error.hint ?? '').toContain(hint);
  });

  it('get shows a setting of the environment, however it is spelled', async () => {
    const w = freshWorld();
    const settings = { baseUrl: A, readOnly: true };
    w.config({ profile: 'acme', profiles: { acme: { environments: { live: settings } } } });
    const of = async (key: string) => (await run(w, 'config get', { args: { key } })).data;
    expect(await of('read-only')).toMatchObject({ value: true, place: 'acme/live' });
    expect(await of('allowHttp')).toMatchObject({ key: 'allow-http', value: false });
    const error = await errorOf(() => of('credentialCommand'));
    expect(error.hint).toContain('proc config get credential');
  });

  it('path', async () => {
    const w = freshWorld();
    expect((await run(w, 'config path')).result).toEqual({
      kind: 'text',
      text: `${w.configFile}\n`,
    });
  });
});
