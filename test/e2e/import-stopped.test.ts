import { readdir, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { atNight } from '../support/at-night.ts';
import { http, startHostile } from '../support/hostile-service.ts';
import { errorOf, freshWorld, type Ran, type World } from '../support/run.ts';
import { loggedSandbox } from '../support/service.ts';
import { until } from '../support/until.ts';
import { codes, itemService, rowsOf } from './import-service.ts';

const QUICK = ['PROC_SETTLE=100ms', '--timeout', '5s'];
const summaryOf = (ran: Ran) => JSON.parse(ran.stdout) as Record<string, number & string>;

async function runsIn(world: World): Promise<{ run: string; state: string; created: number }[]> {
  return JSON.parse((await world.run(['imports', 'list'])).stdout);
}

/** A service of imputations that answers no create once so many have arrived, until it is released. */
async function heldService(answered: number, atOnce: number) {
  const sent: string[] = [];
  const full = Promise.withResolvers<void>();
  const held: (() => void)[] = [];
  let isHeld = true;
  const service = await startHostile((socket, { body }) => {
    const { reference } = JSON.parse(body) as { reference: string };
    sent.push(reference);
    const respond = () => socket.write(http(201, JSON.stringify({ id: `im-${reference}` })));
    if (!isHeld || sent.length <= answered) respond();
    else held.push(respond);
    if (held.length === atOnce) full.resolve();
  });
  return {
    ...service,
    sent,
    full: full.promise,
    open() {
      isHeld = false;
      for (const respond of held) respond();
    },
    target: { PROC_BASE_URL: service.baseUrl, PROC_API_KEY: 'k' },
  };
}

const imputations = (count: number) =>
  `reference,account,amount,contractId\n${[...Array(count).keys()].map((n) => `R-${n},6100,1,c-1\n`).join('')}`;

describe('an import that is stopped', () => {
  it('by Ctrl-C: waits for open requests and exits 130 with the command that completes it', async () => {
    await using service = await itemService(() => undefined);
    const world = await freshWorld(service.target);
    await world.file('a.csv', rowsOf(codes(800)));
    const running = world.start(['items', 'import', 'a.csv', '--yes', '--rate', '400/s']);
    await until(() => service.creates() >= 50);
    running.kill('SIGINT');
    const ran = await running;
    expect(ran.exitCode, ran.stderr).toBe(130);
    const summary = JSON.parse(ran.stdout);
    expect(summary).toMatchObject({ unconfirmed: 0, created: service.items.length });
    expect(summary.created + summary.pending).toBe(800);
    const resumed = await world.run(['imports', 'resume', summary.run, '--yes']);
    expect(resumed, resumed.stderr).toMatchObject({ exitCode: 0 });
    expect(summaryOf(resumed)).toMatchObject({ created: 800, pending: 0 });
    expect(service.codes()).toEqual(codes(800));
    expect(service.creates()).toBe(800);
    // A finished run tells its summary again.
    const finished = await world.run(['imports', 'resume', summary.run]);
    expect(summaryOf(finished)).toMatchObject({ run: summary.run, created: 800 });
    const preview = await world.run(['imports', 'resume', summary.run, '--dry-run']);
    expect(summaryOf(preview)).toMatchObject({ dryRun: true, pending: 0 });
  });

  it('because somebody else creates the next codes: a search every 5 s finds them', async () => {
    await using service = await itemService(() => undefined);
    const world = await freshWorld(service.target);
    // Not in the order of the list, so that it shows that it sorts.
    const all = codes(400).reverse();
    await world.file('a.csv', rowsOf(all));
    const running = world.start(['items', 'import', 'a.csv', '--yes', '--rate', '20/s']);
    await until(() => service.creates() >= 5);
    const others = all.slice(100).map((code) => ({ id: `o-${code}`, code, name: 'Other' }));
    service.items.push(...others);
    const ran = await running;
    expect(ran.exitCode, ran.stderr).toBe(10);
    const { created, pending, stopped } = JSON.parse(ran.stdout);
    expect([created, pending]).toEqual([service.creates(), 400 - service.creates()]);
    const [, row, code] = /row (\d+) \((\S+)\).*somebody else/.exec(stopped)!;
    expect(code).toBe(all[Number(row) - 1]);
    expect(stopped).toContain(`o-${code}`);
  });

  it.each([
    ['the same file', codes(300)],
    ['another file', [...codes(320).slice(20).reverse(), 'NEW-1']],
  ])('by a kill: the same command with %s takes over, and says what remains', async (_, next) => {
    await using service = await itemService(() => undefined);
    const world = await freshWorld(service.target);
    await world.file('a.csv', rowsOf(codes(300)));
    const running = world.start(['items', 'import', 'a.csv', '--yes', '--rate', '100/s']);
    await until(() => service.creates() >= 40);
    running.kill('SIGKILL');
    await running;
    const [killed] = await runsIn(world);
    // Rows that the next file does not have: they were not sent before.
    const first = new Set(service.codes());
    const left = codes(300).filter((code) => !next.includes(code) && !first.has(code)).length;
    await world.file('a.csv', rowsOf(next));
    const ran = await world.run(['items', 'import', 'a.csv', '--yes', ...QUICK]);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    const { created, existing } = summaryOf(ran);
    expect(created! + existing!).toBe(next.length);
    for (const code of next) expect(service.codes().filter((one) => one === code)).toHaveLength(1);
    expect(new Set(service.codes()).size).toBe(service.items.length);
    const runs = await runsIn(world);
    const state = left === 0 ? 'finished' : 'unfinished';
    expect(runs.find(({ run }) => run === killed!.run)).toMatchObject({ state });
    if (left > 0) expect(ran.stderr).toContain(killed!.run);
  });

  it('by a refused key, twice: an import names only the run of which rows remain', async () => {
    let isRefused = true;
    await using service = await itemService(() => (isRefused ? { status: 401 } : undefined));
    const world = await freshWorld(service.target);
    const runs: string[] = [];
    for (const name of ['a', 'b']) {
      await world.file(`${name}.csv`, rowsOf([`${name}-1`, `${name}-2`]));
      const ran = await world.run(['items', 'import', `${name}.csv`, '--yes']);
      expect(ran, ran.stderr).toMatchObject({ exitCode: 10 });
      runs.push(JSON.parse(ran.stdout).run);
    }
    isRefused = false;
    const ran = await world.run(['items', 'import', 'b.csv', '--yes', ...QUICK]);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    const notices = (run: string) =>
      ran.stderr.split('\n').filter((line) => line.includes('notice') && line.includes(run));
    expect(runs.map((run) => notices(run).length)).toEqual([1, 0]);
  });

  it('by a kill while it reads: nothing is left, and no draft', async () => {
    await using sandbox = await loggedSandbox();
    const world = await freshWorld(sandbox.target);
    const input = new PassThrough();
    input.write('{"code":"K-1","name":"Kept"}\n');
    const running = world.start(['items', 'import', '-', '--yes'], { input });
    await until(async () => (await readdir(world.stateDir).catch(() => [])).length > 0);
    running.kill('SIGKILL');
    await running;
    expect(await runsIn(world)).toEqual([]);
    const next = await world.run(['items', 'import', '-', '--yes'], {
      input: '[{"code":"K-1","name":"Kept"}]\n',
    });
    expect(summaryOf(next), next.stderr).toMatchObject({ rows: 1, created: 1 });
    const left = await readdir(world.stateDir, { recursive: true });
    expect(left.filter((name) => /draft|input-/.test(name))).toEqual([]);
  });

  it('before anything is sent, it leaves no run behind', async () => {
    await using service = await itemService(() => undefined);
    const world = await freshWorld(service.target);
    await world.file('a.csv', rowsOf(codes(3)));
    for (const [exitCode, ...flags] of [
      [0, '--dry-run'],
      [2, '--yes', '--max-create', '1'],
      [2],
    ] as const) {
      const ran = await world.run(['items', 'import', 'a.csv', ...flags]);
      expect(ran, ran.stderr).toMatchObject({ exitCode });
    }
    expect(service.creates()).toBe(0);
    expect(await runsIn(world)).toEqual([]);
  });
});

const AT_ONCE = 8;

describe('imputations, which no list shows', () => {
  it('after a kill, only rows whose requests were under way are unconfirmed; the same command sends the others', async () => {
    await using service = await heldService(40, AT_ONCE);
    const world = await freshWorld(service.target);
    await world.file('a.csv', imputations(120));
    const importing = ['imputations', 'import', 'a.csv', '--yes', `PROC_CONCURRENCY=${AT_ONCE}`];
    const running = world.start([...importing, '--first-run']);
    await service.full;
    running.kill('SIGKILL');
    await running;
    service.open();
    const ran = await world.run(importing);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 9 });
    const { created, sentBefore, unconfirmed, pending } = summaryOf(ran);
    expect(unconfirmed).toBeGreaterThan(0);
    expect(unconfirmed).toBeLessThanOrEqual(AT_ONCE);
    expect(created! + sentBefore!).toBe(120 - unconfirmed!);
    expect(pending).toBe(0);
    expect(service.sent.toSorted()).toEqual([...new Set(service.sent)].sort());

    // One command records the outcome of all of them.
    const [open] = (await runsIn(world)).filter(({ state }) => state === 'unconfirmed');
    const resolved = await world.run([
      'imports',
      'resolve',
      open!.run,
      '--adopt',
      '--all',
      '--yes',
    ]);
    expect(resolved, resolved.stderr).toMatchObject({ exitCode: 0 });
    const again = await world.run(importing);
    expect(again, again.stderr).toMatchObject({ exitCode: 0 });
    expect(summaryOf(again)).toMatchObject({ created: 0, sentBefore: 120, unconfirmed: 0 });
    expect(service.sent).toHaveLength(120);
  });

  it('if it is stopped, its unconfirmed rows are for imports resolve, and only the others for a resume', async () => {
    await using service = await startHostile((socket, { body }) => {
      const { reference } = JSON.parse(body) as { reference: string };
      if (reference === 'R-0') socket.write(http(500, '{}'));
      else socket.write(http(401, '{}'));
    });
    const world = await freshWorld({ PROC_BASE_URL: service.baseUrl, PROC_API_KEY: 'k' });
    await world.file('a.csv', imputations(9));
    const ran = await world.run(['imputations', 'import', 'a.csv', '--yes', '--first-run']);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 9 });
    const { run } = summaryOf(ran);
    expect(ran.stderr).not.toContain('to look up');
    expect(ran.stderr).toContain(`proc imports resume ${run}`);
    expect(ran.stderr.split(`proc imports resolve ${run}`)).toHaveLength(2);
  });

  it('imports resolve --drop --all gives a killed run up; a later import sends exactly what was never sent', async () => {
    await using service = await heldService(10, AT_ONCE);
    const world = await freshWorld(service.target);
    await world.file('a.csv', imputations(60));
    const importing = ['imputations', 'import', 'a.csv', '--yes', `PROC_CONCURRENCY=${AT_ONCE}`];
    const running = world.start([...importing, '--first-run']);
    await service.full;
    running.kill('SIGKILL');
    await running;
    service.open();
    const [{ run } = { run: '' }] = await runsIn(world);
    const ran = await world.run(['imports', 'resolve', run, '--drop', '--all', '--yes']);
    expect(summaryOf(ran), ran.stderr).toMatchObject({ unconfirmed: 0, pending: 0 });
    expect(await runsIn(world)).toMatchObject([{ run, state: 'finished' }]);
    const sent = service.sent.length;
    const again = await world.run(importing);
    expect(again, again.stderr).toMatchObject({ exitCode: 0 });
    const { created, sentBefore } = summaryOf(again);
    expect([created! + sentBefore!, service.sent.length]).toEqual([60, sent + created!]);
    expect(new Set(service.sent).size).toBe(service.sent.length);
  });
});

