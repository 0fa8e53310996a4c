import { cpSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atNight } from '../support/at-night.ts';
import { assumeFirstRuns } from '../support/in-process.ts';
import { book, bookOne, changed, fine } from '../support/ledger-steps.ts';
import { type Cluster, cutter, query, startPostgres } from '../support/postgres.ts';
import { errorOf, type World } from '../support/run.ts';
import { type LoggedSandbox, loggedSandbox } from '../support/service.ts';
import { itemsCsv, teamAt } from '../support/team.ts';

assumeFirstRuns();

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startPostgres();
});
afterAll(() => cluster[Symbol.asyncDispose]());

const team = (service: LoggedSandbox, ledger?: string) => teamAt(service, cluster, ledger);

async function importing(world: World, from: number, to: number, ...flags: string[]) {
  await world.file('items.csv', itemsCsv(from, to));
  return world.run(['items', 'import', 'items.csv', '--yes', '-o', 'json', ...flags]);
}

describe('a ledger that a team shares', () => {
  it('has the writes and runs of all machines', async () => {
    await using service = await loggedSandbox();
    const { machine } = await team(service);
    const [a, b] = [await machine(), await machine()];
    const argv = ['items', 'create', '--name', 'Bolt', '--once', 'job-1', '-o', 'json'];
    const first = await a.run(argv);
    expect(first, first.stderr).toMatchObject({ exitCode: 0 });
    const again = await b.run(argv);
    expect(again, again.stderr).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(again.stdout)).toEqual(JSON.parse(first.stdout));
    expect(service.writes()).toHaveLength(1);
    const listed = JSON.parse((await b.run(['history', 'list', '-o', 'json'])).stdout);
    expect(listed).toMatchObject([{ once: 'job-1' }]);
    expect(errorOf(await b.run(['items', 'create', '--name', 'Bolt']))).toMatchObject({
      code: 'repeated_write',
    });
    const ran = await importing(a, 1, 30);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    const [run] = JSON.parse((await b.run(['imports', 'list', '-o', 'json'])).stdout);
    expect(run).toMatchObject({ state: 'finished', created: 30 });
    const shown = await b.run(['imports', 'show', '-o', 'json']);
    expect(JSON.parse(shown.stdout)).toMatchObject({ run: run.run, created: 30, verified: true });
    const pruned = await b.run(['imports', 'prune', run.run, '--yes', '-o', 'json']);
    expect(JSON.parse(pruned.stdout)).toMatchObject({ removed: 1 });
    expect(await importing(a, 1, 31)).toMatchObject({ exitCode: 0 });
    expect(service.writes()).toHaveLength(32);
  });

  it('a create that another machine may be sending is busy; later its outcome is unknown', async () => {
    await using service = await loggedSandbox();
    const { machine, url } = await team(service);
    const argv = ['items', 'create', '--name', 'Bolt', '--once', 'job-1'];
    expect(await (await machine()).run(argv)).toMatchObject({ exitCode: 0 });
    const other = await machine();
    await query(url, "UPDATE entries SET state = 'pending', outcome = NULL");
    const early = errorOf(await other.run(argv));
    expect(early).toMatchObject({ code: 'busy', exitCode: 2, retry: 'later' });
    await query(url, 'UPDATE entries SET at = 0');
    expect(errorOf(await other.run(argv))).toMatchObject({ code: 'outcome_unknown', exitCode: 9 });
    expect(service.writes()).toHaveLength(1);
  });

  it('a dry run changes nothing, and makes no tables', async () => {
    await using service = await loggedSandbox();
    const { machine, url } = await team(service);
    const planned = await importing(await machine(), 1, 3, '--dry-run');
    expect(planned, planned.stderr).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(planned.stdout)).toMatchObject({ create: 3 });
    expect(await query(url, "SELECT to_regclass('runs') AS found")).toEqual([{ found: null }]);
  });
});

