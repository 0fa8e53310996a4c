import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { http, startHostile } from '../support/hostile-service.ts';
import { errorOf, freshWorld, type World } from '../support/run.ts';

async function inCheckout(): Promise<{ world: World; requests: string[] }> {
  const requests: string[] = [];
  const service = await startHostile((socket, { line }) => {
    requests.push(line);
    socket.write(http(201, '{"id":"x-1"}'));
  });
  const world = await freshWorld();
  const profile = (key: string) => ({
    environments: {
      production: {
        baseUrl: service.baseUrl,
        protected: true,
        credential: { scheme: 'api-key', secret: key, origin: new URL(service.baseUrl).origin },
      },
    },
  });
  await mkdir(world.configDir, { mode: 0o700 });
  const config = { profile: 'ours', profiles: { ours: profile('k1'), theirs: profile('k2') } };
  await writeFile(join(world.configDir, 'config.json'), JSON.stringify(config), { mode: 0o600 });
  await world.file('.proc.json', '{"profile": "theirs"}');
  await world.file('a.json', '[{"name": "Bolt", "code": "B-1"}]');
  return { world, requests };
}

const PRODUCTION = { PROC_ENV: 'production' };

it.each([
  ['items create --name Bolt'],
  ['items import a.json'],
  ['imputations create --reference R-1 --order PO-1'],
  ['requisition create --title T --group delivery=pickup --item code=I-1,quantity=1'],
  ['requisition item add r-1 g-1 --item I-1 --quantity 2'],
  ['sectors patch sec-1 --name N'],
  ['sectors delete sec-1'],
  ['addresses patch adr-1 --city C'],
  ['api POST /items/ -f name=Bolt'],
])('a profile from the project file alone does not allow: %s', async (line) => {
  const { world, requests } = await inCheckout();
  const ran = await world.run([...line.split(' '), '--yes'], { env: PRODUCTION });
  expect(ran.exitCode, ran.stderr).toBe(2);
  const { message, hint } = errorOf(ran);
  expect(message).toContain(
    'only the project file (.proc.json) selects the profile "theirs", so --yes is not enough',
  );
  expect(hint).toBe(`Add --profile theirs: proc ${line} --yes --profile theirs`);
  expect(requests).toEqual([]);
});

it.each([
  ['-p', ['-p', 'theirs'], PRODUCTION],
  ['PROC_PROFILE', [], { ...PRODUCTION, PROC_PROFILE: 'theirs' }],
] as const)('a profile from %s allows it', async (_, flags, env) => {
  const { world, requests } = await inCheckout();
  const ran = await world.run(['items', 'create', '--name', 'Bolt', '--yes', ...flags], { env });
  expect(ran.exitCode, ran.stderr).toBe(0);
  expect(requests).toHaveLength(1);
});

it('a project file that names the current profile changes nothing', async () => {
  const { world, requests } = await inCheckout();
  await world.file('.proc.json', '{"profile": "ours"}');
  const create = ['items', 'create', '--name', 'Bolt', '--yes'];
  const unnamed = await world.run(create);
  expect(errorOf(unnamed).hint).toContain('Add --env production');
  const ran = await world.run(create, { env: PRODUCTION });
  expect(ran.exitCode, ran.stderr).toBe(0);
  expect(requests).toHaveLength(1);
});
