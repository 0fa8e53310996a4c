import { describe, expect, it } from 'vitest';
import { listed, shown } from '../support/history.ts';
import { http, startHostile, targetOf } from '../support/hostile-service.ts';
import { errorOf, jsonLines, openWorld, type Ran, type World } from '../support/run.ts';

type Sector = Readonly<Record<string, unknown>>;

const ROAD = { id: 's1', key: 'road', name: 'Road', description: 'd1' };

interface Patched {
  readonly stored: Sector;
  /** The body of the response. Default: the stored sector. */
  readonly response?: unknown;
}

async function withService(
  patched: (body: Sector) => Patched,
  work: (world: World, requests: () => readonly string[]) => Promise<void>,
  sector: Sector = ROAD,
): Promise<void> {
  let stored = sector;
  await using service = await startHostile((socket, { method, line, body }) => {
    const isList = line.includes('/sectors/ ');
    if (method !== 'PATCH') {
      socket.write(http(200, JSON.stringify(isList ? [stored] : stored)));
      return;
    }
    const { stored: now, response = now } = patched(JSON.parse(body));
    stored = now;
    socket.write(http(200, JSON.stringify(response)));
  });
  await using world = await openWorld(targetOf(service));
  await work(world, () => service.requests.map(({ line }) => line.split(' HTTP')[0]!));
}

async function stateOf(world: World) {
  const [entry] = await listed(world);
  return (await shown(world, entry!.id)).state;
}

const PATCH = ['sectors', 'patch', 'id=s1', '--name', 'Road 2', '--yes'];

function warnings({ stderr }: Ran): unknown[] {
  return jsonLines(stderr).flatMap(({ warning }) => warning ?? []);
}

describe('a change of a sector', () => {
  it('is unconfirmed if a gateway answers 200 with an error, and nobody can tell what was stored', () =>
    withService(
      () => ({
        stored: { ...ROAD, name: 'Street' },
        response: { error: 'upstream timeout', status: 502, success: false },
      }),
      async (world) => {
        const ran = await world.run(PATCH);
        expect([ran.exitCode, ran.stdout]).toEqual([9, '']);
        const error = errorOf(ran);
        expect(error).toMatchObject({ code: 'outcome_unknown', status: 200 });
        expect(error.message).toContain('upstream timeout');
        expect(error.hint).toContain('proc history resolve');
        expect(await stateOf(world)).toBe('unknown');
      },
    ));

  it.each([
    ['the record as it was', undefined],
    ['an error', { error: 'no' }],
  ])('is refused if the service answers 200 with %s, and keeps the old value', (_, response) =>
    withService(
      () => ({ stored: ROAD, response }),
      async (world, requests) => {
        const ran = await world.run(PATCH);
        expect([ran.exitCode, ran.stdout]).toEqual([6, '']);
        expect(errorOf(ran)).toMatchObject({ code: 'refused', status: 200 });
        expect(requests().at(-1)).toBe('GET /api/v1/sectors/s1');
        expect(await stateOf(world)).toBe('rejected');
      },
    ),
  );

  it('is done if the answer says nothing, and a read shows the new value', () =>
    withService(
      (body) => ({ stored: { ...ROAD, ...body }, response: { error: 'timeout' } }),
      async (world) => {
        const ran = await world.run(PATCH);
        expect([ran.exitCode, JSON.parse(ran.stdout).name]).toEqual([0, 'Road 2']);
        expect(await stateOf(world)).toBe('done');
      },
    ));

  it('fails if one of its fields was not changed; history then has it as done', () =>
    withService(
      ({ name }) => ({ stored: { ...ROAD, name } }),
      async (world) => {
        const ran = await world.run([...PATCH, '--description', 'desc 2']);
        expect(ran.exitCode).toBe(6);
        expect(errorOf(ran).details).toMatchObject({ fields: ['description'] });
        expect(await stateOf(world)).toBe('done');
      },
    ));

  it('is read again if the response has the sector before the change', () =>
    withService(
      (body) => ({ stored: { ...ROAD, ...body }, response: ROAD }),
      async (world, requests) => {
        const ran = await world.run(PATCH);
        expect([ran.exitCode, JSON.parse(ran.stdout).name]).toEqual([0, 'Road 2']);
        expect(warnings(ran)).toEqual([]);
        expect(requests().slice(-2)).toEqual([
          'PATCH /api/v1/sectors/s1',
          'GET /api/v1/sectors/s1',
        ]);
        expect(await stateOf(world)).toBe('done');
      },
    ));

  it('warns if the service stores another value', () =>
    withService(
      ({ name }) => ({ stored: { ...ROAD, name: String(name).toUpperCase() } }),
      async (world) => {
        const ran = await world.run(PATCH);
        expect([ran.exitCode, JSON.parse(ran.stdout).name]).toEqual([0, 'ROAD 2']);
        expect(warnings(ran)).toEqual([
          'the service stored other values than proc sent: name was sent as "Road 2", but is "ROAD 2"',
        ]);
      },
    ));

  it.each([
    ['without the field', { id: 's1' }],
    ['with a numeric id', { id: 1, name: 'Road 2' }, { ...ROAD, id: 1 }],
    ['with empty text as null', { id: 's1', name: 'Road 2', description: null }],
  ])('is done with a response %s', (_, response, sector: Sector = ROAD) =>
    withService(
      (body) => ({ stored: { ...sector, ...body }, response }),
      async (world, requests) => {
        const id = String(sector.id);
        const args = ['sectors', 'patch', `id=${id}`, '--name', 'Road 2', '--description', ''];
        const ran = await world.run([...args, '--yes']);
        expect([ran.exitCode, warnings(ran)]).toEqual([0, []]);
        expect(requests().at(-1)).toBe(`PATCH /api/v1/sectors/${id}`);
        expect(await stateOf(world)).toBe('done');
      },
      sector,
    ),
  );
});