describe('a machine that was killed', () => {
  it('items: the same line on another machine heals, once the lock has expired', async () => {
    await using service = await loggedSandbox({ faults: 'latency=20ms' });
    const { machine, expireLocks } = await team(service);
    const [a, b] = [await machine(), await machine()];
    await a.file('items.csv', itemsCsv(1, 300));
    const killed = a.start(['items', 'import', 'items.csv', '--yes', '--rate', '100']);
    await expect.poll(() => service.writes().length, { timeout: 60_000 }).toBeGreaterThan(60);
    killed.kill('SIGKILL');
    await killed;
    // Here, nobody need wait: the process is gone.
    const elsewhere = { PROC_SETTLE: '100ms' };
    await expireLocks();
    await b.file('items.csv', itemsCsv(1, 300));
    const ran = await b.run(['items', 'import', 'items.csv', '--yes', '-o', 'json'], {
      env: elsewhere,
    });
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(service.writes()).toHaveLength(300);
    const runs = JSON.parse((await a.run(['imports', 'list', '-o', 'json'])).stdout);
    expect(runs.map(({ state }: { state: string }) => state)).toEqual(['finished', 'finished']);
    const [last, first] = runs;
    const dropped = ['imports', 'rows', first.run, '--state', 'dropped', '-o', 'json'];
    const rows = JSON.parse((await a.run(dropped)).stdout);
    // Those that were open were looked up.
    expect(rows.at(-1)).toMatchObject({ reason: `moved to run ${last.run}` });
  });

  it('imputations: another machine resumes and resolves its run', async () => {
    await using service = await loggedSandbox({ faults: 'latency=30ms' });
    const { machine, expireLocks } = await team(service);
    const [a, b] = [await machine(), await machine()];
    const rows = Array.from({ length: 80 }, (_, at) => `6100,${at + 1},r-${at}`);
    await a.file('cost.csv', `account,amount,reference\n${rows.join('\n')}\n`);
    const argv = 'imputations import cost.csv --set contractId=k-1 --yes'.split(' ');
    const killed = a.start([...argv, '--first-run'], { env: { PROC_CONCURRENCY: '2' } });
    await expect.poll(() => service.writes().length, { timeout: 60_000 }).toBeGreaterThan(15);
    killed.kill('SIGKILL');
    await killed;
    await expireLocks();
    const env = { PROC_SETTLE: '100ms' };
    const resumed = await b.run(['imports', 'resume', '--yes', '-o', 'json'], { env });
    expect(resumed, resumed.stderr).toMatchObject({ exitCode: 9 });
    const { unconfirmed, created } = JSON.parse(resumed.stdout);
    expect(unconfirmed).toBeLessThanOrEqual(2);
    expect(unconfirmed + created).toBe(80);
    const resolved = await b.run(['imports', 'resolve', 'last', '--adopt', '--all', '--yes']);
    expect(resolved, resolved.stderr).toMatchObject({ exitCode: 0 });
    await b.file('cost.csv', `account,amount,reference\n${rows.join('\n')}\n`);
    const sent = service.writes().length;
    const again = await b.run([...argv, '-o', 'json']);
    expect(again, again.stderr).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(again.stdout)).toMatchObject({ sentBefore: 80, created: 0 });
    expect(service.writes()).toHaveLength(sent);
  });

  it('an import that runs elsewhere is busy, with its host', async () => {
    await using service = await loggedSandbox({ faults: 'latency=20ms' });
    const { machine } = await team(service);
    const [a, b] = [await machine(), await machine()];
    await a.file('items.csv', itemsCsv(1, 400));
    const running = a.start(['items', 'import', 'items.csv', '--yes', '--rate', '50']);
    await expect.poll(() => service.writes().length, { timeout: 60_000 }).toBeGreaterThan(5);
    expect(errorOf(await importing(b, 1, 400))).toMatchObject({ code: 'busy' });
    running.kill('SIGTERM');
    await running;
    // The plan of another file names what the stopped run has left.
    const other = JSON.parse((await importing(b, 401, 401, '--dry-run')).stdout);
    expect(Object.values(other.remaining)).toEqual([400 - service.writes().length]);
    const ran = await importing(b, 1, 400);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(service.writes()).toHaveLength(400);
  });
});

