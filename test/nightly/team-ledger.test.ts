import { afterAll, beforeAll, expect, it } from 'vitest';
import { NINE_PERCENT } from '../e2e/import-ledger.ts';
import { crashTeam } from '../e2e/team-crash.ts';
import { binary } from '../support/built.ts';
import { assumeFirstRuns } from '../support/in-process.ts';
import { pgbouncer, startPooler } from '../support/pooler.ts';
import { type Cluster, cutter, query, startPostgres } from '../support/postgres.ts';
import { errorOf, type Ran, type World } from '../support/run.ts';
import { freshFolder } from '../support/sandbox.ts';
import { loggedSandbox } from '../support/service.ts';
import { copies, itemsCsv, stored, type Team, teamAt } from '../support/team.ts';

assumeFirstRuns();

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startPostgres();
}, 60_000);
afterAll(() => cluster[Symbol.asyncDispose]());

const ITEMS = 'items import items.csv --yes -o json PROC_SETTLE=500ms'.split(' ');
const COST =
  'imputations import cost.csv --set contractId=k-1 --yes -o json PROC_SETTLE=100ms PROC_CONCURRENCY=2'.split(
    ' ',
  );

const costCsv = (count: number) =>
  `account,amount\n${Array.from({ length: count }, (_, at) => `6100,${at + 1}`).join('\n')}\n`;

async function machines(team: Team, count: number, file: readonly [string, string]) {
  const worlds: World[] = [];
  for (let at = 0; at < count; at++) {
    const world = await team.machine();
    await world.file(...file);
    worlds.push(world);
  }
  return worlds;
}

/** Imports again on the same machine until it is done: a resume, or the file again. */
async function complete(world: World, argv: readonly string[], team: Team): Promise<number> {
  for (let round = 0; round < 5; round++) {
    await team.expireLocks();
    const listed = JSON.parse((await world.run(['imports', 'list', '-o', 'json'])).stdout);
    const mine = listed.find(
      (run: Record<string, unknown>) => run.state === 'unfinished' && run.next !== undefined,
    );
    const ran = await world.spawn(
      mine === undefined ? argv : ['imports', 'resume', mine.run, '--yes', '-o', 'json'],
    );
    if ([0, 9].includes(ran.exitCode)) return ran.exitCode;
    expect([10, 2], ran.stderr).toContain(ran.exitCode);
  }
  throw new Error('the import does not end');
}

/** Which of several outcomes a race has: the exit code fits the summary, and 2 has none, for nothing was sent. */
function expectFitting(ran: Pick<Ran, 'stderr'> & Partial<Ran>, codes: readonly number[]): void {
  const { exitCode, stdout = '', stderr } = ran;
  expect(codes, stderr).toContain(exitCode);
  expect(stdout === '', stderr).toBe(exitCode === 2);
  if (exitCode === 2) return;
  const { pending, unconfirmed } = JSON.parse(stdout);
  if (exitCode === 0) expect(pending + unconfirmed).toBe(0);
  if (exitCode === 9) expect(unconfirmed).toBeGreaterThan(0);
}

const allOnce = (count: number) =>
  new Map(Array.from({ length: count }, (_, at) => [`P-${at + 1}`, 1]));

it.each([1, 2, 3, 4])(
  'proc is killed (%i): another machine, or the same, completes the file',
  async (nth) => {
    await using service = await loggedSandbox({ faults: 'latency=5ms' });
    const team = await teamAt(service, cluster);
    const [a, b] = (await machines(team, 2, ['items.csv', itemsCsv(1, 300)])) as [World, World];
    const running = a.start(ITEMS);
    await expect.poll(() => service.writes().length, { timeout: 20_000 }).toBeGreaterThan(nth * 60);
    running.kill('SIGKILL');
    await running;
    expect(await complete(nth % 2 === 0 ? a : b, ITEMS, team)).toBe(0);
    expect(copies(service)).toEqual(allOnce(300));
    const rows = await query(team.url, "SELECT DISTINCT key FROM sent WHERE state = 'created'");
    // What was created and not recorded exists for the run that completed the file.
    expect(rows.length).toBeLessThanOrEqual(300);
    expect(
      await query(
        team.url,
        "SELECT 1 FROM sent s JOIN runs n ON n.number = s.run WHERE s.state = 'maybe' AND n.is_discarded = 0",
      ),
    ).toEqual([]);
  },
  90_000,
);

