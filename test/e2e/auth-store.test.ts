import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { errorOf, freshWorld, jsonLines, type Ran, type World } from '../support/run.ts';
import { startTestSandbox } from '../support/sandbox.ts';
import { installSecretTool, type Keyring } from '../support/secret-tool.ts';

const KEY = 'canary-key-4f1d';
const LOGIN = ['auth', 'login', '-p', 'acme', '-e', 'live'];
const STORE = [...LOGIN, '--store', 'secret-tool'];
const PIPED = [...STORE, '--api-key-stdin'];

interface Office {
  readonly world: World;
  readonly keyring: Keyring;
  run(args: readonly string[], input?: string): Promise<Ran>;
  config(): string;
}

async function office(baseUrl = 'https://a.example/api/v1'): Promise<Office> {
  const world = await freshWorld();
  const bin = join(world.folder, 'bin');
  mkdirSync(bin);
  const keyring = installSecretTool(bin);
  const env = { PATH: `${bin}:${world.env.PATH}` };
  const run = (args: readonly string[], input = '') => world.run(args, { env, input });
  const add = ['profile', 'add', 'acme', '-e', 'live', '--base-url', baseUrl];
  expect(await run(add)).toMatchObject({ exitCode: 0 });
  const config = () => readFileSync(join(world.configDir, 'config.json'), 'utf8');
  return { world, keyring, run, config };
}

describe('auth login --store secret-tool', () => {
  it('puts the key into the keyring and saves the command that reads it', async () => {
    const sandbox = await startTestSandbox();
    const { keyring, run, config } = await office(sandbox.baseUrl);
    const ran = await run(PIPED, 'proc-sandbox-key\n');
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(ran.stdout)).toMatchObject({ scheme: 'api-key', store: 'secret-tool' });
    expect(keyring.keys()).toEqual(['proc-sandbox-key']);
    expect(keyring.log.join()).not.toContain('proc-sandbox-key');
    const { origin } = new URL(sandbox.baseUrl);
    const place = ['service', 'proc', 'profile', 'acme', 'environment', 'live', 'origin', origin];
    expect(JSON.parse(config()).profiles.acme.environments.live).toEqual({
      baseUrl: sandbox.baseUrl,
      credentialCommand: ['secret-tool', 'lookup', ...place],
    });
    const status = await run(['auth', 'status', '-p', 'acme', '-e', 'live']);
    expect(JSON.parse(status.stdout)).toMatchObject({ check: 'ok', store: 'secret-tool' });
  });

  it('keeps a token', async () => {
    const { run, config, keyring } = await office();
    expect(await run([...STORE, '--token-stdin'], 'canary.token')).toMatchObject({ exitCode: 0 });
    expect(keyring.keys()).toEqual(['canary.token']);
    expect(config()).toContain('"credentialScheme": "bearer"');
  });

  it('moves a key from the configuration file, after reading the key back from the keyring', async () => {
    const { run, config, keyring } = await office();
    await run([...LOGIN, '--api-key-stdin'], KEY);
    expect(config()).toContain(KEY);
    const ran = await run(STORE);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(ran.stderr).toContain('removed from the configuration file');
    expect(config()).not.toContain(KEY);
    expect(keyring.keys()).toEqual([KEY]);
    expect(keyring.log.map((line) => line.split(' ')[0])).toEqual(['store', 'lookup']);
  });

  it.each([
    ['none', 'secret-tool failed with exit code 1'],
    ['locked', 'secret-tool failed with exit code 1'],
    ['other', 'when proc read it back, secret-tool returned another key'],
    ['absent', 'secret-tool is not found'],
  ] as const)('%s keyring: exit 3, and nothing changes', async (mode, problem) => {
    const { world, keyring, run, config } = await office();
    await run([...LOGIN, '--api-key-stdin'], 'earlier-key');
    if (mode === 'absent') rmSync(join(world.folder, 'bin', 'secret-tool'));
    else keyring.set(mode);
    const before = config();
    const ran = await world.run(PIPED, {
      env: { PATH: join(world.folder, 'bin') + (mode === 'absent' ? '' : `:${world.env.PATH}`) },
      input: KEY,
    });
    const error = errorOf(ran);
    expect(error).toMatchObject({ code: 'credential_store', exitCode: 3 });
    expect(error.message).toContain(problem);
    expect(config()).toBe(before);
    expect(keyring.keys()).toEqual([]);
    expect(ran.stdout + ran.stderr).not.toContain(KEY);
  });

  it('leaves no key in the keyring if the configuration cannot be saved', async () => {
    const { world, run, config, keyring } = await office();
    const before = config();
    const lock = join(world.configDir, '.config.json.lock');
    rmSync(lock);
    mkdirSync(lock);
    expect(errorOf(await run(PIPED, KEY))).toMatchObject({ exitCode: 3 });
    expect(config()).toBe(before);
    expect(keyring.log.map((line) => line.split(' ')[0])).toContain('clear');
    expect(keyring.keys()).toEqual([]);
  });

  it('a dry run starts no program', async () => {
    const { run, config, keyring } = await office();
    const before = config();
    const ran = await run([...PIPED, '--dry-run'], KEY);
    expect(JSON.parse(ran.stdout)).toMatchObject({ dryRun: true, store: 'secret-tool' });
    expect(keyring.log).toEqual([]);
    expect(config()).toBe(before);
  });

  it('replaces a key in the keyring; without --store proc refuses to keep a second key', async () => {
    const { run, keyring } = await office();
    await run(PIPED, KEY);
    const refused = errorOf(await run([...LOGIN, '--api-key-stdin'], 'another-key'));
    expect(refused).toMatchObject({ code: 'credential_conflict', exitCode: 3 });
    expect(refused.hint).toContain('--store secret-tool');
    expect(await run(PIPED, 'another-key')).toMatchObject({ exitCode: 0 });
    expect(keyring.keys()).toEqual(['another-key']);
  });

  it('refuses the key of another profile', async () => {
    const { run } = await office();
    await run(PIPED, KEY);
    await run(['profile', 'add', 'other', '-e', 'x', '--base-url', 'https://b.example/api/v1']);
    const login = ['auth', 'login', '-p', 'other', '-e', 'x', '--api-key-stdin'];
    for (const more of [[], ['--store', 'secret-tool']]) {
      const error = errorOf(await run([...login, ...more], KEY));
      expect(error).toMatchObject({ code: 'credential_conflict', exitCode: 3 });
      expect(error.message).toContain('already stored for acme/live');
    }
  });

  it('does not replace a credentialCommand of the user', async () => {
    const { run } = await office();
    await run(['profile', 'set', 'acme', '-e', 'live', 'credentialCommand=pass show acme']);
    expect(errorOf(await run(PIPED, KEY)).code).toBe('credential_conflict');
  });
});

