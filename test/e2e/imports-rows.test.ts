import { expect, it } from 'vitest';
import { http, startHostile } from '../support/hostile-service.ts';
import { assumeFirstRuns } from '../support/in-process.ts';
import { errorOf, freshWorld } from '../support/run.ts';

assumeFirstRuns();

it('lists the rows of a run with state, line, code, id and reason, like any list', async () => {
  await using service = await startHostile((socket, { body }) => {
    const { reference } = JSON.parse(body);
    if (reference === 'LOST') socket.write(http(500, '{}'));
    else if (reference === 'BAD') socket.write(http(422, '{"message":"no such account"}'));
    else socket.write(http(201, JSON.stringify({ id: `im-${reference}` })));
  });
  const world = await freshWorld({ PROC_BASE_URL: service.baseUrl, PROC_API_KEY: 'k' });
  await world.file('a.csv', 'reference,amount\nA,1\nLOST,2\nBAD,3\n');
  const imported = await world.run([
    'imputations',
    'import',
    'a.csv',
    '--set',
    'contractId=k-1',
    '--yes',
  ]);
  const { run } = JSON.parse(imported.stdout);
  const list = async (...flags: string[]) => {
    const ran = await world.run(['imports', 'rows', run, ...flags]);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    return ran.stdout;
  };

  const all = JSON.parse(await list());
  expect(all).toMatchObject([
    { row: 1, line: 2, state: 'created', id: 'im-A', reason: null, status: null },
    { row: 2, line: 3, state: 'unconfirmed', id: null, status: 500 },
    { row: 3, line: 4, state: 'rejected', id: null, status: 422 },
  ]);
  expect(all[2].reason).toContain('no such account');
  expect(Date.parse(all[1].sentAt)).toBeGreaterThan(0);
  expect(JSON.parse(await list('--state', 'unconfirmed'))).toMatchObject([{ row: 2 }]);
  expect(JSON.parse(await list('--state', 'dropped'))).toEqual([]);
  expect(await list('--where', 'state=rejected', '--fields', 'row,line', '-o', 'csv')).toBe(
    'row,line\r\n3,4\r\n',
  );
  expect(await list('-o', 'id', '--limit', '2')).toBe('1\n2\n');
  expect(await list('-o', 'table')).toMatch(/ROW +LINE +STATE +CODE +ID +REASON/);

  const unknown = await world.run(['imports', 'rows', '20200101-000000-0000']);
  expect(unknown.exitCode).not.toBe(0);
  expect(errorOf(unknown).message).toContain('20200101-000000-0000');
});

it('has the code of a rejected row that was never turned into a body', async () => {
  const world = await freshWorld({ PROC_BASE_URL: 'http://127.0.0.1:9', PROC_API_KEY: 'k' });
  await world.file('a.csv', 'reference,amount\nINV-X1,abc\n,x\n');
  const flags = ['--dry-run', '--results', 'plan.csv'];
  const dry = await world.run([
    'imputations',
    'import',
    'a.csv',
    '--set',
    'contractId=k-1',
    ...flags,
  ]);
  expect(JSON.parse(dry.stdout).samples.invalid).toMatchObject([
    { code: 'INV-X1' },
    { code: null },
  ]);
  const imported = await world.run([
    'imputations',
    'import',
    'a.csv',
    '--set',
    'contractId=k-1',
    '--yes',
  ]);
  const { run } = JSON.parse(imported.stdout);
  const rows = JSON.parse((await world.run(['imports', 'rows', run])).stdout);
  expect(rows).toMatchObject([
    { state: 'rejected', code: 'INV-X1' },
    { state: 'rejected', code: null },
  ]);
});