describe('two imports at once', () => {
  it('of one place: the second is refused, waits with --wait-lock, and then knows what was sent', async () => {
    await using service = await heldService(0, 1);
    const { port } = new URL(service.baseUrl);
    const world = await freshWorld(service.target);
    await world.file('a.csv', imputations(2));
    const importing = ['imputations', 'import', 'a.csv', '--yes'];
    const first = world.start([...importing, '--first-run']);
    await service.full;
    // Another spelling of the host is the same place.
    const env = { PROC_BASE_URL: `http://localhost:${port}/api/v1` };
    const [running] = await runsIn(world);
    for (const args of [
      importing,
      ['imports', 'resume', running!.run],
      ['imports', 'resolve', running!.run, '--drop', '--all', '--yes'],
    ]) {
      const refused = await world.run(args, args === importing ? { env } : {});
      expect(refused, refused.stderr).toMatchObject({ exitCode: 2, stdout: '' });
      expect(errorOf(refused).code).toBe('busy');
      expect(errorOf(refused).message).toContain(`process ${first.pid}`);
    }
    const waiting = world.start([...importing, '--wait-lock', '5m'], { env });
    service.open();
    expect(await first).toMatchObject({ exitCode: 0 });
    const second = await waiting;
    expect(second, second.stderr).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(second.stdout)).toMatchObject({ created: 0, sentBefore: 2 });
    expect(service.sent.sort()).toEqual(['R-0', 'R-1']);
  });

  it('a run is resumed only where it began, and with a key of its organization', async () => {
    await using sandbox = await loggedSandbox({ faults: 'latency=5ms' });
    await using other = await itemService(() => undefined);
    const world = await freshWorld(sandbox.target);
    await world.file('a.csv', rowsOf(codes(200)));
    const running = world.start(['items', 'import', 'a.csv', '--yes', '--rate', '100/s']);
    await until(() => sandbox.writes().length >= 20);
    running.kill('SIGTERM');
    expect(await running).toMatchObject({ exitCode: 143 });
    const before = sandbox.writes().length;
    const [{ run } = { run: '' }] = await runsIn(world);
    for (const env of [other.target, { PROC_API_KEY: sandbox.keys[1]!.apiKey }]) {
      const refused = await world.run(['imports', 'resume', run, '--yes'], { env });
      expect([2, 3], refused.stderr).toContain(refused.exitCode);
    }
    expect(other.creates()).toBe(0);
    expect(sandbox.writes()).toHaveLength(before);
  });
});

