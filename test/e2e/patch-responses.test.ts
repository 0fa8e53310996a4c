import { expect, it } from 'vitest';
import { listed, shown } from '../support/history.ts';
import { http, startHostile, targetOf } from '../support/hostile-service.ts';
import { errorOf, jsonLines, openWorld, type World } from '../support/run.ts';

type Sector = Readonly<Record<string, unknown>>;

const ROAD = { id: 's1', key: 'road', name: 'Road', description: 'd1' };

/** A service with one sector: what it stores of a change, and its answer (default: what it stores). */
async function withService(
  patched: (body: Sector) => { readonly stored: Sector; readonly response?: unknown },
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

const as = (change: Sector) => (body: Sector) => ({ ...ROAD, ...body, ...change });
const kept = () => ROAD;
const isRead = 'GET /api/v1/sectors/s1';
const isSent = 'PATCH /api/v1/sectors/s1';

type Case = [
  what: string,
  stored: (body: Sector) => Sector,
  response: unknown,
  exitCode: number,
  state: string,
  last: string,
  error: object,
];

const unknown = { code: 'outcome_unknown', status: 200 };
const refused = { code: 'refused', status: 200 };
const unchanged = { code: 'refused', details: { fields: ['description'] } };

/** The name is changed, and the description set to nothing. */
it.each<Case>([
  [
    'an error; stored: another',
    as({ name: 'Street' }),
    { error: 'x' },
    9,
    'unknown',
    isRead,
    unknown,
  ],
  ['an error; stored: nothing', kept, { error: 'no' }, 6, 'rejected', isRead, refused],
  ['an error; stored: the change', as({}), { success: false }, 0, 'done', isRead, {}],
  ['the old record, which is stored', kept, ROAD, 6, 'rejected', isRead, refused],
  ['the old record; stored: the change', as({}), ROAD, 0, 'done', isRead, {}],
  ['a field unchanged', as({ description: 'd1' }), undefined, 6, 'done', isSent, unchanged],
  ['another value', as({ name: 'ROAD 2' }), undefined, 0, 'done', isRead, {}],
  ['a record without the field', as({}), { id: 's1' }, 0, 'done', isSent, {}],
  [
    'null for no text',
    as({}),
    { id: 's1', name: 'Road 2', description: null },
    0,
    'done',
    isSent,
    {},
  ],
])(
  'a change is answered with 200 and %s',
  async (what, stored, response, exitCode, state, last, error) => {
    await withService(
      (body) => ({ stored: stored(body), ...(response === undefined ? {} : { response }) }),
      async (world, requests) => {
        const args = [
          'sectors',
          'patch',
          'id=s1',
          '--name',
          'Road 2',
          '--description',
          '',
          '--yes',
        ];
        const ran = await world.run(args);
        expect(ran, ran.stderr).toMatchObject({ exitCode });
        const [entry] = await listed(world);
        expect((await shown(world, entry!.id)).state).toBe(state);
        expect(requests().at(-1)).toBe(last);
        const warnings = jsonLines(ran.stderr).flatMap(({ warning }) => warning ?? []);
        expect(warnings).toHaveLength(what === 'another value' ? 1 : 0);
        if (exitCode !== 0) expect(errorOf(ran)).toMatchObject(error);
        expect(ran.stdout === '').toBe(exitCode !== 0);
      },
    );
  },
);

it('a numeric id is the same as its text', () =>
  withService(
    (body) => ({ stored: { ...ROAD, id: 1, ...body }, response: { id: 1, name: 'Road 2' } }),
    async (world) => {
      const ran = await world.run(['sectors', 'patch', 'id=1', '--name', 'Road 2', '--yes']);
      expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    },
    { ...ROAD, id: 1 },
  ));

it('a signal while proc reads what an answered change has stored: the write is done, and said', async () => {
  const settling = Promise.withResolvers<void>();
  await using service = await startHostile((socket, { method, line }) => {
    if (method === 'PATCH') socket.write(http(200, JSON.stringify({ ...ROAD, name: 'Other' })));
    else if (service.requests.some((one) => one.method === 'PATCH')) settling.resolve();
    else socket.write(http(200, JSON.stringify(line.includes('/sectors/ ') ? [ROAD] : ROAD)));
  });
  await using world = await openWorld(targetOf(service));
  const running = world.start(['sectors', 'patch', 'id=s1', '--name', 'Road 2', '--yes']);
  await settling.promise;
  running.kill('SIGINT');
  const ran = await running;
  expect(ran.exitCode, ran.stderr).toBe(130);
  const [entry] = await listed(world);
  expect(entry).toMatchObject({ state: 'done' });
  expect(errorOf(ran)).toMatchObject({ code: 'interrupted', details: { historyId: entry!.id } });
  expect(errorOf(ran).hint).toContain(`proc history show ${entry!.id}`);
});
