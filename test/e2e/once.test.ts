import { describe, expect, it } from 'vitest';
import { SANDBOX_KEYS } from '../../src/sandbox/seed.ts';
import { http, startHostile, targetOf } from '../support/hostile-service.ts';
import { errorOf, freshWorld, jsonLines, type World } from '../support/run.ts';
import { loggedSandbox } from '../support/service.ts';

const REQUISITION = JSON.stringify({
  title: 'Parts',
  groups: [{ deliveryMethod: 'pickup', items: [{ quantity: 1, item: { name: 'Bolt' } }] }],
});

/** A create with a body, and with another one. */
const CREATES = [
  ['items create --name Bolt --code B-1', 'items create --name Nut --code B-1', 'id'],
  [
    'requisition create --file one.json',
    'requisition create --file one.json --title Other',
    'requisitionId',
  ],
  [
    'imputations create --account 6100 --amount 5',
    'imputations create --account 6100 --amount 6',
    'id',
  ],
  ['api POST /items/ -f name=Raw', 'api POST /items/ -f name=Other', 'id'],
] as const;

async function worldOf(target: Readonly<Record<string, string>>): Promise<World> {
  const world = await freshWorld(target);
  await world.file('one.json', REQUISITION);
  return world;
}

const run = (world: World, line: string, once = 'job-1') =>
  world.run([...line.split(' '), '--once', once, '-o', 'json']);

const noticesOf = (stderr: string) => jsonLines(stderr).flatMap(({ notice }) => notice ?? []);

describe.each(CREATES)('%s --once', (line, other, field) => {
  // With a code, the list would show that the item was created.
  const withoutCode = line.replace(' --code B-1', '');

  it('gives the first result again, and refuses another body', async () => {
    await using service = await loggedSandbox();
    const world = await worldOf(service.target);
    const first = await run(world, line);
    expect(first, first.stderr).toMatchObject({ exitCode: 0 });
    const id = JSON.parse(first.stdout)[field];
    const again = await run(world, line);
    expect(again, again.stderr).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(again.stdout)).toEqual(JSON.parse(first.stdout));
    expect(noticesOf(again.stderr).join()).toContain(`created ${id} (h-`);
    expect(errorOf(await run(world, other))).toMatchObject({
      code: 'once_conflict',
      exitCode: 2,
      retry: 'never',
      details: { created: id, once: 'job-1' },
    });
    expect(service.writes()).toHaveLength(1);
    const dry = await world.run([...line.split(' '), '--once', 'job-1', '--dry-run', '-o', 'json']);
    expect(JSON.parse(dry.stdout)).toMatchObject({ dryRun: true, once: 'job-1', created: id });
  });

  it('is busy while another process sends it', async () => {
    const [arrived, opened] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let writes = 0;
    await using service = await startHostile(async (socket, { method }) => {
      if (method === 'GET') return void socket.write(http(200, '[]'));
      writes++;
      arrived.resolve();
      await opened.promise;
      socket.write(http(201, `{"${field}":"rec-1"}`));
    });
    const world = await worldOf(targetOf(service));
    const first = run(world, line);
    await arrived.promise;
    const second = await run(world, line);
    expect(errorOf(second)).toMatchObject({ code: 'busy', exitCode: 2, retry: 'later' });
    opened.resolve();
    const { stdout, exitCode } = await first;
    expect(exitCode).toBe(0);
    expect(JSON.parse((await run(world, line)).stdout)).toEqual(JSON.parse(stdout));
    expect(writes).toBe(1);
  });

  it('says that the first outcome is unknown until a person records it', async () => {
    await using service = await loggedSandbox({ faults: 'reset-after=100%' });
    const world = await worldOf(service.target);
    const first = errorOf(await run(world, withoutCode));
    expect(first).toMatchObject({ exitCode: 9 });
    const { historyId } = first.details as { historyId: string };
    const again = errorOf(await run(world, withoutCode));
    expect(again).toMatchObject({
      code: 'outcome_unknown',
      exitCode: 9,
      retry: 'after-check',
      details: { historyId, once: 'job-1' },
    });
    expect(again.hint).toContain(`proc history resolve ${historyId} --adopt ID`);
    expect(service.writes()).toHaveLength(1);
    await world.run(['history', 'resolve', historyId, '--adopt', 'rec-7']);
    const adopted = await run(world, withoutCode);
    expect(adopted, adopted.stderr).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(adopted.stdout)).toEqual({ [field]: 'rec-7' });
    await world.run(['history', 'resolve', historyId, '--drop']);
    expect(errorOf(await run(world, withoutCode)), 'sent again').toMatchObject({ exitCode: 9 });
    expect(service.writes()).toHaveLength(2);
  });
});

