import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { errorOf, freshWorld } from '../support/run.ts';
import { startTestSandbox } from '../support/sandbox.ts';

it('finds an item by its code among ten thousand without reading them all', async () => {
  const reads: string[] = [];
  const { baseUrl, dbPath } = await startTestSandbox({
    onRequest: ({ method, path }) => method === 'GET' && reads.push(path),
  });
  const world = await freshWorld({ PROC_BASE_URL: baseUrl });
  await world.run(['items', 'create', '--name', 'First', '--code', 'X-0']);
  const database = new DatabaseSync(dbPath);
  // As in real catalogues, the order of creation is not the order of codes.
  database.exec(`insert into items (id, organizationId, code, name, createdAt, updatedAt)
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 10000)
    select 'bulk-' || i, (select organizationId from items limit 1),
      printf('C-%06d', (i * 7919) % 10007), 'Item ' || i, '2026-01-01', '2026-01-01' from n`);
  database.close();

  const found = await world.run([
    ...['requisition', 'create', '--title', 'T', '--group', 'delivery=pickup'],
    ...['--item', 'code=C-004242,quantity=1', '-v'],
  ]);
  expect(found.exitCode, found.stderr).toBe(0);
  expect(reads.length).toBeLessThan(40);

  reads.length = 0;
  const absent = await world.run([
    ...['requisition', 'create', '--title', 'T', '--group', 'delivery=pickup'],
    ...['--item', 'code=C-004242-X,quantity=1'],
  ]);
  expect(absent.exitCode).toBe(2);
  expect(absent.stderr).toContain('no item has the code');
  // One search for the code as it was typed, and one in lower case.
  expect(reads.length).toBeLessThan(60);

  reads.length = 0;
  const create = ['items', 'create', '--name', 'Other', '--code', 'c-004242'];
  const again = await world.run(create);
  expect(errorOf(again)).toMatchObject({ code: 'code_exists', exitCode: 2 });
  expect(errorOf(again).message).toContain('C-004242');
  expect(reads.length).toBeLessThan(60);
});

it('reads a short list to its proved end with four requests before an item is created', async () => {
  const reads: string[] = [];
  const { baseUrl } = await startTestSandbox({
    onRequest: ({ method, path }) => method === 'GET' && reads.push(path),
  });
  const world = await freshWorld({ PROC_BASE_URL: baseUrl });
  const create = (code: string) => world.run(['items', 'create', '--name', code, '--code', code]);
  for (const code of ['X-1', 'X-2', 'X-3'])
    expect(await create(code)).toMatchObject({ exitCode: 0 });
  reads.length = 0;
  expect(await create('X-4')).toMatchObject({ exitCode: 0 });
  // The page, from its last row on, from its end on, and the last row in the other direction.
  expect(reads).toHaveLength(4);
  expect(errorOf(await create('x-4'))).toMatchObject({ code: 'code_exists' });
});
