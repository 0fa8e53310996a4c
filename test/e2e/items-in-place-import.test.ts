import { readFile } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { openDoor } from '../support/door.ts';
import { http, startHostile } from '../support/hostile-service.ts';
import { assumeFirstRuns, runHere } from '../support/in-process.ts';
import { errorOf, freshWorld, type Ran, type World } from '../support/run.ts';
import { loggedSandbox } from '../support/service.ts';

assumeFirstRuns();

const sandbox = await loggedSandbox({ empty: true });
let world: World;

beforeEach(async () => {
  sandbox.sql('DELETE FROM items; DELETE FROM requisitions; DELETE FROM lines');
  world = await freshWorld(sandbox.target);
});

function payload(title: string, ...items: readonly (readonly [string | undefined, string])[]) {
  const lines = items.map(([code, name]) => ({ quantity: 1, item: { name, code } }));
  return { title, groups: [{ deliveryMethod: 'pickup', items: lines }] };
}

async function importing(payloads: readonly object[], ...flags: readonly string[]): Promise<Ran> {
  const file = await world.file('r.ndjson', payloads.map((one) => JSON.stringify(one)).join('\n'));
  return runHere(['requisition', 'import', file, '--yes', ...flags], world.env);
}

async function create(code: string, name: string): Promise<void> {
  const ran = await runHere(
    ['items', 'create', '--code', code, '--name', name, '--again'],
    world.env,
  );
  expect(ran.exitCode, ran.stderr).toBe(0);
}

const codes = () =>
  sandbox.sql('SELECT code FROM items ORDER BY code NULLS LAST').map(({ code }) => code);

describe('a line that defines an item', () => {
  it('refers to the existing item with its code and name', async () => {
    await create('A-1', 'Bolt');
    const ran = await importing([
      payload('R-1', ['A-1', 'Bolt'], ['A-2', 'Nut']),
      payload('R-2', ['A-1', ' Bolt '], [undefined, 'Rag']),
    ]);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(ran.stdout)).toMatchObject({ created: 2 });
    expect(codes()).toEqual(['A-1', 'A-2', null]);
    // The lines now refer to existing items. A second import still recognises the rows as sent before.
    const again = await importing([payload('R-1', ['A-1', 'Bolt'], ['A-2', 'Nut'])]);
    expect(JSON.parse(again.stdout)).toMatchObject({ created: 0, sentBefore: 1 });
  });

  it('rejects its requisition if the code belongs to another item or to several', async () => {
    await create('A-1', 'Screw');
    await create('A-2', 'Nut');
    await create('A-2', 'Nut');
    const rows = [
      payload('R-1', ['A-1', 'Bolt']),
      payload('R-2', ['A-2', 'Nut']),
      payload('R-3', ['A-3', 'Rod']),
    ];
    const ran = await importing(rows);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 8 });
    const summary = JSON.parse(ran.stdout);
    expect(summary).toMatchObject({ created: 1, rejected: 2 });
    const rejected = (await readFile(summary.rejectedFile, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(rejected[0]).toMatchObject({
      title: 'R-1',
      groups: [{ items: [{ item: { code: 'A-1', name: 'Bolt' } }] }],
      _reason: expect.stringMatching(
        /^row 1, line 1: groups\[0\]\.items\[0\]\.item\.code: "A-1" is "Screw" \(\S+\) in the catalogue, not "Bolt"/,
      ),
    });
    expect(rejected[1]._reason).toMatch(/"A-2" is the code of 2 items: .* \(Nut\), .* \(Nut\)/);
    expect(codes()).toEqual(['A-1', 'A-2', 'A-2', 'A-3']);
  });

  it('rejects its requisition if another line defines the same new item', async () => {
    const rows = [
      payload('R-1', ['A-1', 'Bolt'], ['A-2', 'Nut']),
      payload('R-2', ['A-1', 'Bolt']),
      payload('R-3', ['A-3', 'Rod'], [undefined, 'Rag']),
    ];
    const dry = await importing(rows, '--dry-run');
    expect(JSON.parse(dry.stdout)).toMatchObject({
      ...{ create: 1, rejected: 2, lines: 2, newItems: 2, newItemsWithoutCode: 1 },
    });
    const first = await importing(rows);
    expect(first, first.stderr).toMatchObject({ exitCode: 8 });
    const { created, rejectedFile } = JSON.parse(first.stdout);
    expect(created).toBe(1);
    expect(await readFile(rejectedFile, 'utf8')).toContain(
      'is a new item on 2 lines, and each would create it; create it first: proc items create --code A-1 --name Bolt',
    );
    await create('A-1', 'Bolt');
    const second = await importing(rows);
    expect(second, second.stderr).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(second.stdout)).toMatchObject({ created: 2, sentBefore: 1 });
    expect(new Set(codes())).toEqual(new Set(['A-1', 'A-2', 'A-3', null]));
  });
});

