import { describe, expect, it } from 'vitest';
import type { Config } from '../../../src/config/settings.ts';
import type { Message } from '../../../src/core/io.ts';
import { errorOf, freshWorld, targetOf, withKey } from './world.ts';

const A = 'https://a.example/api/v1';
const B = 'https://b.example/api/v1';

/** `acme` has two environments on two hosts, `bare` has no key, and `moved` one that was stored for another host. */
const PROFILES: Config['profiles'] = {
  acme: {
    defaultEnvironment: 'production',
    environments: { production: withKey(A, 'stored-a'), staging: withKey(B, 'stored-b') },
  },
  bare: { environments: { production: { baseUrl: A } } },
  moved: { environments: { production: { ...withKey(A, 'stored-m'), baseUrl: B } } },
  several: { environments: { one: withKey(A, 'stored-s'), two: withKey(A, 'stored-s') } },
};

/** @param typed flags and variables, as in `-p acme -e staging PROC_API_KEY=k` */
function resolved(config: Config, typed = '', more: Parameters<typeof targetOf>[1] = {}) {
  const world = freshWorld();
  world.config(config);
  const flag = (name: string) => new RegExp(`${name} (\\S*)`).exec(typed)?.[1];
  const variables = Object.fromEntries(
    [...typed.matchAll(/(PROC_\w+)=(\S*)/g)].map(([, name, value]) => [name, value]),
  );
  return targetOf(world, { profile: flag('-p'), env: flag('-e'), variables, ...more });
}
const at = (current: string, typed = '', more = {}) =>
  resolved({ ...(current && { profile: current }), profiles: PROFILES }, typed, more);
/** One profile with one environment. */
const only = (environment: object, typed = '', more = {}) =>
  resolved(
    { profile: 'p', profiles: { p: { environments: { e: environment as never } } } },
    typed,
    more,
  );

const KEY = 'PROC_API_KEY=canary-key';

describe('which credential is sent where', () => {
  it.each([
    ['', '-p acme', 'stored-a', A],
    ['', '-p acme -e staging', 'stored-b', B],
    ['acme', '', 'stored-a', A],
    ['acme', `PROC_BASE_URL=${A}/`, 'stored-a', A],
    ['', `-p acme ${KEY}`, 'canary-key', A],
    ['', `PROC_PROFILE=acme ${KEY}`, 'canary-key', A],
    ['acme', KEY, 'canary-key', A],
    ['bare', KEY, 'canary-key', A],
    ['', `PROC_BASE_URL=${B} ${KEY}`, 'canary-key', B],
    ['acme', `PROC_BASE_URL=${B} ${KEY}`, 'canary-key', B],
  ])('current "%s", %s: %s', async (current, typed, secret, baseUrl) => {
    const { credential, ...target } = await at(current, typed);
    expect([credential?.secret.reveal(), target.baseUrl]).toEqual([secret, baseUrl]);
  });

  it.each([
    ['acme', `PROC_BASE_URL=${B}`, 'no_credential'],
    ['acme', 'PROC_BASE_URL=https://a.example:444/api/v1', 'no_credential'],
    ['acme', 'PROC_BASE_URL=http://127.0.0.1:5999/api/v1', 'no_credential'],
    ['bare', '', 'no_credential'],
    ['', `PROC_BASE_URL=${A}`, 'no_credential'],
    ['moved', '', 'credential_origin'],
    ['', `-p acme PROC_BASE_URL=${B}`, 'invalid_setting'],
    ['acme', `${KEY} PROC_TOKEN=canary-key-2`, 'invalid_setting'],
    ['', KEY, 'no_target'],
    ['', 'PROC_TOKEN=canary-key', 'no_target'],
  ])('refused: current "%s", %s: %s', async (current, typed, code) => {
    const error = await errorOf(() => at(current, typed));
    expect(error).toMatchObject({ code, exitCode: 3, hint: expect.any(String) });
    expect(JSON.stringify([error.message, error.hint, error.details])).not.toMatch(
      /canary|stored-/,
    );
    if (!code.includes('credential')) return;
    const unneeded = await at(current, typed, { needCredential: false });
    expect(unneeded.credential).toBeUndefined();
  });

  it.each(['canary\nkey', 'canary\u0007', 'canary\u20ac', 'Bearer canary'])(
    'no header can have the key %j, which is not repeated',
    async (key) => {
      const variables = { [key.startsWith('Bearer') ? 'PROC_TOKEN' : 'PROC_API_KEY']: key };
      const error = await errorOf(() => at('bare', '', { variables }));
      expect(error).toMatchObject({ code: 'invalid_setting', exitCode: 3 });
      expect(error.message + error.hint).not.toContain('canary');
    },
  );

  it('a line break at the end is no part of a key', async () => {
    const { credential } = await at('bare', '', { variables: { PROC_API_KEY: 'key\r\n' } });
    expect(credential?.secret.reveal()).toBe('key');
  });

  it('proc says if a variable replaces a stored key', async () => {
    const said: Message[] = [];
    await at('acme', KEY, { said });
    expect(said).toMatchObject([{ kind: 'warning' }]);
  });
});

