import { readdir, readFile, writeFile } from 'node:fs/promises';
import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SANDBOX_KEYS } from '../../src/sandbox/server/sandbox-keys.ts';
import { atNight } from '../support/at-night.ts';
import { makeAuthority } from '../support/certificates.ts';
import { http, startHostile } from '../support/hostile-service.ts';
import { assumeFirstRuns } from '../support/in-process.ts';
import { type Cluster, cutter, query, startPostgres } from '../support/postgres.ts';
import { errorOf, freshWorld, ROOT, type World } from '../support/run.ts';
import { freshFolder, startTestSandbox } from '../support/sandbox.ts';
import { type LoggedSandbox, loggedSandbox } from '../support/service.ts';
import { itemsCsv, stored, teamAt } from '../support/team.ts';

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
  it('has the writes of all machines', async () => {
    await using service = await loggedSandbox();
    const { machine, url } = await team(service);
    const [a, b] = [await machine(), await machine()];
    const first = await a.run([
      'items',
      'create',
      '--name',
      'Bolt',
      '--once',
      'job-1',
      '-o',
      'json',
    ]);
    expect(first, first.stderr).toMatchObject({ exitCode: 0 });
    const again = await b.run([
      'items',
      'create',
      '--name',
      'Bolt',
      '--once',
      'job-1',
      '-o',
      'json',
    ]);
    expect(again, again.stderr).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(again.stdout)).toEqual(JSON.parse(first.stdout));
    expect(service.writes()).toHaveLength(1);
    const listed = JSON.parse((await b.run(['history', 'list', '-o', 'json'])).stdout);
    expect(listed).toMatchObject([{ what: 'create item "Bolt"', once: 'job-1' }]);
    await a.file('items.csv', itemsCsv(1, 30));
    const job = { GITHUB_ACTIONS: 'true', GITHUB_SERVER_URL: 'https://git.example' };
    const env = { ...job, GITHUB_REPOSITORY: 'a/b', GITHUB_RUN_ID: '7' };
    const ran = await a.run(['items', 'import', 'items.csv', '--yes'], { env });
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    const runs = JSON.parse((await b.run(['imports', 'list', '-o', 'json'])).stdout);
    const writer = { user: userInfo().username, host: hostname(), job: /a\/b\/actions\/runs\/7/ };
    const by = { ...writer, job: expect.stringMatching(writer.job) };
    expect(runs).toMatchObject([{ state: 'finished', created: 30, ...by }]);
    const show = async (world: World) =>
      JSON.parse((await world.run(['imports', 'show', runs[0].run])).stdout);
    expect(await show(b)).toMatchObject({ run: runs[0].run, created: 30, ...by });
    expect(await query(url, "SELECT count(*)::int AS n FROM sent WHERE state = 'created'")).toEqual(
      [{ n: 30 }],
    );
    expect(errorOf(await b.run(['items', 'create', '--name', 'Bolt']))).toMatchObject({
      exitCode: 2,
    });
  });
});

it('needs only the rights that the page names', async () => {
  await using service = await loggedSandbox();
  const owner = await team(service);
  await (await owner.machine()).run(['history', 'list']);
  const page = await readFile(join(ROOT, 'docs/team-ledger.md'), 'utf8');
  const [, grants = ''] = /```sql\n([\s\S]*?)```/.exec(page)!;
  await query(
    owner.url,
    `CREATE ROLE app LOGIN PASSWORD 'x'; ${grants.replaceAll('TO proc', 'TO app')}`,
  );
  const url = new URL(owner.url);
  url.username = 'app';
  url.password = 'x';
  const app = await (await team(service, url.href)).machine();
  expect(await importing(app, 1, 5)).toMatchObject({ exitCode: 0 });
  expect(await app.run(['items', 'create', '--name', 'Nut', '--once', 'k'])).toMatchObject({
    exitCode: 0,
  });
  const checked = (await app.run(['doctor', '-o', 'json'])).stdout;
  const [, timeline = ''] = /"timeline (\S+)"/.exec(checked)!;
  for (const argv of [
    ['doctor', '--accept-ledger', timeline],
    ['items', 'create', '--name', 'Pin', '--organization', 'acme'],
    ['imports', 'prune', '--before', '0s', '--yes'],
  ]) {
    const ran = await app.run(argv);
    expect(ran.stderr).not.toContain('permission');
  }
});

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
  const found = await query(owner.url, 'SELECT what FROM entries ORDER BY seq');
  expect(found.map(({ what }) => what)).toEqual(['create item "Bolt"', 'create item "Nut"']);
});

