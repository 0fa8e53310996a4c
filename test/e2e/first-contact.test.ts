import { describe, expect, it } from 'vitest';
import { always, http, startHostile, targetOf } from '../support/hostile-service.ts';
import { KEY, raw } from '../support/raw-http.ts';
import { freshWorld } from '../support/run.ts';
import { startTestSandbox } from '../support/sandbox.ts';

/** Services that answer 400 to parameters that they do not know. */
const DIALECTS = [
  'limit=pageSize,offset=skip,sort=orderBy,dir=direction',
  'limit=top,offset=$skip',
  'limit=size,page=page,pageBase=0',
  'limit=per_page,page=page',
  'limit=first,offset=start,sort=order,dir=sort',
  'page=p,pageBase=0,sort=sort_by,dir=sort_dir',
];

async function added(dialect: string, items: number) {
  const requests: string[] = [];
  const sandbox = await startTestSandbox({
    dialect,
    onRequest: ({ method, path }) => requests.push(`${method} ${path}`),
  });
  for (let at = 0; at < items; at++) {
    const body = { name: `Bolt ${at}`, code: `HB-${(at * 7) % items}` };
    await raw(sandbox.baseUrl, 'POST', '/items/', { body });
  }
  const world = await freshWorld();
  const add = `profile add acme -e test --base-url ${sandbox.baseUrl} --api-key-stdin`;
  expect((await world.run(add.split(' '), { input: `${KEY}\n` })).exitCode).toBe(0);
  const run = async (line: string) => {
    const ran = await world.run(line.split(' '));
    expect(ran.exitCode, `${line}: ${ran.stderr}`).toBe(0);
    return { ...ran, rows: JSON.parse(ran.stdout) };
  };
  return { world, run, requests };
}

describe.each(DIALECTS)('after profile add with a key, %s', (dialect) => {
  it.each([0, 1, 30])('lists work with %i items', async (items) => {
    const { world, run, requests } = await added(`${dialect},unknown=refuse`, items);
    const first = await run('orders list --limit 2');
    expect(first.rows).toHaveLength(2);
    const all = await run('orders list --all');
    expect(all.rows).toHaveLength(500);
    expect(first.stderr + all.stderr).toContain('stored for acme · test: ');
    requests.length = 0;
    expect((await run('orders list --limit 2')).stderr).not.toContain('stored');
    expect(requests).toHaveLength(1);
    expect((await run('orders get PO-00042')).rows).toMatchObject({ code: 'PO-00042' });
    expect((await run('items list --all')).rows).toHaveLength(items);
    expect((await run('items find bolt')).rows).toHaveLength(items);
    if (items > 0) expect((await run('items get HB-0')).rows).toMatchObject({ code: 'HB-0' });
    const created = await world.run('items create --name New --code NEW-1'.split(' '));
    expect(created.exitCode, created.stderr).toBe(0);
  });
});

it.each(['orders get PO-00042', 'items find bolt', 'items list --all', 'orders list --all'])(
  'the first command may be %s',
  async (line) => {
    const { run } = await added('limit=top,page=pageNo,unknown=refuse', 30);
    expect((await run(line)).stderr).toContain('stored for acme · test: ');
  },
);

it('without a profile, the names hold for the command, and it says how to keep them', async () => {
  const { baseUrl } = await startTestSandbox({ dialect: 'limit=top,unknown=refuse' });
  const world = await freshWorld({ PROC_BASE_URL: baseUrl });
  const ran = await world.run('orders list --limit 2'.split(' '));
  expect(ran.exitCode, ran.stderr).toBe(0);
  const [, text] = /PROC_DIALECT='([^']+)'/.exec(ran.stderr)!;
  const env = { PROC_DIALECT: text };
  const next = await world.run('orders list --limit 2'.split(' '), { env });
  expect(next).toMatchObject({ exitCode: 0, stderr: '' });
});

it('a list that is refused without parameters too keeps its error', async () => {
  await using service = await startHostile(always(http(400, '{"message":"no"}')));
  const world = await freshWorld(targetOf(service));
  const ran = await world.run(['orders', 'list']);
  expect(ran.exitCode).toBe(6);
  expect(service.requests.length).toBeLessThan(5);
});