it('PostgreSQL is killed: sending stops with exit 10, and a resume completes the run', async () => {
  await using service = await loggedSandbox({ faults: 'latency=5ms' });
  const team = await teamAt(service, cluster);
  const [a] = (await machines(team, 1, ['items.csv', itemsCsv(1, 400)])) as [World];
  const running = a.start(ITEMS);
  await expect.poll(() => service.writes().length, { timeout: 20_000 }).toBeGreaterThan(80);
  await cluster.crash();
  const stopped = await running;
  expect(stopped.exitCode, stopped.stderr).toBe(10);
  expect(stopped.stderr).toContain('cannot use the ledger');
  expect(errorOf(await a.run(['items', 'create', '--name', 'Bolt']))).toMatchObject({
    exitCode: 3,
  });
  await cluster.start();
  expect(await complete(a, ITEMS, team)).toBe(0);
  expect(copies(service)).toEqual(allOnce(400));
}, 90_000);

it('a suspended holder writes no intent after another machine has taken over', async () => {
  await using service = await loggedSandbox({ faults: 'latency=10ms' });
  const team = await teamAt(service, cluster);
  const [a, b] = (await machines(team, 2, ['items.csv', itemsCsv(1, 300)])) as [World, World];
  const running = a.start([...ITEMS, 'PROC_CONCURRENCY=2']);
  await expect.poll(() => service.writes().length, { timeout: 20_000 }).toBeGreaterThan(40);
  running.kill('SIGSTOP');
  await team.expireLocks();
  const other = await b.spawn(ITEMS);
  expect(other.exitCode, other.stderr).toBe(0);
  const sent = service.writes().length;
  running.kill('SIGCONT');
  const late = await running;
  expect(late, late.stderr).toMatchObject({ exitCode: 10 });
  expect(service.writes()).toHaveLength(sent);
  expect(copies(service)).toEqual(allOnce(300));
}, 90_000);

it('a suspended holder of a noun without a list: what may have been sent is parked, nothing doubled', async () => {
  await using service = await loggedSandbox({ faults: 'latency=10ms' });
  const before = stored(service, 'imputations').length;
  const team = await teamAt(service, cluster);
  const [a, b] = (await machines(team, 2, ['cost.csv', costCsv(200)])) as [World, World];
  const running = a.start([...COST, '--first-run']);
  await expect.poll(() => service.writes().length, { timeout: 20_000 }).toBeGreaterThan(40);
  running.kill('SIGSTOP');
  await team.expireLocks();
  const other = await b.spawn(COST);
  const { created, existing, unconfirmed } = JSON.parse(other.stdout);
  expect(created + existing + unconfirmed).toBe(200);
  running.kill('SIGCONT');
  expectFitting(await running, [9, 10]);
  const made = stored(service, 'imputations')
    .slice(before)
    .map(({ amount }) => Number(amount));
  expect(new Set(made).size).toBe(made.length);
  expect(made.length).toBeGreaterThanOrEqual(200 - unconfirmed);
}, 90_000);

it('four machines import overlapping files at once', async () => {
  await using service = await loggedSandbox();
  const team = await teamAt(service, cluster);
  const ran = await Promise.all(
    [0, 1, 2, 3].map(async (at) => {
      const world = await team.machine();
      await world.file('items.csv', itemsCsv(1 + 50 * at, 150 + 50 * at));
      return world.spawn([...ITEMS, '--wait-lock', '60s']);
    }),
  );
  expect(
    ran.map(({ exitCode }) => exitCode),
    ran.map(({ stderr }) => stderr).join(''),
  ).toEqual([0, 0, 0, 0]);
  expect(copies(service)).toEqual(allOnce(300));
}, 90_000);

it('two machines that both lost the lock create nothing twice', async () => {
  await using service = await loggedSandbox({ faults: 'latency=5ms' });
  const team = await teamAt(service, cluster);
  const [a, b] = (await machines(team, 2, ['items.csv', itemsCsv(1, 300)])) as [World, World];
  await b.file('items.csv', `${itemsCsv(1, 300)}`.replace('Part 300,P-300', 'Part 301,P-301'));
  const first = a.start([...ITEMS, 'PROC_CONCURRENCY=4']);
  await expect.poll(() => service.writes().length, { timeout: 20_000 }).toBeGreaterThan(30);
  // Nobody has to wait, and the run of the first machine stays open.
  await query(team.url, 'DELETE FROM locks');
  const second = await b.spawn([...ITEMS, 'PROC_CONCURRENCY=4']);
  const one = await first;
  expectFitting(one, [0, 10]);
  // 2: the second saw rows in the ledger that its list did not have yet.
  expectFitting(second, [0, 2, 10]);
  expect(await complete(a, ITEMS, team)).toBe(0);
  expect(await complete(b, ITEMS, team)).toBe(0);
  expect(copies(service)).toEqual(new Map([...allOnce(300), ['P-301', 1]]));
}, 120_000);