it('tells organizations by their keys, whatever the profiles are called', async () => {
  await using service = await loggedSandbox();
  const { machine, url } = await team(service);
  const [a, b, c] = [await machine(), await machine(), await machine()];
  expect(await importing(a, 1, 3)).toMatchObject({ exitCode: 0 });
  // The same key has another name on another machine: the same organization.
  const { PROC_BASE_URL, PROC_API_KEY: input } = service.target;
  const profile = ['profile', 'add', 'label', '-e', 'test', '--base-url', PROC_BASE_URL];
  const env = { PROC_BASE_URL: undefined, PROC_API_KEY: undefined };
  await b.run([...profile, '--api-key-stdin'], { env, input });
  await b.file('items.csv', itemsCsv(3, 5));
  const labelled = ['items', 'import', 'items.csv', '--yes', '-p', 'label', '-e', 'test'];
  const ran = await b.run(labelled, { env });
  expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
  const names = 'SELECT DISTINCT organization FROM runs';
  expect(await query(url, names)).toHaveLength(1);
  // A new key may be a rotated one.
  const rotated = { PROC_API_KEY: SANDBOX_KEYS[1].apiKey };
  await c.file('items.csv', itemsCsv(7, 9));
  const importing7 = ['items', 'import', 'items.csv', '--yes'];
  const stopped = errorOf(await c.run(importing7, { env: rotated }));
  expect(stopped).toMatchObject({ code: 'unknown_organization', exitCode: 2 });
  const before = service.writes().length;
  const named = await c.run([...importing7, '--organization', 'other'], { env: rotated });
  expect(named, named.stderr).toMatchObject({ exitCode: 0 });
  expect(service.writes().length).toBe(before + 3);
  const renamed = await a.run([...importing7, '--organization', 'third'], { env: rotated });
  expect(errorOf(renamed)).toMatchObject({ exitCode: 2 });
  expect(await query(url, names)).toHaveLength(2);
  const salted = await query(url, "SELECT string_agg(t::text, ' ') AS all FROM organizations t");
  expect(String(salted[0]!.all)).not.toContain(input);
});

describe('import again is resume', () => {
  it('items: another machine goes on where a killed one stopped', async () => {
    await using service = await loggedSandbox({ faults: 'latency=20ms' });
    const { machine, url } = await team(service);
    const [a, b] = [await machine(), await machine()];
    await a.file('items.csv', itemsCsv(1, 400));
    const killed = a.start(['items', 'import', 'items.csv', '--yes', '--rate', '100']);
    await expect.poll(() => service.writes().length, { timeout: 60_000 }).toBeGreaterThan(60);
    killed.kill('SIGKILL');
    await killed;
    const busy = errorOf(await importing(b, 1, 400));
    expect(busy).toMatchObject({ code: 'import_busy', exitCode: 2 });
    expect(busy.message).toContain(' on ');
    // As if 30 s had passed.
    await query(url, 'UPDATE locks SET expires = 0');
    const ran = await importing(b, 1, 400, 'PROC_SETTLE=1s');
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(ran.stderr).toContain('did not release its lock');
    const by = `, which ${userInfo().username} started on ${hostname()}`;
    expect(ran.stderr).toMatch(
      new RegExp(`this import continues and replaces \\d{8}-\\d{6}-[0-9a-f]{4}${by}`),
    );
    expect(service.writes()).toHaveLength(400);
    const [run] = JSON.parse((await a.run(['imports', 'list', '-o', 'json'])).stdout);
    const gone = await a.run(['imports', 'resume', run.run]);
    expect(gone.exitCode).toBeGreaterThan(0);
  });
});