describe('the ledger', () => {
  it('on a full disk: exit 3 before anything is sent, 10 after; the same command completes it', async () => {
    const seen = new Set<number>();
    for (const blocks of atNight ? [10, 200, 400] : [10, 400]) {
      await using service = await itemService(() => undefined);
      const world = await freshWorld(service.target);
      const file = await world.file('a.csv', rowsOf(codes(2_000)));
      // A limit on the size of files (blocks of 1 KiB) acts like a disk that fills up.
      const ran = await world.shell(
        `bash -c 'trap "" XFSZ; ulimit -f ${blocks}; exec "$NODE" "$PROC" items import "${file}" --yes'`,
        { env: { XDG_CACHE_HOME: world.folder } },
      );
      seen.add(ran.exitCode);
      if (ran.exitCode !== 0) {
        const exitCode = service.creates() === 0 ? 3 : 10;
        expect(errorOf(ran), `${blocks}`).toMatchObject({ exitCode });
        const again = await world.run(['items', 'import', file, '--yes', ...QUICK]);
        expect(again, again.stderr).toMatchObject({ exitCode: 0 });
      }
      expect(service.codes()).toEqual(codes(2_000));
    }
    expect([...seen]).toEqual(expect.arrayContaining([10, 3]));
  });

  it('on a full disk: of imputations, only rows that had left are unconfirmed, and one error says so', async () => {
    for (const blocks of atNight ? [800, 1200] : [800]) {
      let sent = 0;
      await using service = await startHostile((socket) => {
        sent++;
        socket.write(http(201, `{"id":"im-${sent}"}`));
      });
      const world = await freshWorld({ PROC_BASE_URL: service.baseUrl, PROC_API_KEY: 'k' });
      const file = await world.file('a.csv', imputations(2_000));
      const ran = await world.shell(
        `bash -c 'trap "" XFSZ; ulimit -f ${blocks}; exec "$NODE" "$PROC" imputations import "${file}" --yes --first-run'`,
        { env: { XDG_CACHE_HOME: world.folder } },
      );
      expect(ran, ran.stderr).toMatchObject({ exitCode: 9 });
      expect(ran.stderr.match(/^\{"error"/gm)).toHaveLength(1);
      const [{ created = 0, unconfirmed = 0 } = {}] = JSON.parse(
        (await world.run(['imports', 'list'])).stdout,
      );
      expect(unconfirmed).toBeLessThanOrEqual(AT_ONCE);
      // On a busy machine, a row that was marked may be too old to leave.
      expect(sent).toBeLessThanOrEqual(created + unconfirmed);
    }
  });

  it('that is cut at any byte is reported or used, and no row is created twice', async () => {
    for (const share of atNight ? [0.01, 0.52] : [0.52]) {
      for (const which of ['ledger.db', 'ledger.db-wal']) {
        await using service = await itemService(() => undefined);
        const world = await freshWorld(service.target);
        await world.file('a.csv', rowsOf(codes(200)));
        const running = world.start(['items', 'import', 'a.csv', '--yes', '--rate', '200/s']);
        await until(() => service.creates() >= 60);
        running.kill('SIGKILL');
        await running;
        const victim = join(world.stateDir, which);
        const size = (await stat(victim).catch(() => undefined))?.size ?? 0;
        await truncate(victim, Math.floor(size * share)).catch(() => undefined);
        const ran = await world.run(['items', 'import', 'a.csv', '--yes', ...QUICK]);
        expect(ran.stderr).not.toMatch(/\n\s+at /);
        if (ran.exitCode === 0) expect(service.codes()).toEqual(codes(200));
        else {
          const { code, exitCode } = errorOf(ran);
          expect(['config_unreadable', 'ledger_changed']).toContain(code);
          expect(exitCode).toBe(3);
        }
        expect(new Set(service.codes()).size).toBe(service.items.length);
      }
    }
  });
});
