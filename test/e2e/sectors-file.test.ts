import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { always, http, startHostile, targetOf } from '../support/hostile-service.ts';
import { errorOf, openWorld, type World } from '../support/run.ts';
import { type LoggedSandbox, loggedSandbox } from '../support/service.ts';

const HEADER = 'key,name,description,owner\n';

let world: World & AsyncDisposable;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

async function inSandbox(
  work: (
    proc: (...args: readonly string[]) => ReturnType<World['run']>,
    sandbox: LoggedSandbox,
  ) => Promise<void>,
) {
  await using sandbox = await loggedSandbox();
  await work((...args) => world.run(args, { env: sandbox.target }), sandbox);
}

describe('sectors diff', () => {
  it('reads Windows-1252 as imports do: on request, or once a person has confirmed it', () =>
    inSandbox(async (proc) => {
      await writeFile(
        join(world.cwd, 'excel.csv'),
        Buffer.from('key,name\nroad-bikes,Ni\xf1os\n', 'latin1'),
      );
      const unsaid = await proc('sectors', 'diff', 'excel.csv');
      expect(unsaid.exitCode).toBe(2);
      const error = errorOf(unsaid);
      expect(error.code).toBe('confirmation_required');
      expect(error.hint).toContain('proc sectors diff excel.csv --encoding windows-1252');
      const said = ['--encoding', 'windows-1252'];
      const diff = await proc('sectors', 'diff', 'excel.csv', ...said);
      expect(JSON.parse(diff.stdout)).toMatchObject([{ field: 'name', desired: 'Niños' }]);
      const applied = await proc('sectors', 'apply', 'excel.csv', ...said, '--yes');
      expect(JSON.parse(applied.stdout)).toMatchObject([{ name: 'Niños', changed: 'name' }]);
      const refused = await proc('sectors', 'apply', 'excel.csv', '--encoding', 'utf-8', '--yes');
      expect(errorOf(refused).message).toContain('is not UTF-8');
    }));

  it('finds no difference in the list of a service with numbers as ids', async () => {
    const sectors = [
      { id: 1, key: 10, name: 'Road', description: null },
      { id: '2', key: 'mtb', name: 'MTB', description: 'd' },
    ];
    await using service = await startHostile(always(http(200, JSON.stringify(sectors))));
    const run = (...args: readonly string[]) => world.run(args, { env: targetOf(service) });
    for (const file of ['numbers.csv', 'numbers.json', 'numbers.xlsx']) {
      await run('sectors', 'list', '--out', file);
      expect((await run('sectors', 'diff', file)).stdout).toBe('[]\n');
    }
    const file = await world.file('by-id.csv', 'id,name\n1,Street\n');
    const dry = await run('sectors', 'apply', file, '--dry-run');
    expect(JSON.parse(dry.stdout)).toMatchObject([
      { url: `${service.baseUrl}/sectors/1`, body: { name: 'Street' } },
    ]);
    const keyed = await world.file('by-key.csv', 'key,name\n10,Street\n');
    expect(JSON.parse((await run('sectors', 'diff', keyed)).stdout)).toMatchObject([
      { sector: 10, field: 'name', id: '1' },
    ]);
  });

  it('shows each field that differs, and what is not compared', () =>
    inSandbox(async (proc, sandbox) => {
      const file = await world.file(
        'sectors.csv',
        `${HEADER}road-bikes,Road bikes,,Ana\nhandlebars,Handlebars,Components,\nnope,Nope,,\n`,
      );
      const ran = await proc('sectors', 'diff', file, '--exit-code');
      expect(ran.exitCode).toBe(8);
      expect(JSON.parse(ran.stdout)).toEqual([
        {
          sector: 'road-bikes',
          field: 'name',
          current: 'Road Bikes',
          desired: 'Road bikes',
          id: 'sec-2',
        },
        { sector: 'key nope', field: 'unknown', current: null, desired: null, id: null },
      ]);
      expect(ran.stderr).toContain(
        '1 sector differs, 1 the same, 1 unknown to the service, 35 not in the file',
      );
      expect(ran.stderr).toContain('Columns not compared: owner');
      expect(ran.stderr).not.toContain('"error"');
      expect(sandbox.writes()).toEqual([]);
    }));
});