function says({ stderr }: ReturnType<World['start']>, text: string): Promise<void> {
  return new Promise((resolve) => {
    stderr!.on('data', (piece) => String(piece).includes(text) && resolve());
  });
}

describe('a lock that was not released', () => {
  const patient = ['PROC_SETTLE=100ms'];
  const waits = 'did not release its lock';
  const idOf = async (world: World, state: string): Promise<string> => {
    const argv = ['imports', 'list', '--where', `state=${state}`, '-o', 'id'];
    return (await world.run(argv)).stdout.split('\n')[0]!;
  };

  const takers: readonly (readonly [
    string,
    (world: World, expire: () => Promise<void>) => Promise<unknown>,
  ])[] = [
    ['a prune', (a) => a.run(['imports', 'prune', '--before', '0s', '--yes'])],
    [
      'a resolve',
      async (a) => {
        const run = await idOf(a, 'unfinished');
        return a.run(['imports', 'resolve', run, '20', '--drop', '--yes']);
      },
    ],
    [
      'an import that is interrupted while it waits',
      async (a) => {
        const waiting = a.start(['items', 'import', 'items.csv', '--yes']);
        await says(waiting, waits);
        waiting.kill('SIGINT');
        return waiting;
      },
    ],
    [
      'an import that is killed while it waits',
      async (a, expire) => {
        const waiting = a.start(['items', 'import', 'items.csv', '--yes']);
        await says(waiting, waits);
        waiting.kill('SIGKILL');
        await waiting;
        return expire();
      },
    ],
  ];
  // Each waits for seconds.
  it.each(atNight ? takers : takers.filter(([how]) => /discard$|killed/.test(how)))(
    'is still lost after %s: the next import waits for the last requests',
    async (_, take) => {
      await using service = await loggedSandbox({ faults: 'latency=5ms' });
      const { machine, url, expireLocks } = await team(service);
      const [a, b] = [await machine(), await machine()];
      expect(await importing(a, 1, 3)).toMatchObject({ exitCode: 0 });
      await a.file('more.csv', itemsCsv(101, 400));
      const killed = a.start(['items', 'import', 'more.csv', '--yes', '--rate', '100']);
      await expect.poll(() => service.writes().length, { timeout: 60_000 }).toBeGreaterThan(20);
      killed.kill('SIGKILL');
      await killed;
      await expireLocks();
      const generation = async () =>
        Number((await query(url, 'SELECT generation FROM locks'))[0]!.generation);
      const before = await generation();
      await take(a, expireLocks);
      expect(await generation()).toBeGreaterThan(before);
      const next = await importing(b, 501, 502, ...patient);
      expect(next, next.stderr).toMatchObject({ exitCode: 0 });
      expect(next.stderr).toContain(waits);
      expect((await importing(b, 503, 504)).stderr).not.toContain(waits);
    },
  );

  it('stops whoever was suspended before it opened its run', async () => {
    await using service = await loggedSandbox();
    const { machine, url, expireLocks } = await team(service);
    const [a, b] = [await machine(), await machine()];
    expect(await importing(a, 1, 3)).toMatchObject({ exitCode: 0 });
    await query(url, "UPDATE locks SET holder = 'killed', expires = 0");
    await a.file('items.csv', itemsCsv(11, 30));
    const suspended = a.start(['items', 'import', 'items.csv', '--yes', ...patient]);
    await says(suspended, waits);
    suspended.kill('SIGSTOP');
    await expireLocks();
    expect(await importing(b, 11, 30, ...patient)).toMatchObject({ exitCode: 0 });
    suspended.kill('SIGCONT');
    const { exitCode, stderr = '' } = await suspended;
    expect(exitCode).toBe(2);
    expect(stderr).toContain('another process has taken over the import of items');
    expect(service.writes()).toHaveLength(23);
    expect(JSON.parse((await a.run(['imports', 'list', '-o', 'json'])).stdout)).toHaveLength(2);
  });
});

