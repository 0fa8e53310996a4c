import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { errorOf, freshWorld, type Ran, type World } from '../support/run.ts';

const A = 'https://a.example/api/v1';
const B = 'https://b.example/api/v1';

let world: World;
const text = () => readFile(join(world.configDir, 'config.json'), 'utf8').catch(() => '{}');
const stored = async () => JSON.parse(await text());

async function proc(line: string, input = ''): Promise<Ran> {
  const ran = await world.run([...line.split(' '), '-o', 'json'], { input });
  expect(ran.stdout + ran.stderr).not.toContain('canary');
  return ran;
}
async function done(line: string, input = '') {
  const ran = await proc(line, input);
  expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
  return JSON.parse(ran.stdout || 'null');
}
async function refused(line: string, input = '') {
  const before = await text();
  const error = errorOf(await proc(line, input));
  expect(await text()).toBe(before);
  return error;
}

beforeEach(async () => {
  world = await freshWorld();
});

describe('profile add', () => {
  it('stores a piped key for the address; the first profile becomes the current one', async () => {
    const added = await done(
      `profile add acme.com -e production --base-url ${A}/ --api-key-stdin`,
      'canary-key\n',
    );
    expect(added).toMatchObject({
      ...{ profile: 'acme.com', environment: 'production', baseUrl: A, protected: true },
      credential: expect.stringMatching(/^api-key \S+ for https:\/\/a\.example$/),
    });
    await done(`profile add other -e x --base-url ${B}`);
    await done(`profile add acme.com -e staging --base-url ${B}`);
    const credential = { secret: 'canary-key', origin: 'https://a.example' };
    expect(await stored()).toMatchObject({
      profile: 'acme.com',
      profiles: {
        'acme.com': { environments: { production: { credential }, staging: { baseUrl: B } } },
      },
    });
    const again = await refused(`profile add acme.com -e production --base-url ${B}`);
    expect(again).toMatchObject({ code: 'invalid_usage', exitCode: 2 });
    expect(again.hint).toContain('proc profile set acme.com -e production');
  });

  it.each([
    [`acme --base-url ${A}`, ''],
    [`a/b -e x --base-url ${A}`, ''],
    ['acme -e x --base-url a.example', ''],
    [`acme -e x --base-url ${A} --api-key-stdin`, ''],
    [`acme -e x --base-url ${A} --api-key-stdin`, 'canary-key\ncanary'],
    [`acme -e x --base-url ${A} --api-key-stdin --token-stdin`, 'canary-key\n'],
  ])('refuses %s with the input %j', async (words, input) => {
    expect(await refused(`profile add ${words}`, input)).toMatchObject({ exitCode: 2 });
  });
});