describe('a ledger that cannot be used', () => {
  it('is exit 3 before anything is sent, without the password', async () => {
    await using service = await loggedSandbox();
    const { machine } = await team(service, 'postgres://proc:canary-5512@127.0.0.1:1/none');
    const world = await machine();
    for (const ran of [
      await world.run(['items', 'create', '--name', 'Bolt']),
      await importing(world, 1, 3),
      await world.run(['imports', 'list']),
    ]) {
      expect(errorOf(ran)).toMatchObject({ code: 'ledger_unreachable', exitCode: 3 });
      expect(ran.stderr).not.toContain('canary');
    }
    expect(service.writes()).toEqual([]);
    // A read needs no ledger.
    expect(await world.run(['orders', 'list'])).toMatchObject({ exitCode: 0 });
  });

  it.each(['postgres://u:a%b@db/x', 'mysql://db.example/x', 'db.example'])(
    '%s is refused',
    async (url) => {
      await using service = await loggedSandbox();
      const { machine } = await team(service, url);
      const error = errorOf(await (await machine()).run(['history', 'list']));
      expect(error).toMatchObject({ code: 'invalid_setting', exitCode: 3 });
    },
  );

  it('is reached with the variables and the password file of PostgreSQL', async () => {
    await using service = await loggedSandbox();
    const owner = await team(service);
    const { hostname, port, username, password, pathname } = new URL(owner.url);
    const world = await (await team(service, 'postgres://')).machine();
    const line = [hostname, port, pathname.slice(1), username, password].join(':');
    await writeFile(join(world.folder, '.pgpass'), `${line}\n`, { mode: 0o600 });
    const env = {
      ...{ HOME: world.folder, PGHOST: hostname, PGPORT: port },
      ...{ PGUSER: username, PGDATABASE: pathname.slice(1) },
    };
    const byFile = await world.spawn(['items', 'create', '--name', 'Bolt'], { env });
    expect(byFile, byFile.stderr).toMatchObject({ exitCode: 0 });
    const other = { ...env, HOME: '/nowhere', PGPASSWORD: password };
    const byVariable = await world.spawn(['items', 'create', '--name', 'Nut'], { env: other });
    expect(byVariable, byVariable.stderr).toMatchObject({ exitCode: 0 });
    expect(await query(owner.url, 'SELECT count(*)::int AS n FROM entries')).toEqual([{ n: 2 }]);
  });
});

describe('a connection that is cut', () => {
  it.each([
    ['server', 27] as const,
    ...(atNight
      ? ([
          ['client', 27],
          ['server', 40],
        ] as const)
      : []),
  ])('at piece %s %i: the same line again completes', async (side, nth) => {
    await using service = await loggedSandbox({ faults: 'latency=3ms' });
    const url = await cluster.database();
    await using proxy = await cutter(url);
    const { machine } = await team(service, proxy.url);
    const world = await machine();
    await world.run(['history', 'list']);
    await world.file('items.csv', itemsCsv(1, 200));
    const argv = ['items', 'import', 'items.csv', '--yes', '-o', 'json'];
    const env = { PROC_SETTLE: '100ms' };
    proxy.cutAt(side, nth);
    const cut = await world.spawn(argv, { env });
    proxy.heal();
    const sent = service.writes().length;
    if (cut.exitCode === 0) expect(sent).toBe(200);
    else if (cut.exitCode === 3) expect(sent).toBe(0);
    else expect(cut, cut.stderr).toMatchObject({ exitCode: 10 });
    await query(url, 'UPDATE locks SET expires = 0');
    const again = await world.spawn(argv, { env });
    expect(again, again.stderr).toMatchObject({ exitCode: 0 });
    expect(service.writes()).toHaveLength(200);
  });
});

it('a create is not sent if the database may have lost the same one', async () => {
  await using service = await loggedSandbox();
  const { machine, url } = await team(service);
  const a = await machine();
  const create = ['items', 'create', '--name', 'Nut', '--once', 'job-1'];
  expect(await a.run(create)).toMatchObject({ exitCode: 0 });
  await query(url, "UPDATE proc_ledger SET timeline = 'other'; DELETE FROM entries");
  const refused = await a.run(create);
  expect(refused).toMatchObject({ exitCode: 3 });
  expect(errorOf(refused)).toMatchObject({ code: 'ledger_changed' });
  expect(service.writes()).toHaveLength(1);
});