it('an empty ledger that a team shares is not called the ledger of this machine', async () => {
  const a = await freshWorld({
    ...{ PROC_BASE_URL: 'http://127.0.0.1:9/api/v1', PROC_API_KEY: 'k', HOME: '/nowhere' },
    ...{ PROC_LEDGER: await cluster.database(), PROC_LEDGER_LOOPBACK: '1' },
  });
  await a.file('cost.csv', 'account,amount,contractId\n6100,5,a\n');
  const refused = await a.run(['imputations', 'import', 'cost.csv', '--yes'], { asTyped: true });
  const { code, message, hint } = errorOf(refused);
  expect({ code, message, hint }).toMatchObject({
    code: 'no_ledger',
    message: expect.stringMatching(/^the shared ledger has no earlier import of imputations into/),
    hint: expect.stringMatching(/^Check that PROC_LEDGER names the database/),
  });
});

describe('imputations, which the service cannot list', () => {
  // Every other row is equal.
  const rows = (count: number) =>
    `account,amount\n${Array.from({ length: count }, (_, at) => `6100,${at % 2 === 0 ? 5 : at}`).join('\n')}\n`;
  const argv =
    'imputations import cost.csv --set contractId=k-1 --on-duplicate all --yes -o json'.split(' ');
  const made = (service: LoggedSandbox) => stored(service, 'imputations').length;

  it('another machine goes on row by row: of equal rows each is sent once', async () => {
    await using service = await loggedSandbox({ faults: 'latency=30ms' });
    const before = made(service);
    const { machine, url } = await team(service);
    const [a, b] = [await machine(), await machine()];
    for (const world of [a, b]) await world.file('cost.csv', rows(120));
    const killed = a.start([...argv, '--first-run', 'PROC_CONCURRENCY=2']);
    await expect.poll(() => service.writes().length, { timeout: 60_000 }).toBeGreaterThan(25);
    killed.kill('SIGKILL');
    await killed;
    await query(url, 'UPDATE locks SET expires = 0');
    const fast = ['PROC_SETTLE=100ms'];
    const other = errorOf(await b.run([...argv, ...fast, '--decimal', '.']));
    expect(other).toMatchObject({ code: 'import_unfinished', exitCode: 2 });
    expect(other.message).toMatch(/with another mapping or other options: \d{8}-/);
    const ran = await b.run([...argv, ...fast]);
    const summary = JSON.parse(ran.stdout);
    expect(summary.created + summary.existing + summary.unconfirmed).toBe(120);
    expect(summary.existing).toBeGreaterThan(0);
    // What was on its way at the kill is parked, with its body.
    expect(ran.exitCode).toBe(summary.unconfirmed === 0 ? 0 : 9);
    expect(summary.unconfirmed).toBeLessThanOrEqual(64);
    const now = made(service) - before;
    expect(now).toBeGreaterThanOrEqual(120 - summary.unconfirmed);
    expect(now).toBeLessThanOrEqual(120);
    const [run] = JSON.parse((await b.run(['imports', 'list', '-o', 'json'])).stdout);
    expect(run).toMatchObject({ created: summary.created, host: expect.any(String) });
    // The first machine's file is behind.
    const [old] = await readdir(join(a.stateDir, 'shared'));
    const [file] = (await readdir(join(a.stateDir, 'shared', old!, 'imports'))).filter((name) =>
      name.endsWith('.db'),
    );
    const left = file!.slice(0, -3);
    expect(errorOf(await a.run(['imports', 'resume', left])).exitCode).not.toBe(0);
    expect(made(service) - before).toBe(now);
  });
  it('its unconfirmed rows are resolved where the run is, or by importing again', async () => {
    await using service = await loggedSandbox({ faults: 'latency=30ms' });
    const { machine, url, expireLocks } = await team(service);
    const [a, b, c] = [await machine(), await machine(), await machine()];
    for (const world of [a, b, c]) await world.file('cost.csv', rows(80));
    const killed = a.start([...argv, '--first-run', 'PROC_CONCURRENCY=2']);
    await expect.poll(() => service.writes().length, { timeout: 60_000 }).toBeGreaterThan(15);
    killed.kill('SIGKILL');
    await killed;
    await expireLocks();
    const books = async () => JSON.stringify(await query(url, 'SELECT * FROM runs, locks, sent'));
    const before = await books();
    const planned = await b.run([...argv, '--dry-run']);
    expect(planned, planned.stderr).toMatchObject({ exitCode: 0 });
    // Exactly what the import will do. It leaves no trace, and takes no lock.
    const plan = JSON.parse(planned.stdout);
    expect(await books()).toBe(before);
    const ran = await b.run([...argv, 'PROC_SETTLE=100ms']);
    const summary = JSON.parse(ran.stdout);
    expect(ran.exitCode, ran.stderr).toBe(9);
    expect(plan).toMatchObject({ create: summary.created });
    const sent = service.writes().length;
    const old = (await readdir(join(a.stateDir, 'shared'), { recursive: true }))
      .flatMap((name) => /(\d{8}-\d{6}-\w{4})\.db$/.exec(name)?.[1] ?? [])
      .at(0)!;
    // The first machine's own file is behind.
    const behind = errorOf(await a.run(['imports', 'resolve', old, '1', '--drop', '--yes']));
    expect(behind).toMatchObject({ code: 'config_unreadable', exitCode: 3 });
    const elsewhere = errorOf(await a.run(['imports', 'resume', summary.run, '--yes']));
    expect(elsewhere).toMatchObject({ code: 'reference_not_found', exitCode: 2 });
    expect(elsewhere.hint).toContain(`proc imports resolve ${summary.run}`);
    const again = await c.run([...argv, '--on-sent', 'skip', 'PROC_SETTLE=100ms']);
    const inherited = JSON.parse(again.stdout);
    expect(again.exitCode, again.stderr).toBe(9);
    expect(inherited).toMatchObject({ created: 0, unconfirmed: summary.unconfirmed });
    const listing = ['imports', 'rows', inherited.run, '--state', 'unconfirmed', '-o', 'json'];
    const bodies = "SELECT body FROM sent WHERE state = 'maybe' AND at IS NOT NULL";
    for (const { body } of await query(url, bodies)) expect(body).toContain('"account":"6100"');
    const open = JSON.parse((await c.run(listing)).stdout);
    for (const [at, { row }] of open.entries()) {
      const dropping = ['imports', 'resolve', inherited.run, String(row), '--drop', '--yes'];
      const isLast = at === open.length - 1;
      expect(await c.run(dropping)).toMatchObject({ exitCode: isLast ? 0 : 9 });
    }
    expect(service.writes()).toHaveLength(sent);
    const rest = await query(url, "SELECT count(*)::int AS n FROM sent WHERE state = 'dropped'");
    expect(rest).toEqual([{ n: summary.unconfirmed }]);
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
      expect(ran.stderr).toContain('proc@127.0.0.1:1/none');
      expect(ran.stderr).not.toContain('canary');
    }
    const doctor = await world.run(['doctor', '-o', 'json', '-v']);
    expect(doctor.stdout).toContain('"ledger"');
    expect(doctor.stdout + doctor.stderr).not.toContain('canary');
    expect(service.writes()).toEqual([]);
  });

  it.each([
    ['postgres://db.example/x?sslmode=require', 'sslmode=require does not verify'],
    ['mysql://db.example/x', 'expected postgres://, got mysql://'],
    ['db.example', 'expected the address of a database'],
    ['postgres://db.example/x?pool=1', 'unknown parameter pool'],
  ])('%s is refused', async (url, why) => {
    await using service = await loggedSandbox();
    const { machine } = await team(service, url);
    const error = errorOf(await (await machine()).run(['history', 'list']));
    expect(error).toMatchObject({ code: 'invalid_setting', exitCode: 3 });
    expect(error.message).toContain(why);
  });

  it('is verified by its certificate', async () => {
    await using service = await loggedSandbox();
    const folder = await freshFolder();
    const authority = await makeAuthority(folder);
    const other = await makeAuthority(folder, 'other');
    const issued = await authority.issue({ name: 'db', hosts: ['IP:127.0.0.1'], days: 2 });
    await using encrypted = await startPostgres(issued);
    const url = await encrypted.database();
    const at = async (caFile: string) =>
      (await team(service, `${url}?sslmode=verify-full&sslrootcert=${caFile}`)).machine();
    const refused = await (await at(other.caFile)).spawn(['items', 'create', '--name', 'Bolt']);
    expect(errorOf(refused)).toMatchObject({ code: 'ledger_unreachable', exitCode: 3 });
    expect(refused.stderr).toContain('certificate');
    const ran = await (await at(authority.caFile)).spawn(['items', 'create', '--name', 'Bolt']);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(await query(url, 'SELECT count(*)::int AS n FROM entries')).toEqual([{ n: 1 }]);
  });

  it('stores no password, and leaves services on loopback to their machine', async () => {
    const world = await freshWorld();
    const { baseUrl } = await startTestSandbox();
    const add = ['profile', 'add', 'acme', '-e', 'local', '--base-url', baseUrl];
    expect(await world.run(add)).toMatchObject({ exitCode: 0 });
    const set = (url: string) =>
      world.run(['profile', 'set', 'acme', '-e', 'local', `ledger=${url}`]);
    expect(errorOf(await set('postgres://proc:secret@db.example/x'))).toMatchObject({
      code: 'invalid_setting',
    });
    expect(await set('postgres://proc@db.example/x')).toMatchObject({ exitCode: 0 });
    // The sandbox is on loopback, so nobody asks db.example.
    expect(await world.run(['history', 'list', '-o', 'json'])).toMatchObject({ exitCode: 0 });
  });

  it('that a newer proc has written is exit 3', async () => {
    await using service = await loggedSandbox();
    const { machine, url } = await team(service);
    await (await machine()).run(['history', 'list']);
    await query(url, 'UPDATE proc_ledger SET version = version + 1');
    const world = await machine();
    const script = await world.spawn(['items', 'create', '--name', 'Bolt']);
    expect(errorOf(script)).toMatchObject({ code: 'config_unreadable', exitCode: 3 });
    expect(script.stderr).toContain('a newer version of proc');
  });

  it('after a failover is used again once a person has accepted it', async () => {
    await using own = await startPostgres();
    const sent: string[] = [];
    let answer: (() => void) | undefined;
    await using books = await startHostile((socket, { method, body }) => {
      if (method !== 'POST') return void socket.write(http(200, '[]'));
      sent.push(body);
      answer = () => socket.write(http(201, `{"id":"im-${sent.length}"}`));
      if (sent.length > 1) answer();
    });
    const world = await freshWorld({
      ...{ PROC_BASE_URL: books.baseUrl, PROC_API_KEY: 'k', HOME: '/nowhere' },
      ...{ PROC_LEDGER: await own.database(), PROC_LEDGER_LOOPBACK: '1' },
    });
    const rows = Array.from({ length: 90 }, (_, at) => `6100,${at}`);
    await world.file('cost.csv', `account,amount\n${rows.join('\n')}\n`);
    const first = 'imputations import cost.csv --set contractId=k-1 --first-run --yes'.split(' ');
    const running = world.start([...first, '--timeout', '60s']);
    await expect.poll(() => sent.length, { timeout: 60_000 }).toBe(1);
    // The connection breaks while the import waits for its first answer, so it notices nothing.
    await own.failOver();
    answer!();
    const { exitCode, stderr = '' } = await running;
    expect(exitCode).toBe(10);
    expect(stderr).toContain('a failover or a restore');
    // Requests whose intents were written before may still leave.
    expect(sent.length).toBeLessThan(90);
    const error = errorOf(await world.run(['imports', 'resume', '--yes']));
    expect(error).toMatchObject({ code: 'ledger_unsafe', exitCode: 3 });
    const { timeline } = error.details as { timeline: string };
    const checked = JSON.parse((await world.run(['doctor', '-o', 'json'])).stdout);
    // A person decides, so it is no next step.
    const hint = expect.stringContaining(timeline);
    const found = { check: 'ledger', status: 'problem', next: [], hint };
    expect(checked).toContainEqual(expect.objectContaining(found));
    const wrong = errorOf(await world.run(['doctor', '--accept-ledger', 'wrong']));
    expect(wrong).toMatchObject({ exitCode: 2, hint: expect.stringMatching(/: proc doctor$/) });
    const argv = ['doctor', '--accept-ledger', timeline, '-o', 'json'];
    expect((await world.run(argv)).stdout).toContain('is accepted');
    expect(await world.spawn(['imports', 'resume', '--yes'])).toMatchObject({ exitCode: 0 });
    expect([sent.length, new Set(sent).size]).toEqual([90, 90]);
  }, 90_000);

  it.each(['synchronous_commit', 'fsync'])('that may lose commits (%s) is exit 3', async (name) => {
    await using service = await loggedSandbox();
    const { machine, url } = await team(service);
    const database = new URL(url).pathname.slice(1);
    const isFsync = name === 'fsync';
    const setting = isFsync ? 'SYSTEM SET fsync' : `DATABASE ${database} SET ${name}`;
    await query(url, `ALTER ${setting} = off`);
    if (isFsync) await query(url, 'SELECT pg_reload_conf()');
    const unsafe = await importing(await machine(), 1, 3);
    expect(errorOf(unsafe)).toMatchObject({ code: 'ledger_unsafe', exitCode: 3 });
    expect(errorOf(unsafe).message).toContain(`${name}=off`);
    expect(service.writes()).toEqual([]);
    if (isFsync) await query(url, 'ALTER SYSTEM RESET fsync');
    if (isFsync) await query(url, 'SELECT pg_reload_conf()');
  });

  it('asks a token for its organization', async () => {
    await using service = await loggedSandbox();
    const { machine } = await team(service);
    const world = await machine();
    const env = { PROC_API_KEY: undefined, PROC_TOKEN: 'token-1' };
    const ran = await world.run(['items', 'create', '--name', 'Bolt'], { env });
    expect(errorOf(ran)).toMatchObject({ code: 'unknown_organization', exitCode: 2 });
    expect(errorOf(ran).hint).toContain('PROC_ORGANIZATION');
  });
});

