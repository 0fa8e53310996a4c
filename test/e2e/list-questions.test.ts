import { describe, expect, it } from 'vitest';
import { http, startHostile, targetOf } from '../support/hostile-service.ts';
import { assumeFirstRuns } from '../support/in-process.ts';
import { errorOf, freshWorld, jsonLines, openWorld } from '../support/run.ts';
import { startTestSandbox } from '../support/sandbox.ts';
import { loggedSandbox, sqlIn } from '../support/service.ts';

assumeFirstRuns();

const sandbox = await loggedSandbox();
const world = await openWorld(sandbox.target);
const run = (line: string) => world.run(line.split(' '));

await run('items create --name Chain --code CH-1');

describe('a limit of a filtered list', () => {
  it('ends the reading once it is filled, and stderr says so', async () => {
    sandbox.requests.length = 0;
    const ran = await run('orders list --status complete --limit 2');
    expect(JSON.parse(ran.stdout)).toHaveLength(2);
    expect(sandbox.requests).toHaveLength(1);
    expect(jsonLines(ran.stderr)).toEqual([
      { notice: '--status: 2 of 100 fetched rows match, stopped by --limit' },
    ]);
  });
});

describe('a field that no row has', () => {
  it.each([
    ['orders list -q [].amuont', '--query: no row has a field "amuont"', 'amount'],
    ["orders list -q [?stauts=='x']", '--query: no row has a field "stauts"', 'status'],
    ['items list --query bolt', '--query: no row has a field "bolt"', 'Fields: '],
    ['orders list --where amuont>5', '--where: no row has a field "amuont"', 'amount'],
    [
      'orders list --fields code,titel --out a.json',
      '--fields: no row has a field "titel"',
      'title',
    ],
    ['sectors get sec-1 --fields nmae', '--fields: no row has a field "nmae"', 'name'],
    ['api GET /orders/ --where kode=x', '--where: no row has a field "kode"', 'code'],
  ])('%s: exit 2, nothing is printed', async (line, says, hint) => {
    const ran = await run(line);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(errorOf(ran).message).toContain(says);
    expect(errorOf(ran).hint).toContain(hint);
  });

  it.each([
    'orders list -q [].{c:code}|[].c',
    'orders list -q length(@)',
    'orders list -q group_by(@,&status).complete[].id',
    'orders list --where code=none -q [].whatever',
    "sectors list -q [?name=='x'].key",
  ])('%s: exit 0', async (line) => {
    const ran = await run(line);
    expect(ran.exitCode, ran.stderr).toBe(0);
  });

  it('a field of the contract that no row has now is no mistake', async () => {
    await using service = await startHostile((socket, { line }) => {
      socket.write(http(200, line.includes('offset=1') ? '[]' : '[{"id":"a"}]'));
    });
    const other = await freshWorld(targetOf(service));
    const ran = await other.run(['orders', 'list', '-q', '[].title']);
    expect(ran).toMatchObject({ exitCode: 0, stdout: '[]\n' });
  });
});

describe('references', () => {
  it('--map orderId=COLUMN finds orders by code, as order=COLUMN does', async () => {
    const { baseUrl, dbPath } = await startTestSandbox();
    const here = await freshWorld({ PROC_BASE_URL: baseUrl });
    await here.file(
      'i.csv',
      'Ref,account,PO,Value\nR-1,a,PO-00001,10\nR-2,a,po-2,20\nR-3,a,PO-none,30\n',
    );
    const map = ['--map', 'reference=Ref', '--map', 'orderId=PO', '--map', 'amount=Value'];
    const args = ['imputations', 'import', 'i.csv', ...map];
    const dry = await here.run([...args, '--dry-run']);
    expect(JSON.parse(dry.stdout)).toMatchObject({ create: 2, rejected: 1 });
    const ran = await here.run([...args, '--yes']);
    expect(ran.exitCode, ran.stderr).toBe(8);
    const sql = "SELECT reference, orderId FROM imputations WHERE reference LIKE 'R-_' ORDER BY 1";
    expect(sqlIn(dbPath, sql)).toEqual([
      { reference: 'R-1', orderId: 'po-1' },
      { reference: 'R-2', orderId: 'po-2' },
    ]);
  });
});

describe('money typed by a person', () => {
  it.each([
    ['imputations create --amount 1.000', '--amount 1000', '--amount 1.0000'],
    ['imputations create --amount -12,345', '--amount -12345', '--amount -12.3450'],
    ['orders list --where amount>50.000', "'amount>50000'", "'amount>50.0000'"],
    ['orders wait PO-00001 --for amount>50.000', "'amount>50000'", "'amount>50.0000'"],
  ])('%s is ambiguous: exit 2 with both spellings, nothing is sent', async (line, ...both) => {
    sandbox.requests.length = 0;
    const ran = await run(line);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    for (const one of both) expect(errorOf(ran).hint).toContain(one);
    expect(sandbox.requests).toHaveLength(0);
  });

  it.each([['addresses patch adr-1 --latitude 40.416 --longitude -3.703', 40.416, -3.703]])(
    'degrees have no thousands: %s',
    async (line, latitude, longitude) => {
      const ran = await run(`${line} --dry-run`);
      expect(ran.exitCode, ran.stderr).toBe(0);
      expect(JSON.parse(ran.stdout).body).toMatchObject({ latitude, longitude });
      const comma = await run('addresses patch adr-1 --latitude 40,416 --dry-run');
      expect(errorOf(comma).message).toContain('Write --latitude 40.416');
    },
  );

  it('what an export wrote is read back', async () => {
    const { baseUrl, dbPath } = await startTestSandbox();
    const here = await freshWorld({ PROC_BASE_URL: baseUrl });
    sqlIn(dbPath, "UPDATE orders SET amount = 12.345 WHERE id = 'po-1'");
    for (const name of ['o.csv', 'o.xlsx', 'o.json']) {
      await here.run(['orders', 'list', '--out', name]);
      const map = ['reference=title', 'account=status', 'order=code'].flatMap((m) => ['--map', m]);
      const dry = await here.run(['imputations', 'import', name, ...map, '--dry-run']);
      expect(JSON.parse(dry.stdout), dry.stderr).toMatchObject({ rejected: 0 });
    }
  });
});
