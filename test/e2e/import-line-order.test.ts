import { expect, it } from 'vitest';
import { http, startHostile } from '../support/hostile-service.ts';
import { assumeFirstRuns } from '../support/in-process.ts';
import { errorOf, freshWorld } from '../support/run.ts';

assumeFirstRuns();

async function requisitionService() {
  const sent: Record<string, unknown>[] = [];
  const service = await startHostile((socket, { body }) => {
    sent.push(JSON.parse(body));
    socket.write(http(201, JSON.stringify({ requisitionId: `req-${sent.length}` })));
  });
  return {
    sent,
    target: { PROC_BASE_URL: service.baseUrl, PROC_API_KEY: 'k' },
    [Symbol.asyncDispose]: () => service.close(),
  };
}

const FLAT = (file: string) => [
  ...['requisition', 'import', file, '--group-by', 'Request', '--map', 'title=Request'],
  ...['--map', 'item.name=Part', '--map', 'quantity=Qty'],
  ...['--set', 'group.deliveryMethod=pickup', '--yes'],
];

it('a requisition with reordered lines or columns is recognised as sent', async () => {
  await using service = await requisitionService();
  const world = await freshWorld(service.target);
  await world.file('a.csv', 'Request,Part,Qty\nR-1,Bolt,2\nR-1,Nut,3\nR-2,Bolt,1\n');
  const first = await world.run(FLAT('a.csv'));
  expect(first, first.stderr).toMatchObject({ exitCode: 0 });
  await world.file('b.csv', 'Qty,Part,Request\n1,Bolt,R-2\n3,Nut,R-1\n2,Bolt,R-1\n');
  const again = await world.run(FLAT('b.csv'));
  expect(again, again.stderr).toMatchObject({ exitCode: 2, stdout: '' });
  expect(errorOf(again).message).toMatch(/^2 of 2 requisitions were already sent by run /);
  await world.file('c.csv', 'Request,Part,Qty\nR-1,Bolt,3\nR-1,Nut,2\n');
  expect(await world.run(FLAT('c.csv')), 'other quantities').toMatchObject({ exitCode: 0 });

  const payload = structuredClone(service.sent.find(({ title }) => title === 'R-1')!);
  (payload.groups as { items: unknown[] }[])[0]!.items.reverse();
  const file = await world.file('d.ndjson', `${JSON.stringify(payload)}\n`);
  const asPayload = await world.run(['requisition', 'import', file, '--yes']);
  expect(errorOf(asPayload).message).toMatch(/^1 of 1 row was already sent by run /);
  expect(service.sent).toHaveLength(3);
});
