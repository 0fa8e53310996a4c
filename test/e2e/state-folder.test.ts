import { existsSync, readdirSync, statSync } from 'node:fs';
import { chmod, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { examine } from '../support/doctor.ts';
import { errorOf, freshWorld } from '../support/run.ts';
import { startTestSandbox } from '../support/sandbox.ts';

const HOPELESS: ReadonlyArray<readonly [string, (folder: string) => Promise<string>]> = [
  [
    'a link that leads nowhere',
    async (folder) => {
      await symlink(join(folder, 'gone'), join(folder, 'link'));
      return join(folder, 'link');
    },
  ],
  // For this folder Linux answers ENOENT, and Node's recursive mkdir then loops forever.
  ...(existsSync('/proc/self')
    ? [['a folder below /proc', async () => '/proc/nope/deeper'] as const]
    : []),
];

describe.each(HOPELESS)('as state folder, %s', (_, make) => {
  it('fails every write with exit 3, before it is sent', async () => {
    const { baseUrl } = await startTestSandbox();
    const world = await freshWorld({ PROC_BASE_URL: baseUrl });
    const env = { PROC_STATE_DIR: await make(world.folder) };
    await world.file('items.json', '[{"name": "zz", "code": "ZZ-1"}]');
    for (const args of [
      ['items', 'create', '--name', 'zz', '--yes'],
      ['api', 'POST', '/items/', '-f', 'name=zz', '--yes'],
      ['items', 'import', 'items.json', '--yes'],
    ]) {
      const ran = await world.run(args, { env });
      expect([args[0], ran.exitCode, errorOf(ran).code]).toEqual([args[0], 3, 'state_unwritable']);
    }
    expect(JSON.parse((await world.run(['items', 'list'])).stdout)).toEqual([]);
  }, 30_000);

  it('is a problem for the doctor', async () => {
    const { baseUrl } = await startTestSandbox();
    const world = await freshWorld({ PROC_BASE_URL: baseUrl });
    const PROC_STATE_DIR = await make(world.folder);
    const { exitCode, at } = await examine({ ...world.env, PROC_STATE_DIR });
    expect(exitCode).toBe(3);
    expect(at('state folder')).toMatchObject({ status: 'problem', exitCode: 3 });
    expect(at('state folder').finding).toContain(PROC_STATE_DIR);
    expect(at('service').status).toBe('ok');
  });
});

describe.runIf(process.platform !== 'win32')('a state folder that others can write to', () => {
  it.each([0o770, 0o707])('%o is refused before a write, with a subfolder to use', async (mode) => {
    const { baseUrl } = await startTestSandbox();
    const world = await freshWorld({ PROC_BASE_URL: baseUrl });
    const folder = join(world.folder, 'shared');
    await mkdir(folder);
    await chmod(folder, mode);
    const create = ['items', 'create', '--name', 'zz', '--yes'];
    const ran = await world.run(create, { env: { PROC_STATE_DIR: folder } });
    expect(ran.exitCode).toBe(3);
    const { code, hint = '' } = errorOf(ran);
    expect(code).toBe('config_insecure');
    expect(readdirSync(folder)).toEqual([]);
    const [, proposed = ''] = /PROC_STATE_DIR=(\S+),/.exec(hint)!;
    expect(proposed).toBe(join(folder, 'proc'));
    const again = await world.run(create, { env: { PROC_STATE_DIR: proposed } });
    expect(again.exitCode, again.stderr).toBe(0);
    expect(statSync(proposed).mode & 0o777).toBe(0o700);
  });

  it('is accepted with the sticky bit, as /tmp has it', async () => {
    const { baseUrl } = await startTestSandbox();
    const world = await freshWorld({ PROC_BASE_URL: baseUrl });
    const folder = join(world.folder, 'shared');
    await mkdir(folder);
    await chmod(folder, 0o1777);
    const env = { PROC_STATE_DIR: folder };
    const ran = await world.run(['items', 'create', '--name', 'zz', '--yes'], { env });
    expect(ran.exitCode, ran.stderr).toBe(0);
  });
});
