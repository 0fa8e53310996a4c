import { expect, it } from 'vitest';
import { http, startHostile, targetOf } from '../support/hostile-service.ts';
import { assumeFirstRuns } from '../support/in-process.ts';
import { errorOf, freshWorld } from '../support/run.ts';

assumeFirstRuns();

/** A service of items that gives the create of `lies` the id of the first item. */
async function shop(lies: string) {
  const items: { id: string; code: string; name: string }[] = [];
  const service = await startHostile((socket, { method, line, body }) => {
    if (method === 'GET') {
      const query = new URL(line.split(' ')[1]!, 'http://x').searchParams;
      const rows = items.toSorted((a, b) => (a.code < b.code ? -1 : 1));
      if (query.get('dir') === 'desc') rows.reverse();
      const from = Number(query.get('offset') ?? 0);
      const page = rows.slice(from, from + Number(query.get('limit') ?? 20));
      socket.write(http(200, JSON.stringify(page)));
      return;
    }
    const { code, name, reference } = JSON.parse(body);
    const item = { id: `${items.length + 1}`, code, name };
    items.push(item);
    const id = code === lies || reference === lies ? '1' : item.id;
    socket.write(
      http(201, JSON.stringify(code === undefined ? { id, reference } : { ...item, id })),
    );
  });
  const world = await freshWorld({ ...targetOf(service) });
  const create = (code: string, ...flags: readonly string[]) =>
    world.run(['items', 'create', '--code', code, '--name', `Item ${code}`, '--yes', ...flags]);
  const reset = () => {
    items.length = 0;
  };
  return { service, items, world, create, reset };
}

it('a single create with the id of an earlier record that the list still shows is unconfirmed', async () => {
  const { service, world, create } = await shop('B-2');
  await using _ = service;
  expect((await create('A-1')).exitCode).toBe(0);
  const ran = await create('B-2');
  expect(ran.exitCode, ran.stderr).toBe(9);
  expect(errorOf(ran)).toMatchObject({
    code: 'outcome_unknown',
    message: expect.stringMatching(/the id 1, which the command \S+ has created before/),
  });
  const [entry] = JSON.parse((await world.run(['history', 'list'])).stdout);
  expect(entry.state).toBe('unknown');
});

it('also if a row of an import created that record', async () => {
  const { service, world, create } = await shop('B-2');
  await using _ = service;
  await world.file('i.csv', 'code,name\nA-1,Bolt\n');
  expect((await world.run(['items', 'import', 'i.csv', '--yes'])).exitCode).toBe(0);
  const ran = await create('B-2');
  expect(ran.exitCode, ran.stderr).toBe(9);
  expect(ran.stderr).toContain('which row 1 of run');
});

it('ids that start again after a reset are believed where the list shows that the records are gone', async () => {
  const { service, create, reset } = await shop('');
  await using _ = service;
  expect((await create('A-1')).exitCode).toBe(0);
  reset();
  const other = await create('C-3');
  expect(other.exitCode, other.stderr).toBe(0);
});

it('an imputation with the id of an earlier one is unconfirmed', async () => {
  const { service, world } = await shop('R-2');
  await using _ = service;
  const create = (reference: string) =>
    world.run([
      ...['imputations', 'create', '--reference', reference, '--order', 'id=o1', '--account', '1'],
      ...['--amount', '5', '--currency', 'USD', '--yes'],
    ]);
  expect((await create('R-1')).exitCode).toBe(0);
  const ran = await create('R-2');
  expect(ran.exitCode, ran.stderr).toBe(9);
  expect(ran.stderr).toContain('use another state folder');
  expect((await create('R-3')).exitCode).toBe(0);
});

it('a requisition with the id of an imported one is unconfirmed', async () => {
  await using service = await startHostile((socket, { method }) => {
    const answer = method === 'GET' ? '[]' : '{"requisitionId":"req-1"}';
    socket.write(http(method === 'GET' ? 200 : 201, answer));
  });
  const world = await freshWorld({ ...targetOf(service), PROC_LIST_NAMES: 'paging=none' });
  const groups = [{ deliveryMethod: 'pickup', items: [{ quantity: 1, item: { name: 'Bolt' } }] }];
  await world.file('r.json', JSON.stringify([{ title: 'Imported', groups }]));
  const imported = await world.run(['requisition', 'import', 'r.json', '--yes']);
  expect(imported.exitCode, imported.stderr).toBe(0);
  await world.file('one.json', JSON.stringify({ title: 'Single', groups }));
  const ran = await world.run(['requisition', 'create', '--file', 'one.json', '--yes']);
  expect(ran.exitCode, ran.stderr).toBe(9);
  expect(ran.stderr).toContain('which row 1 of run');
});