describe('a key of --once', () => {
  const [line] = CREATES[0];

  it('is not held by a write that was refused', async () => {
    await using service = await loggedSandbox();
    const world = await worldOf(service.target);
    await world.file('bad.json', '{"name":5}');
    const refused = await run(world, 'api POST /items/ --input bad.json');
    expect(refused).toMatchObject({ exitCode: 6 });
    expect(await run(world, line)).toMatchObject({ exitCode: 0 });
  });

  it('needs no request when it is known', async () => {
    const service = await loggedSandbox();
    const world = await worldOf(service.target);
    const first = await run(world, line);
    await service.close();
    const again = await run(world, line);
    expect(again, again.stderr).toMatchObject({ exitCode: 0, stdout: first.stdout });
  });

  it('makes the same body another create, unless the body was sent without a key', async () => {
    await using service = await loggedSandbox();
    const world = await worldOf(service.target);
    const body = 'items create --name Bolt';
    const ids = [await run(world, body, 'a'), await run(world, body, 'b')].map(
      ({ stdout }) => JSON.parse(stdout).id,
    );
    expect(new Set(ids).size).toBe(2);
    expect(errorOf(await world.run(body.split(' ')))).toMatchObject({ code: 'repeated_write' });
    await world.run('items create --name Nut'.split(' '));
    expect(errorOf(await run(world, 'items create --name Nut', 'c'))).toMatchObject({
      code: 'repeated_write',
    });
  });

  it('belongs to one organization', async () => {
    await using service = await loggedSandbox();
    const world = await worldOf(service.target);
    await run(world, 'items create --name Bolt');
    const [, { apiKey }] = SANDBOX_KEYS;
    const theirs = await world.run(['items', 'create', '--name', 'Nut', '--once', 'job-1'], {
      env: { PROC_API_KEY: apiKey, PROC_ORGANIZATION: 'other' },
    });
    expect(theirs, theirs.stderr).toMatchObject({ exitCode: 0 });
    expect(service.writes()).toHaveLength(2);
  });

  it('is on the disk before the request: after kill -9 its outcome is unknown', async () => {
    const arrived = Promise.withResolvers<void>();
    await using service = await startHostile(() => arrived.resolve());
    const world = await worldOf(targetOf(service));
    const child = world.start(['items', 'create', '--name', 'Bolt', '--once', 'job-1']);
    await arrived.promise;
    child.kill('SIGKILL');
    await child;
    expect(errorOf(await run(world, 'items create --name Bolt'))).toMatchObject({ exitCode: 9 });
  });

  it.each([
    ['items create --name A --once', ' ', 'It is empty'],
    ['items create --name A --once', 'a\nb', 'without control characters'],
    ['items create --name A --once', 'x'.repeat(256), 'at most 255 characters'],
    ['api DELETE /items/x --once', 'a', '--once cannot be used with DELETE, only with POST'],
  ])('%s %j is refused', async (typed, key, message) => {
    const world = await freshWorld({ PROC_BASE_URL: 'http://127.0.0.1:9/api/v1' });
    const error = errorOf(await world.run([...typed.split(' '), key, '-o', 'json']));
    expect(error).toMatchObject({ exitCode: 2 });
    expect(error.message).toContain(message);
  });
});