describe('a key in the keyring', () => {
  it('is bound to the address that it was stored for', async () => {
    const { run, keyring } = await office();
    await run(PIPED, KEY);
    const lines = keyring.log.length;
    const set = ['profile', 'set', 'acme', '-e', 'live', 'base-url=https://b.example/api/v1'];
    const [warning] = jsonLines((await run(set)).stderr);
    expect(warning?.warning).toContain('belongs to https://a.example and is not sent');
    expect(warning?.warning).toContain('--store secret-tool');
    const error = errorOf(await run(['auth', 'status', '-p', 'acme', '-e', 'live']));
    expect(error).toMatchObject({ code: 'credential_origin', exitCode: 3 });
    expect(keyring.log.length).toBe(lines);
    // The key for the new address replaces the earlier key in the keyring.
    expect(await run(PIPED, 'new-key')).toMatchObject({ exitCode: 0 });
    expect(keyring.keys()).toEqual(['new-key']);
  });

  it.each([
    ['locked', 'the keyring is locked', 'Unlock the keyring'],
    ['none', 'failed with exit code 1', 'PROC_API_KEY'],
    ['gone', 'the keyring does not have the key', '--store secret-tool'],
  ] as const)('%s: exit 3 says why', async (mode, problem, hint) => {
    const { world, keyring, run } = await office();
    await run(PIPED, KEY);
    if (mode !== 'gone') keyring.set(mode);
    else {
      rmSync(join(world.folder, 'bin', 'keyring'), { recursive: true });
      installSecretTool(join(world.folder, 'bin'));
    }
    const error = errorOf(await run(['orders', 'list', '-p', 'acme', '-e', 'live']));
    expect(error).toMatchObject({ code: 'credential_command', exitCode: 3 });
    expect(error.message).toContain(problem);
    expect(error.hint).toContain(hint);
  });

  it('auth logout removes the key, or says that the key could not be removed', async () => {
    const { run, keyring, config } = await office();
    await run(PIPED, KEY);
    const logout = ['auth', 'logout', '-p', 'acme', '-e', 'live'];
    for (const mode of ['locked', 'none'] as const) {
      keyring.set(mode);
      const before = config();
      expect(errorOf(await run(logout))).toMatchObject({ code: 'credential_store', exitCode: 3 });
      expect(config()).toBe(before);
    }
    keyring.set('unlocked');
    expect(JSON.parse((await run(logout)).stdout)).toMatchObject({ removed: true });
    expect(keyring.keys()).toEqual([]);
    expect(config()).not.toContain('credentialCommand');
    expect(JSON.parse((await run(logout)).stdout)).toMatchObject({ removed: false });
  });

  it('profile remove removes the key too, and warns if this fails', async () => {
    const { run, keyring } = await office();
    await run(PIPED, KEY);
    const remove = ['profile', 'remove', 'acme', '--yes'];
    expect(await run(remove)).toMatchObject({ exitCode: 0 });
    expect(keyring.keys()).toEqual([]);
    const other = await office();
    await other.run(PIPED, KEY);
    other.keyring.set('locked');
    const ran = await other.run(remove);
    expect(ran.exitCode).toBe(0);
    expect(ran.stderr).toContain('the key of acme/live is still in the keyring');
  });

  it('is not lost by another credentialCommand', async () => {
    const { run } = await office();
    await run(PIPED, KEY);
    const set = ['profile', 'set', 'acme', '-e', 'live', 'credentialCommand=pass show acme'];
    expect(errorOf(await run(set))).toMatchObject({ code: 'credential_conflict', exitCode: 3 });
  });

  it('profile set credentialCommand= leaves the key there, and says how to remove it', async () => {
    const { run, keyring, world } = await office();
    await run(PIPED, KEY);
    const ran = await run(['profile', 'set', 'acme', '-e', 'live', 'credentialCommand=']);
    expect(ran).toMatchObject({ exitCode: 0 });
    const [{ notice }] = jsonLines(ran.stderr) as [{ notice: string }];
    expect(notice).toContain('The key of acme/live is still in the keyring. To remove it there: ');
    expect(keyring.keys()).toEqual([KEY]);
    const PATH = `${join(world.folder, 'bin')}:${world.env.PATH}`;
    await world.shell(notice.slice(notice.indexOf('secret-tool')), { env: { PATH } });
    expect(keyring.keys()).toEqual([]);
  });

  it('is not copied with a profile', async () => {
    const { run, config } = await office();
    await run(PIPED, KEY);
    await run(['profile', 'copy', 'acme', 'copy']);
    expect(JSON.parse(config()).profiles.copy.environments.live).toEqual({
      baseUrl: 'https://a.example/api/v1',
    });
  });
});
