import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ForeignHabits, foreignService, type Item } from '../support/foreign-service.ts';
import { runHere } from '../support/in-process.ts';
import { errorOf } from '../support/run.ts';

let folder: string;
let file: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'proc-hidden-'));
  file = join(folder, 'items.csv');
  await writeFile(file, 'code,name\nAR-1,Race\nAR-2,Chain\nAR-3,Bolt\n');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const ASKS = { limit: 'limit', offset: 'offset', sort: 'sort', dir: 'dir' };

async function machine(target: Readonly<Record<string, string>>) {
  const home = await mkdtemp(join(folder, 'm-'));
  const env = { HOME: home, PROC_CONFIG_DIR: home, PROC_STATE_DIR: join(home, 'state'), ...target };
  return (args: readonly string[], ...flags: string[]) => runHere([...args, ...flags], env);
}

const IMPORT = (settle = '20ms') => ['items', 'import', file, '--yes', `PROC_SETTLE=${settle}`];

const HIDES: ReadonlyArray<readonly [string, NonNullable<ForeignHabits['shows']>, number]> = [
  ['shows nothing', () => undefined, 3],
  ['hides some', (item) => (item.code === 'AR-2' ? undefined : item), 1],
  ['shows no codes', ({ id, name }) => ({ id, name }), 3],
];

describe('a complete list that does not show the created rows', () => {
  it.each(HIDES)(
    '%s: exit 8, and the next import stops before sending',
    async (_, shows, count) => {
      await using service = await foreignService({ ...ASKS, shows });
      const proc = await machine(service.target);
      const first = await proc(IMPORT());
      expect(errorOf(first)).toMatchObject({ code: 'created_not_listed', exitCode: 8 });
      const summary = JSON.parse(first.stdout);
      expect(summary).toMatchObject({ created: 3, verified: false, createdNotListed: count });
      expect(summary.notListed).toHaveLength(count);
      for (const flags of [[], ['--on-existing', 'fail'], ['--dry-run']]) {
        expect((await proc(IMPORT(), ...flags)).exitCode).toBe(2);
      }
      const again = errorOf(await proc(IMPORT()));
      expect(again).toMatchObject({ code: 'catalogue_unverified', details: { hidden: count } });
      expect(again.message).toContain('AR-2 (f-2)');
      expect(service.creates()).toBe(3);
    },
  );

  it('shows other codes: exit 8, and the next import recognizes the rows by their ids', async () => {
    const shows = (item: Item) => ({ ...item, code: item.code.toLowerCase() });
    await using service = await foreignService({ ...ASKS, shows });
    const proc = await machine(service.target);
    expect(errorOf(await proc(IMPORT()))).toMatchObject({ code: 'created_not_listed' });
    const again = await proc(IMPORT());
    expect(again.exitCode, again.stderr).toBe(0);
    expect(JSON.parse(again.stdout)).toMatchObject({ created: 0, existing: 3 });
    expect((await proc(IMPORT(), '--on-existing', 'fail')).exitCode).toBe(2);
    expect(service.creates()).toBe(3);
  });

  it('shows other ids: exit 8, and no code counts as doubled', async () => {
    const shows = (item: Item) => ({ ...item, id: `x${item.id}` });
    await using service = await foreignService({ ...ASKS, shows });
    const proc = await machine(service.target);
    const ran = await proc(IMPORT());
    expect(errorOf(ran)).toMatchObject({ code: 'created_not_listed', exitCode: 8 });
    expect(JSON.parse(ran.stdout)).not.toHaveProperty('createdTwice');
    expect(JSON.parse((await proc(IMPORT())).stdout)).toMatchObject({ existing: 3, created: 0 });
    expect(service.creates()).toBe(3);
  });

  it('rows that a single command created stop the next import too', async () => {
    let isHidden = false;
    const shows = (item: Item) => (isHidden ? undefined : item);
    await using service = await foreignService({ ...ASKS, shows });
    const proc = await machine(service.target);
    await proc(['items', 'create', '--code', 'AR-3', '--name', 'Bolt', '--yes']);
    isHidden = true;
    expect(errorOf(await proc(IMPORT()))).toMatchObject({ details: { hidden: 1 } });
    expect(service.creates()).toBe(1);
  });

  it('a list that was empty before is read with the parameter names that can now be detected', async () => {
    await using service = await foreignService({
      ...{ limit: 'pageSize', offset: 'skip', sort: 'orderBy', dir: 'direction' },
      onCreate: (items, { code, name }) => {
        if (items.length < 2) items.push({ id: `other-${code}`, code, name });
      },
    });
    const ran = await (await machine(service.target))(IMPORT());
    expect(errorOf(ran)).toMatchObject({ code: 'codes_doubled', exitCode: 8 });
    expect(JSON.parse(ran.stdout)).toMatchObject({ verified: true, createdTwice: 1 });
  });

  it('a list that shows new rows late is read again', async () => {
    let reads = 0;
    let creates = 0;
    const shows = (item: Item) => (creates === 3 && ++reads <= 12 ? undefined : item);
    await using service = await foreignService({ ...ASKS, shows, onCreate: () => void creates++ });
    const ran = await (await machine(service.target))(IMPORT('5s'));
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(ran.stdout)).toMatchObject({ created: 3, verified: true });
  });
});