describe('a connection that is cut', () => {
  it.each(
    (['client', 'server'] as const).flatMap((side) =>
      (atNight ? [12, 27] : [27]).map((nth) => [side, nth] as const),
    ),
  )('at piece %s %i: nothing is sent twice, and a resume completes the run', async (side, nth) => {
    await using service = await loggedSandbox({ faults: 'latency=3ms' });
    const url = await cluster.database();
    await using proxy = await cutter(url);
    const { machine } = await team(service, proxy.url);
    const world = await machine();
    await world.run(['history', 'list']);
    await world.file('items.csv', itemsCsv(1, 200));
    const argv = ['items', 'import', 'items.csv', '--yes', '-o', 'json', 'PROC_SETTLE=1s'];
    proxy.cutAt(side, nth);
    const cut = await world.spawn(argv);
    proxy.heal();
    const sent = service.writes().length;
    if (cut.exitCode === 0) expect(sent).toBe(200);
    else if (cut.exitCode === 3) expect(sent).toBe(0);
    else expect(cut, cut.stderr).toMatchObject({ exitCode: 10 });
    await query(url, 'UPDATE locks SET expires = 0');
    const runs = JSON.parse((await world.run(['imports', 'list', '-o', 'json'])).stdout);
    const isOpen = runs.some(({ state }: { state: string }) => state === 'unfinished');
    const again = await world.spawn(isOpen ? ['imports', 'resume', '-o', 'json', '--yes'] : argv);
    expect(again, again.stderr).toMatchObject({ exitCode: 0 });
    expect(service.writes()).toHaveLength(200);
    const n = await query(url, "SELECT count(*)::int AS n FROM sent WHERE state = 'created'");
    expect(n).toEqual([{ n: 200 }]);
  });
});