describe('flag > variable > profile', () => {
  it.each([
    ['acme', '-p bare PROC_PROFILE=moved', 'bare', 'production'],
    ['acme', 'PROC_PROFILE=moved', 'moved', 'production'],
    ['acme', 'PROC_PROFILE=', 'acme', 'production'],
    ['', '-p bare PROC_PROFILE=moved', 'bare', 'production'],
    ['acme', '-e staging PROC_ENV=production', 'acme', 'staging'],
    ['acme', 'PROC_ENV=staging', 'acme', 'staging'],
    ['acme', 'PROC_ENV=', 'acme', 'production'],
    // A URL alone has no profile, and the environment only as a label for CI.
    ['acme', `PROC_BASE_URL=${B} PROC_ENV=ci`, undefined, 'ci'],
  ])('current "%s", %s: %s/%s', async (current, typed, profile, environment) => {
    const target = await at(current, typed, { needCredential: false });
    expect(target).toMatchObject({ profile, environment, isProtected: true });
  });

  it('names in PROC_LIST_NAMES replace those of the environment', async () => {
    const environment = { ...withKey(A, 'k'), listNames: 'limit=max,items.offset=skip' };
    const stored = await only(environment);
    expect(stored.dialect('items')).toMatchObject({ limit: 'max', offset: 'skip' });
    expect(stored.dialect('orders')).toMatchObject({ limit: 'max', offset: 'offset' });
    const given = await only(environment, 'PROC_LIST_NAMES=offset=from');
    expect(given.dialect('items')).toMatchObject({ limit: 'limit', offset: 'from' });
  });

  it.each([
    ['-p acmee', /"acme"/],
    ['-p ', /profile list/],
    ['PROC_PROFILE=baer', /"bare"/],
    ['PROC_PROFILE=constructor', /profile list/],
    ['-p acme -e stagign', /"staging"/],
    ['-p acme -e toString', /production, staging/],
    ['-p several', /one, two.*-e/],
  ])('%s is no profile or environment: what there is', async (typed, hint) => {
    const error = await errorOf(() => at('', typed));
    expect(error).toMatchObject({ code: 'profile_not_found', exitCode: 3 });
    expect(error.hint).toMatch(hint);
    const [name] = /PROC_\w+/.exec(typed) ?? [''];
    expect(error.message).toContain(name);
  });
});

describe('protection, plain http and read-only', () => {
  it.each([
    ['https://a.example', {}, true],
    ['https://a.example', { protected: false }, false],
    ['http://127.0.0.1:1', {}, false],
    ['http://127.0.0.1:1', { protected: true }, true],
  ])('%s %j: protected %s', async (baseUrl, marks, isProtected) => {
    expect(await only({ ...withKey(baseUrl, 'k'), ...marks })).toMatchObject({ isProtected });
  });

  it.each([
    ['http://a.example', {}],
    ['http://a.example', { allowHttp: false }],
    ['http://127.0.0.1.evil.example', {}],
    ['http://10.0.0.1', {}],
  ])('refused: %s %j', async (baseUrl, marks) => {
    const environment = { ...withKey(baseUrl, 'k'), ...marks };
    for (const needCredential of [true, false]) {
      const error = await errorOf(() => only(environment, '', { needCredential }));
      expect(error).toMatchObject({ code: 'insecure_url', exitCode: 3 });
      expect(error.hint).toContain('proc profile set p -e e allowHttp=true');
    }
    const given = `PROC_BASE_URL=${baseUrl} ${KEY}`;
    expect((await errorOf(() => resolved({}, given))).code).toBe('insecure_url');
  });

  it.each([
    [undefined, '', undefined],
    [false, 'PROC_READ_ONLY=', undefined],
    [true, 'PROC_READ_ONLY=0', 'setting'],
    [undefined, 'PROC_READ_ONLY=1', 'PROC_READ_ONLY'],
    [false, 'PROC_READ_ONLY=on', 'PROC_READ_ONLY'],
    [true, 'PROC_READ_ONLY=true', 'PROC_READ_ONLY'],
  ] as const)('readOnly=%s, %s: read-only by %s', async (readOnly, typed, by) => {
    const environment = { ...withKey(A, 'k'), ...(readOnly !== undefined && { readOnly }) };
    expect((await only(environment, typed)).readOnly).toBe(by);
    const alone = await resolved({}, `PROC_BASE_URL=${B} ${KEY} ${typed}`);
    expect(alone.readOnly).toBe(by === 'setting' ? undefined : by);
  });

  it('a setting applies to the address for which it was made', async () => {
    const marks = { protected: false, allowHttp: true, readOnly: true };
    const environment = { ...withKey('http://a.example', 'k'), ...marks };
    expect(await only(environment)).toMatchObject({ isProtected: false, readOnly: 'setting' });
    const elsewhere = await only(environment, `PROC_BASE_URL=${B} ${KEY}`);
    expect(elsewhere).toMatchObject({ isProtected: true, readOnly: undefined });
  });

  it('another value of a setting is an error, not full access', async () => {
    const error = await errorOf(() => only({ ...withKey(A, 'k'), readOnly: 'no' }));
    expect(error).toMatchObject({ code: 'config_unreadable', exitCode: 3 });
  });
});