it('stops if the end of the catalogue cannot be verified', async () => {
  await using other = await loggedSandbox({ empty: true, dialect: 'paging=none' });
  const env = { ...world.env, ...other.target };
  expect(
    (await runHere(['items', 'create', '--code', 'A-1', '--name', 'Bolt'], env)).exitCode,
  ).toBe(0);
  const file = await world.file('r.ndjson', JSON.stringify(payload('R-1', ['A-2', 'Nut'])));
  const ran = await runHere(['requisition', 'import', file, '--yes'], env);
  expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
  expect(errorOf(ran).message).toContain('the list of items may be incomplete');
  expect(other.writes()).toHaveLength(1);
});

it('is checked again before a run is resumed, because the item may exist by then', async () => {
  await using closed = await startHostile((socket, { method }) => {
    socket.write(method === 'GET' ? http(200, '[]') : http(401));
  });
  const door = await openDoor(closed.port);
  const env = { ...world.env, PROC_BASE_URL: door.baseUrl };
  const file = await world.file('r.ndjson', JSON.stringify(payload('R-1', ['A-1', 'Bolt'])));
  expect(
    (await runHere(['requisition', 'import', file, '--yes', '--first-run'], env)).exitCode,
  ).toBe(10);
  await using open = await loggedSandbox({ empty: true });
  door.to = open.port;
  const item = ['items', 'create', '--code', 'A-1', '--name', 'Bolt'];
  expect((await runHere(item, env)).exitCode).toBe(0);
  const ran = await runHere(['imports', 'resume', '--yes'], env);
  expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
  expect(JSON.parse(ran.stdout)).toMatchObject({ created: 1 });
  expect(open.sql('SELECT id FROM items')).toHaveLength(1);
});

it('flat rows with a code and a name follow the rule; a code alone only refers', async () => {
  await create('A-1', 'Bolt');
  await create('A-2', 'Nut');
  const file = await world.file(
    'rows.csv',
    [
      'title,group.deliveryMethod,item.code,item.name,quantity',
      'R-1,pickup,A-1,Bolt,1',
      'R-1,pickup,A-3,Rod,2',
      'R-2,pickup,A-2,Nuts,1',
      'R-3,pickup,A-9,,1',
      'R-4,pickup,A-2,,1',
      '',
    ].join('\n'),
  );
  const args = ['requisition', 'import', file, '--group-by', 'title', '--yes'];
  const ran = await runHere(args, world.env);
  expect(ran, ran.stderr).toMatchObject({ exitCode: 8 });
  const summary = JSON.parse(ran.stdout);
  expect(summary).toMatchObject({ created: 2, rejected: 2 });
  const rejected = await readFile(summary.rejectedFile, 'utf8');
  expect(rejected).toMatch(/""A-2"" is ""Nut"" \(\S+\) in the catalogue, not ""Nuts""/);
  expect(rejected).toContain('no item has the code or id');
  expect(codes()).toEqual(['A-1', 'A-2', 'A-3']);
});
