import { describe, expect, it } from 'vitest';
import { assumeFirstRuns } from '../support/in-process.ts';
import { KEY } from '../support/raw-http.ts';
import { errorOf, freshWorld, openWorld } from '../support/run.ts';
import { startTestSandbox } from '../support/sandbox.ts';
import { loggedSandbox, sqlIn } from '../support/service.ts';

assumeFirstRuns();

const sandbox = await loggedSandbox();
const world = await openWorld(sandbox.target);
const run = (line: string) => world.run(line.split(' '));

await run('items create --name Chain --code CH-1');

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
    ['imputations create --amount 1.000', '1000', '1.0000'],
    ['orders wait PO-00001 --for amount>50.000', "'amount>50000'", "'amount>50.0000'"],
  ])('%s is ambiguous: exit 2 with both spellings, nothing is sent', async (line, ...both) => {
    sandbox.requests.length = 0;
    const ran = await run(line);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    const { message, hint } = errorOf(ran);
    for (const one of both) expect(`${message} ${hint}`).toContain(one);
    expect(sandbox.requests).toHaveLength(0);
  });

  it.each([['addresses patch adr-1 --latitude 40.416 --longitude -3.703', 40.416, -3.703]])(
    'degrees have no thousands: %s',
    async (line, latitude, longitude) => {
      const ran = await run(`${line} --dry-run`);
      expect(ran.exitCode, ran.stderr).toBe(0);
      expect(JSON.parse(ran.stdout).body).toMatchObject({ latitude, longitude });
      const comma = await run('addresses patch adr-1 --latitude 40,416 --dry-run');
      expect(errorOf(comma)).toMatchObject({ code: 'invalid_usage', exitCode: 2 });
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

it.each(['orders list -p nope', 'history list -p nope', 'imports list -p nope'])(
  'an unknown profile is refused: %s',
  async (line) => {
    const ran = await run(line);
    expect(errorOf(ran)).toMatchObject({ code: 'profile_not_found', exitCode: 3 });
    expect(ran.stdout).toBe('');
  },
);

it.each(['imports', 'history'])(
  '-p and -e choose what %s list shows, also of a profile that was removed',
  async (noun) => {
    const here = await freshWorld();
    for (const name of ['acme', 'beta'])
      await here.run(
        `profile add ${name} -e test --base-url ${sandbox.target.PROC_BASE_URL} --api-key-stdin`.split(
          ' ',
        ),
        { input: `${KEY}\n` },
      );
    await here.file('i.csv', 'code,name\nP-1,Pedal\n');
    const create = noun === 'imports' ? 'import i.csv --yes' : 'create --name Pedal --again';
    const made = await here.run(`items ${create} -p acme`.split(' '));
    expect(made.exitCode, made.stderr).toBe(0);
    const listed = async (flags: string) =>
      JSON.parse((await here.run(`${noun} list ${flags}`.split(' '))).stdout).length;
    expect(await listed('-p beta')).toBe(0);
    expect(await listed('-p acme -e other')).toBe(0);
    await here.run('profile remove acme --yes'.split(' '));
    expect(await listed('-p acme')).toBe(1);
  },
);