describe('sectors apply', () => {
  it('patches only the fields that differ, and changes nothing the second time', () =>
    inSandbox(async (proc, sandbox) => {
      const file = await world.file(
        'apply.json',
        JSON.stringify([
          { id: 'sec-1', key: 'mtb', name: null },
          { key: 'road-bikes', name: 'Road bikes', description: 'Bikes' },
        ]),
      );
      const first = await proc('sectors', 'apply', file, '--yes');
      expect(first.exitCode).toBe(0);
      expect(JSON.parse(first.stdout)).toMatchObject([
        { id: 'sec-1', key: 'mtb', changed: 'key' },
        { id: 'sec-2', name: 'Road bikes', changed: 'name' },
      ]);
      expect(sandbox.writes().map(({ method, path }) => `${method} ${path}`)).toEqual([
        'PATCH /api/v1/sectors/sec-1',
        'PATCH /api/v1/sectors/sec-2',
      ]);
      const now = await proc('sectors', 'get', 'sec-1');
      expect(JSON.parse(now.stdout)).toMatchObject({ key: 'mtb', name: 'Mountain Bikes' });
      const second = await proc('sectors', 'apply', file, '--yes');
      expect([second.exitCode, second.stdout]).toEqual([0, '[]\n']);
      expect(sandbox.writes()).toHaveLength(2);
    }));

  it('tries the other sectors after a failure, and the next run sends only what still differs', async () => {
    await using sandbox = await loggedSandbox({ faults: 'reset-before=50%,seed=4' });
    const names = [
      'mountain-bikes',
      'road-bikes',
      'touring-bikes',
      'handlebars',
      'brakes',
      'chains',
    ];
    const rows = names.map((key) => `${key},New ${key},,\n`).join('');
    const file = await world.file('some.csv', `${HEADER}${rows}`);
    const run = () => world.run(['sectors', 'apply', file, '--yes'], { env: sandbox.target });
    const first = await run();
    expect(first.exitCode).toBe(9);
    const done: readonly { readonly id: string }[] = JSON.parse(first.stdout);
    expect(done.length).toBeGreaterThan(0);
    expect(done.length).toBeLessThan(names.length);
    expect(sandbox.writes()).toHaveLength(names.length);
    const second = await run();
    const sentAgain = sandbox.writes().slice(names.length);
    expect(sentAgain.length).toBeGreaterThan(0);
    for (const { id } of done) {
      expect(sentAgain.map(({ path }) => path)).not.toContain(`/api/v1/sectors/${id}`);
    }
    expect([0, 9]).toContain(second.exitCode);
  });

  it.each([
    ['an unknown sector', `${HEADER}nope,N,,\n`, 'key nope (row 1, line 2); nothing was sent'],
    [
      'a sector twice',
      `${HEADER}road-bikes,A,,\nroad-bikes,B,,\n`,
      'row 2, line 3: the same sector',
    ],
    ['a row without a key', `${HEADER},A,,\n`, 'row 1, line 2: the id and the key are empty'],
    ['no column to match by', 'name\nA\n', 'has no column \\"id\\" and no column'],
  ])('refuses %s before anything is sent', (_, content, problem) =>
    inSandbox(async (proc, sandbox) => {
      const ran = await proc('sectors', 'apply', await world.file('bad.csv', content), '--yes');
      expect(ran.exitCode).toBe(2);
      expect(ran.stderr).toContain(problem);
      expect(sandbox.writes()).toEqual([]);
    }),
  );

  it('needs --yes without a terminal, and shows requests in a dry run', () =>
    inSandbox(async (proc, sandbox) => {
      const file = await world.file('dry.csv', `${HEADER}road-bikes,R,,\n`);
      const asked = await proc('sectors', 'apply', file);
      expect(asked.exitCode).toBe(2);
      expect(asked.stderr).toContain('confirmation_required');
      const dry = await proc('sectors', 'apply', file, '--dry-run');
      expect(JSON.parse(dry.stdout)).toMatchObject([{ method: 'PATCH', body: { name: 'R' } }]);
      expect(sandbox.writes()).toEqual([]);
    }));
});
