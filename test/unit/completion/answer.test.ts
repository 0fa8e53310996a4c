import { existsSync, statSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { always, http, startHostile, targetOf } from '../../support/hostile-service.ts';
import { runHere } from '../../support/in-process.ts';
import { freshWorld, type World } from '../../support/run.ts';
import { startTestSandbox } from '../../support/sandbox.ts';

async function answers(
  world: Pick<World, 'env'>,
  lookup: string,
  ...words: readonly string[]
): Promise<readonly string[]> {
  const ran = await runHere(['__complete', lookup, '--', ...words], world.env);
  expect([ran.exitCode, ran.stderr]).toEqual([0, '']);
  return ran.stdout.split('\n').filter((line) => line !== '');
}

async function withConfig(config: string): Promise<World> {
  const world = await freshWorld();
  await mkdir(world.configDir, { recursive: true });
  await writeFile(join(world.configDir, 'config.json'), config, { mode: 0o600 });
  return world;
}

const CONFIG = JSON.stringify({
  profile: 'acme',
  profiles: {
    acme: { environments: { staging: { baseUrl: 'http://127.0.0.1:1/api/v1' }, production: {} } },
    'beta.org': { environments: { local: {} } },
  },
});

describe('what completion looks up', () => {
  it('has profiles and the environments of the one that is meant', async () => {
    const world = await withConfig(CONFIG);
    expect(await answers(world, 'profiles', '-p', '')).toEqual(['acme', 'beta.org', 'sandbox']);
    expect(await answers(world, 'profiles', '-p', 'b')).toEqual(['beta.org']);
    expect(await answers(world, 'environments', '-e', '')).toEqual(['staging', 'production']);
    expect(await answers(world, 'environments', '-p', 'beta.org', '-e', '')).toEqual(['local']);
    expect(await answers(world, 'environments', '--profile=sandbox', '--env=')).toEqual(['local']);
  });

  it('has what lists showed a person, by service, and keeps nothing of what scripts read', async () => {
    const sandbox = await startTestSandbox();
    const world = await freshWorld({ PROC_BASE_URL: sandbox.baseUrl });
    const seen = join(world.stateDir, 'seen.json');
    await runHere(['orders', 'list', '--limit', '3'], world.env);
    expect(existsSync(seen)).toBe(false);
    await runHere(['orders', 'list', '--limit', '3'], world.env, { terminal: true });
    await runHere(['sectors', 'get', 'sec-1'], world.env, { terminal: true });
    expect(statSync(seen).mode & 0o777).toBe(0o600);
    expect(await answers(world, 'orders', 'orders', 'get', 'PO')).toEqual([
      'PO-00001\tLitware, Inc.',
      'PO-00002\tAdvanced Bicycles',
      'PO-00003\tAllenson Cycles',
    ]);
    expect(await answers(world, 'sectors', 'sectors', 'get', '')).toEqual([
      'mountain-bikes\tMountain Bikes',
      'sec-1\tMountain Bikes',
    ]);
    const elsewhere = { env: { ...world.env, PROC_BASE_URL: 'http://127.0.0.1:1/api/v1' } };
    expect(await answers(elsewhere, 'orders', 'orders', 'get', '')).toEqual([]);
  });

  it('shows the latest first and forgets the oldest', async () => {
    const sandbox = await startTestSandbox();
    const world = await freshWorld({ PROC_BASE_URL: sandbox.baseUrl });
    const list = async (...flags: string[]) =>
      runHere(['orders', 'list', '--sort', 'code', ...flags], world.env, { terminal: true });
    await list('--limit', '100');
    await list('--limit', '1', '--offset', '300');
    const found = await answers(world, 'orders', '');
    expect(found[0]).toMatch(/^PO-00301\t/);
    expect(found).toHaveLength(200);
  });

  it('has ids of history, runs and drafts', async () => {
    const sandbox = await startTestSandbox();
    const world = await freshWorld({ PROC_BASE_URL: sandbox.baseUrl });
    await runHere(['items', 'create', '--name', 'Bolt'], world.env);
    for (const [folder, file] of [
      ['imports', '20260301-093000-1a2b.db'],
      ['drafts', 'd-7k3mqd.json'],
    ] as const) {
      await mkdir(join(world.stateDir, folder), { recursive: true });
      await writeFile(join(world.stateDir, folder, file), '{}');
    }
    expect((await answers(world, 'history', ''))[0]).toMatch(/^h-\w{6}\tcreate item "Bolt"$/);
    expect(await answers(world, 'items', '')).toEqual(['itm-1\tcreate item "Bolt"']);
    expect(await answers(world, 'runs', '')).toEqual(['20260301-093000-1a2b']);
    expect(await answers(world, 'drafts', '')).toEqual(['d-7k3mqd']);
  });

  it('has the requisitions that --from may name', async () => {
    const sandbox = await startTestSandbox();
    const world = await freshWorld({ PROC_BASE_URL: sandbox.baseUrl });
    const group = ['--group', 'delivery=pickup', '--new-item', 'name=Bolt,quantity=1'];
    const { stdout } = await runHere(
      ['requisition', 'create', '--title', 'Parts', ...group, '-o', 'id'],
      world.env,
    );
    const found = await answers(world, 'earlier', 'requisition', 'create', '--from', '');
    expect(found.map((line) => line.split('\t')[0])).toEqual([
      'last',
      expect.stringMatching(/^h-\w{6}$/),
      stdout.trim(),
    ]);
  });

  it('has keys and values of pairs, those left out that are given', async () => {
    const world = await withConfig(CONFIG);
    const specs = 'pairs:name,delivery=pickup|delivery,profile=@profiles';
    expect(await answers(world, specs, '--group', '')).toEqual(['name=', 'delivery=', 'profile=']);
    expect(await answers(world, specs, '--group', 'name=A,')).toEqual([
      'name=A,delivery=',
      'name=A,profile=',
    ]);
    expect(await answers(world, specs, '--group=name=A,delivery=p')).toEqual([
      'name=A,delivery=pickup',
    ]);
    expect(await answers(world, specs, '--group', 'profile=ac')).toEqual(['profile=acme']);
    expect(await answers(world, 'pair:dialect,protected=true|false', 'dialect=a=b,')).toEqual([]);
    expect(await answers(world, 'by:lang=en|es', 'lang', 'e')).toEqual(['en', 'es']);
    expect(await answers(world, 'by:lang=en|es', 'other', '')).toEqual([]);
  });

  it.each(['{"profiles": [', '[]', '{"profiles": 7, "profile": {}}', '{"profiles": {"a": null}}'])(
    'fails never: a configuration of %s',
    async (config) => {
      const world = await withConfig(config);
      await mkdir(world.stateDir, { recursive: true });
      for (const file of ['seen.json', 'history.db', 'addresses.db']) {
        await writeFile(join(world.stateDir, file), '{"broken');
      }
      for (const lookup of [
        'profiles',
        'environments',
        'orders',
        'history',
        'addresses',
        'nosuch',
        '',
      ]) {
        await answers(world, lookup, '-p', 'a', '');
      }
    },
  );

  it('makes no connection and writes no file', async () => {
    await using service = await startHostile(always(http(200, '[]')));
    const world = await freshWorld(targetOf(service));
    for (const lookup of ['orders', 'items', 'addresses', 'requisitions', 'history', 'runs']) {
      await answers(world, lookup, '');
    }
    expect([service.connections(), existsSync(world.stateDir)]).toEqual([0, false]);
  });
});