describe('a profile with two environments', () => {
  beforeEach(async () => {
    await done(`profile add acme -e staging --base-url ${B} --api-key-stdin`, 'canary-b');
    await done(`profile add acme -e production --base-url ${A} --api-key-stdin`, 'canary-a');
  });
  const staging = async () => (await stored()).profiles.acme.environments.staging;

  it('use selects the profile and its default environment', async () => {
    const used = await done('profile use acme -e production');
    expect(used).toEqual({ profile: 'acme', defaultEnvironment: 'production' });
    for (const words of ['acem', 'acme -e prod'])
      expect(await refused(`profile use ${words}`)).toMatchObject({ code: 'profile_not_found' });
  });

  it('set changes, and an empty value removes', async () => {
    const before = await staging();
    const set = (settings: string) => done(`profile set acme -e staging ${settings}`);
    await set('listNames=limit=max,items.limit=most protected=false allowHttp=true settle=5s');
    expect(await staging()).toEqual({
      ...before,
      ...{ listNames: 'limit=max,items.limit=most', protected: false },
      ...{ allowHttp: true, settle: '5s' },
    });
    await set('listNames= protected= allowHttp= settle=');
    expect(await staging()).toEqual(before);
  });

  it('set takes a credentialCommand instead of a key, as words or as JSON', async () => {
    const set = 'profile set acme -e staging credentialCommand=';
    expect(await refused(`${set}pass`)).toMatchObject({ code: 'invalid_setting' });
    await done('auth logout -p acme -e staging');
    await done(`${set}["pass","show"]`);
    const { credentialCommand } = await staging();
    expect(credentialCommand).toEqual({ argv: ['pass', 'show'], origin: 'https://b.example' });
    const words = ['profile', 'set', 'acme', '-e', 'staging', 'credentialCommand=pass show x'];
    expect(await world.run(words)).toMatchObject({ exitCode: 0 });
    expect((await staging()).credentialCommand.argv).toEqual(['pass', 'show', 'x']);
  });

  it.each([
    ...['protected=maybe', 'protceted=true', 'protected', '=x', 'baseUrl=ftp://x', 'scheme=basic'],
    ...['settle=soon', 'readOnly=yes', 'listNames=foo=1', 'listNames=pageBase=x'],
    ...['credentialCommand=$KEY', 'credentialCommand=["pass",1]', 'credentialCommand=[]'],
  ])('set refuses %s, and changes nothing', async (pair) => {
    const error = await refused(`profile set acme -e staging listNames=limit=x ${pair}`);
    expect(error).toMatchObject({ exitCode: 2 });
  });

  it('a key stays bound to the address for which it was stored', async () => {
    const ran = await proc('profile set acme -e staging baseUrl=https://c.example/api/v1');
    expect(ran.stderr).toContain('belongs to https://b.example');
    const error = await refused('orders list -p acme -e staging');
    expect(error).toMatchObject({ code: 'credential_origin', exitCode: 3 });
    expect(error.hint).toContain('proc auth login -p acme -e staging');
  });

  it('list and show tell where address and key come from, and never show a key', async () => {
    const environments = ['staging', 'production'];
    expect(await done('profile list')).toEqual([
      { profile: 'acme', current: true, environments, defaultEnvironment: null },
    ]);
    expect(await done('profile show -e staging')).toMatchObject([
      { profile: 'acme', baseUrl: B, baseUrlFrom: 'acme/staging', credentialFrom: 'acme/staging' },
    ]);
    expect(await done('profile show acme')).toMatchObject([
      { environment: 'staging', baseUrl: B, protected: true },
      { environment: 'production', baseUrl: A, protected: true },
    ]);
  });

  it('remove asks, with or without a key', async () => {
    expect(await refused('profile remove acme')).toMatchObject({ code: 'confirmation_required' });
    await done('profile remove acme -e staging --yes');
    expect(Object.keys((await stored()).profiles.acme.environments)).toEqual(['production']);
    await done('profile remove acme --yes');
    expect(await stored()).toEqual({ profiles: {} });
  });

  it('auth login stores for the environment, whatever PROC_BASE_URL says; logout removes', async () => {
    const argv = ['auth', 'login', '-p', 'acme', '-e', 'staging', '--token-stdin'];
    const env = { PROC_BASE_URL: 'https://evil.example/api/v1' };
    const ran = await world.run(argv, { env, input: 'ey.canary.x\n' });
    expect(JSON.parse(ran.stdout)).toMatchObject({ origin: 'https://b.example' });
    const credential = { secret: 'ey.canary.x', origin: 'https://b.example' };
    expect(await staging()).toMatchObject({ scheme: 'bearer', credential });
    const logout = 'auth logout -p acme -e staging';
    expect([await done(logout), await done(logout)]).toMatchObject([
      { removed: true },
      { removed: false },
    ]);
    expect((await staging()).credential).toBeUndefined();
  });
});

it.each([
  ['setup', 'proc profile add NAME -e ENV --base-url URL --api-key-stdin'],
  ['auth login -p acme -e x', 'auth login --api-key-stdin'],
])('%s without a terminal names the flags to use instead', async (line, hint) => {
  await done(`profile add acme -e x --base-url ${A}`);
  const error = await refused(line);
  expect(error).toMatchObject({ code: 'invalid_usage', exitCode: 2 });
  expect(error.hint).toContain(hint);
});