describe('imports share', () => {
  it('moves what two laptops have sent: nothing is sent again, keys of --once hold', async () => {
    await using service = await loggedSandbox({ faults: 'latency=10ms' });
    const { machine } = await team(service);
    const alone = { env: { PROC_LEDGER: undefined } };
    const [a, b] = [await machine(), await machine()];
    const rows = (from: number, to: number) =>
      `account,amount,reference\n${Array.from({ length: to - from + 1 }, (_, at) => `6100,${from + at},r-${from + at}`).join('\n')}\n`;
    const argv = 'imputations import cost.csv --set contractId=k-1 --yes -o json'.split(' ');
    await a.file('cost.csv', rows(1, 30));
    await b.file('cost.csv', rows(31, 50));
    for (const one of [a, b])
      expect(await one.run([...argv, '--first-run'], alone)).toMatchObject({ exitCode: 0 });
    const once = ['items', 'create', '--name', 'Bolt', '--once', 'job-1', '-o', 'json'];
    const made = await a.run(once, alone);
    expect(made).toMatchObject({ exitCode: 0 });
    // An unfinished run of items, too.
    await b.file('items.csv', itemsCsv(1, 200));
    const killed = b.start(['items', 'import', 'items.csv', '--yes', '--rate', '100'], alone);
    await expect.poll(() => service.writes().length, { timeout: 60_000 }).toBeGreaterThan(80);
    killed.kill('SIGKILL');
    await killed;
    const share = ['imports', 'share', '--yes', '-o', 'json'];
    expect(errorOf(await a.run(share, alone))).toMatchObject({ code: 'invalid_usage' });
    const shared = await a.run(share);
    expect(shared, shared.stderr).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(shared.stdout)).toMatchObject({ runs: 1, writes: 1 });
    expect(JSON.parse((await b.run(share)).stdout)).toMatchObject({ runs: 2, writes: 0 });
    // Nothing is moved twice.
    expect(JSON.parse((await a.run(share)).stdout)).toMatchObject({ runs: 0, writes: 0 });
    const before = service.writes().length;
    const c = await machine();
    await c.file('cost.csv', rows(1, 60));
    const ran = await c.run(argv);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(ran.stdout)).toMatchObject({ sentBefore: 50, created: 10 });
    expect(JSON.parse((await c.run(once)).stdout)).toEqual(JSON.parse(made.stdout));
    expect(service.writes()).toHaveLength(before + 10);
    const resumed = await c.run(['imports', 'resume', '--yes', '-o', 'json'], {
      env: { PROC_SETTLE: '100ms' },
    });
    expect(resumed, resumed.stderr).toMatchObject({ exitCode: 0 });
    // 50 imputations and 10 more, a bolt, 200 items.
    expect(service.writes()).toHaveLength(261);
    // Here, they are over.
    const left = JSON.parse(
      (await b.run(['imports', 'list', '--open', '-o', 'json'], alone)).stdout,
    );
    expect(left).toEqual([]);
    const { run } = JSON.parse(resumed.stdout);
    const moved = errorOf(await b.run(['imports', 'show', run], alone));
    expect(moved).toMatchObject({ code: 'reference_not_found' });
    expect(moved.message).toContain('shared ledger');
  });

  it('the same line with --again sends what is left of it, and no row a third time', async () => {
    await using service = await loggedSandbox({ faults: 'latency=30ms' });
    const { machine } = await team(service);
    const [a, b] = [await machine(), await machine()];
    const alone = { env: { PROC_LEDGER: undefined, PROC_CONCURRENCY: '1' } };
    const rows = Array.from({ length: 40 }, (_, at) => `6100,${at + 1},r-${at}`);
    for (const one of [a, b])
      await one.file('cost.csv', `account,amount,reference\n${rows.join('\n')}\n`);
    const argv = 'imputations import cost.csv --set contractId=k-1 --yes -o json'.split(' ');
    expect(await a.run([...argv, '--first-run'], alone)).toMatchObject({ exitCode: 0 });
    const stopped = a.start([...argv, '--again'], alone);
    await expect.poll(() => service.writes().length, { timeout: 60_000 }).toBeGreaterThan(50);
    stopped.kill('SIGTERM');
    await stopped;
    expect(await a.run(['imports', 'share', '--yes'])).toMatchObject({ exitCode: 0 });
    const before = service.writes().length;
    const resumed = errorOf(await b.run(['imports', 'resume', '--yes']));
    expect(resumed).toMatchObject({ code: 'incomplete', exitCode: 10 });
    expect(resumed.hint).toContain('--again');
    const left = JSON.parse((await b.run(['imports', 'list', '--open', '-o', 'json'])).stdout);
    expect(left).toMatchObject([{ state: 'unfinished', next: [] }]);
    const plain = await b.run(argv);
    expect(JSON.parse(plain.stdout), plain.stderr).toMatchObject({ created: 0, sentBefore: 40 });
    expect(service.writes()).toHaveLength(before);
    const again = await b.run([...argv, '--again']);
    expect(again, again.stderr).toMatchObject({ exitCode: 0 });
    expect(service.writes()).toHaveLength(80);
  });

  it('takes over only what was last written with the ledger of this machine', async () => {
    await using service = await loggedSandbox();
    const [first, second] = [await team(service), await team(service)];
    const machine = await first.machine();
    const third = { env: { PROC_LEDGER: second.url } };
    const alone = { env: { PROC_LEDGER: undefined } };
    const share = ['imports', 'share', '--yes'];
    fine(await bookOne(machine, 1));
    const refused = await bookOne(machine, 1, third);
    changed(refused);
    expect(errorOf(refused).hint).not.toContain('imports share');
    changed(await machine.run(share, third));
    changed(await bookOne(machine, 1, third));
    expect(service.writes()).toHaveLength(1);
    // Nobody shares it away from the first one either.
    changed(await bookOne(machine, 1, alone));
    fine(await machine.run(share));
    fine(await bookOne(machine, 2));
  });

  it('then the ledger of this machine is another one, for each noun', async () => {
    await using service = await loggedSandbox();
    const { machine } = await team(service);
    const world = await machine();
    const alone = { env: { PROC_LEDGER: undefined } };
    fine(await book(world, 3, alone));
    fine(await world.run(['items', 'create', '--name', 'Bolt'], alone));
    rmSync(join(world.configDir, 'memory'), { recursive: true });
    fine(await world.run(['imports', 'share', '--yes']));
    const sent = service.writes().length;
    changed(await book(world, 3, alone));
    changed(await world.run(['items', 'create', '--name', 'Bolt'], alone));
    fine(await book(world, 3));
    expect(service.writes()).toHaveLength(sent);
  });

  it('refused because of the ledger of this machine, it says how to accept that one', async () => {
    await using service = await loggedSandbox();
    const { machine } = await team(service);
    const world = await machine();
    const alone = { env: { PROC_LEDGER: '' } };
    fine(await book(world, 1, alone));
    const backup = join(world.folder, 'backup');
    cpSync(world.stateDir, backup, { recursive: true });
    fine(await book(world, 2, alone));
    rmSync(world.stateDir, { recursive: true });
    cpSync(backup, world.stateDir, { recursive: true });
    const refused = await world.run(['imports', 'share', '--yes']);
    changed(refused);
    expect(errorOf(refused).hint).toContain('PROC_LEDGER= proc doctor --accept-ledger');
    fine(await world.run(['doctor', '--accept-ledger', '--yes'], alone));
    fine(await world.run(['imports', 'share', '--yes']));
  });

  it('refused because of it where the environment has the address, it says so too', async () => {
    await using service = await loggedSandbox();
    const { machine, url } = await team(service);
    const world = await machine();
    const none = { PROC_BASE_URL: undefined, PROC_API_KEY: undefined, PROC_LEDGER: undefined };
    const address = new URL(url);
    const here = { env: { ...none, PROC_PROFILE: 'acme', PGPASSWORD: address.password } };
    address.password = '';
    const add = ['profile', 'add', 'acme', '-e', 'test', '--base-url', service.baseUrl];
    const input = `${service.target.PROC_API_KEY}\n`;
    fine(await world.run([...add, '--api-key-stdin'], { ...here, input }));
    fine(await book(world, 1, here));
    const backup = join(world.folder, 'backup');
    cpSync(world.stateDir, backup, { recursive: true });
    fine(await book(world, 2, here));
    rmSync(world.stateDir, { recursive: true });
    cpSync(backup, world.stateDir, { recursive: true });
    fine(await world.run(['profile', 'set', 'acme', '-e', 'test', `ledger=${address}`], here));
    const refused = await world.run(['imports', 'share', '--yes'], here);
    changed(refused);
    const [, forget = '', accept = ''] =
      /Then: proc (profile set .*) && proc (.*)$/.exec(errorOf(refused).hint ?? '') ?? [];
    fine(await world.run(forget.split(' '), here));
    fine(await world.run([...accept.split(' '), '--yes'], here));
    const shared = { env: { ...here.env, PROC_LEDGER: url } };
    fine(await world.run(['imports', 'share', '--yes'], shared));
  });

  it('while it is killed between, no ledger sends what the other one may have', async () => {
    await using service = await loggedSandbox();
    const url = await cluster.database();
    await using proxy = await cutter(url);
    const { machine } = await team(service, proxy.url);
    const world = await machine();
    const alone = { env: { PROC_LEDGER: undefined } };
    fine(await book(world, 3, alone));
    const sent = service.writes().length;
    for (let nth = 1; ; nth++) {
      proxy.cutAt('server', nth);
      const cut = await world.run(['imports', 'share', '--yes']);
      proxy.heal();
      const left = new DatabaseSync(join(world.stateDir, 'ledger.db'));
      const [{ phase }] = left.prepare('SELECT phase FROM runs').all() as [{ phase: string }];
      left.close();
      await query(url, 'UPDATE locks SET expires = 0').catch(() => undefined);
      if (cut.exitCode === 0) break;
      if (phase !== 'sharing') continue;
      const [here, there] = [await book(world, 4, alone), await book(world, 4)];
      for (const ran of [here, there]) {
        changed(ran);
        expect(errorOf(ran).hint).toContain('imports share');
      }
    }
    expect(service.writes()).toHaveLength(sent);
    fine(await book(world, 4));
    expect(service.writes()).toHaveLength(sent + 1);
  });

  it('goes on after it was cut off anywhere', async () => {
    await using service = await loggedSandbox();
    const url = await cluster.database();
    await using proxy = await cutter(url);
    const { machine } = await team(service, proxy.url);
    const [a] = [await machine()];
    const alone = { env: { PROC_LEDGER: undefined } };
    await a.file('items.csv', itemsCsv(1, 60));
    const argv = ['items', 'import', 'items.csv', '--yes', '-o', 'json'];
    expect(await a.run(argv, alone)).toMatchObject({ exitCode: 0 });
    expect(await a.run(['items', 'create', '--name', 'Nut'], alone)).toMatchObject({ exitCode: 0 });
    let cuts = 0;
    for (let nth = 1; ; nth += atNight ? 1 : 4) {
      proxy.cutAt('server', nth);
      const cut = await a.run(['imports', 'share', '--yes']);
      proxy.heal();
      await query(url, "SELECT 1 FROM pg_tables WHERE tablename = 'locks'").then(async (found) => {
        if (found.length > 0) await query(url, 'UPDATE locks SET expires = 0');
      });
      if (cut.exitCode === 0) break;
      cuts++;
    }
    expect(cuts).toBeGreaterThan(1);
    expect(await query(url, 'SELECT phase, count(*)::int AS n FROM runs GROUP BY 1')).toEqual([
      { phase: 'ended', n: 1 },
    ]);
    expect(await query(url, "SELECT count(*)::int AS n FROM rows WHERE state = 'created'")).toEqual(
      [{ n: 60 }],
    );
    expect(await query(url, 'SELECT count(*)::int AS n FROM entries')).toEqual([{ n: 1 }]);
    const again = await a.run(argv);
    expect(again, again.stderr).toMatchObject({ exitCode: 0 });
    expect(service.writes()).toHaveLength(61);
  });
});