it('a connection that is cut at any time', async () => {
  await using service = await loggedSandbox({ faults: 'latency=3ms' });
  const url = await cluster.database();
  await using proxy = await cutter(url);
  const team = await teamAt(service, cluster, proxy.url);
  const [a] = (await machines(team, 1, ['items.csv', itemsCsv(1, 300)])) as [World];
  for (const [side, nth] of [
    ['server', 20],
    ['client', 45],
    ['server', 30],
    ['client', 24],
    ['server', 50],
  ] as const) {
    proxy.cutAt(side, nth);
    const listed = await a.spawn(['imports', 'list', '-o', 'json']);
    const runs = listed.exitCode === 0 ? JSON.parse(listed.stdout) : [];
    const open = runs.find(({ state }: { state: string }) => state === 'unfinished');
    await a.spawn(
      open === undefined ? ITEMS : ['imports', 'resume', open.run, '--yes', '-o', 'json'],
    );
    proxy.heal();
    await query(url, 'UPDATE locks SET expires = 0').catch(() => undefined);
  }
  expect(
    await complete(a, ITEMS, {
      ...team,
      expireLocks: async () => void (await query(url, 'UPDATE locks SET expires = 0')),
    }),
  ).toBe(0);
  expect(copies(service)).toEqual(allOnce(300));
}, 120_000);

it.each([
  ['a single write', ['items', 'create', '--name', 'Bolt'], 3],
  ['an import', ITEMS, 10],
])(
  'a slow ledger lets %s not leave more than 5 s after its intent',
  async (_, argv, exitCode) => {
    await using service = await loggedSandbox();
    const url = await cluster.database();
    await (await (await teamAt(service, cluster, url)).machine()).run(['history', 'list']);
    await using slow = await cutter(url, 1_300);
    const world = await (await teamAt(service, cluster, slow.url)).machine();
    await world.file('items.csv', itemsCsv(1, 3));
    const ran = await world.spawn(argv);
    expect(ran, ran.stderr).toMatchObject({ exitCode });
    expect(ran.stderr).toMatch(/the ledger (took \d+ s to record the write|takes longer than 5 s)/);
    expect(service.writes()).toEqual([]);
    const left = await query(url, "SELECT 1 FROM sent WHERE state = 'maybe'");
    expect(left).toEqual([]);
  },
  300_000,
);

const CRASH = { rows: 600, faults: 5, seed: 5, isStateless: true, isOverlapping: false } as const;
const NOTHING_WRONG = { lost: 0, doubled: 0, wrong: 0 };

it.each([
  ['items', 'one after another', 1],
  ['items', 'side by side', 3],
  ['imputations', 'side by side', 3],
] as const)(
  'runners without any state import %s %s, killed and cut off: the tables fit the books',
  async (noun, _, count) => {
    const shape = { ...CRASH, noun, machines: count, serviceFaults: NINE_PERCENT };
    const folder = await freshFolder();
    const found = await crashTeam({ ...shape, binary: binary(), folder, cluster });
    expect(found, JSON.stringify(found)).toMatchObject({ ...NOTHING_WRONG, rows: 600 });
    expect(found.kills + found.crashes + found.cuts).toBeGreaterThan(0);
  },
  300_000,
);

if (pgbouncer === undefined) console.warn('pgbouncer is missing, so poolers are NOT TESTED here');

it.runIf(pgbouncer !== undefined)(
  'behind a pooler that pools transactions, also with kills and cuts',
  async () => {
    await using pooler = await startPooler(cluster.port);
    await using service = await loggedSandbox();
    const team = await teamAt(service, cluster, pooler.through(await cluster.database()));
    const [a, b] = (await machines(team, 2, ['items.csv', itemsCsv(1, 100)])) as [World, World];
    const ran = await Promise.all([a, b].map((one) => one.spawn([...ITEMS, '--wait-lock', '60s'])));
    expect(
      ran.map(({ exitCode }) => exitCode),
      ran[1]!.stderr,
    ).toEqual([0, 0]);
    expect(copies(service)).toEqual(allOnce(100));
    const shape = { ...CRASH, noun: 'items', machines: 2, serviceFaults: NINE_PERCENT } as const;
    const through = (url: string) => pooler.through(url);
    const folder = await freshFolder();
    const found = await crashTeam({ ...shape, binary: binary(), folder, cluster, through });
    expect(found, JSON.stringify(found)).toMatchObject(NOTHING_WRONG);
  },
  300_000,
);
