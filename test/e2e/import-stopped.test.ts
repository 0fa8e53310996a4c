import { readdir } from 'node:fs/promises';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { http, startHostile, targetOf } from '../support/hostile-service.ts';
import { errorOf, freshWorld, type Ran, type World } from '../support/run.ts';
import { loggedSandbox } from '../support/service.ts';
import { until } from '../support/until.ts';
import { codes, itemService, rowsOf } from './import-service.ts';

const summaryOf = (ran: Ran) => JSON.parse(ran.stdout) as Record<string, number & string>;

async function runsIn(world: World): Promise<{ run: string; state: string; created: number }[]> {
  return JSON.parse((await world.run(['imports', 'list'])).stdout);
}

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
    ['another amount', 3, { amount: 999999 }, 'amount was sent as 102, but is 999999'],
    ['the id of another row', 4, { id: 'im-1' }, 'im-1'],
  ])('by an answer with %s, if no list shows the row', async (_, wrong, change, why) => {
    let nth = 0;
    await using service = await startHostile((socket, { body }) => {
      const record = { id: `im-${++nth}`, ...JSON.parse(body) };
      socket.write(http(201, JSON.stringify(nth === wrong ? { ...record, ...change } : record)));
    });
    const world = await freshWorld({ ...targetOf(service), PROC_CONCURRENCY: '1' });
    const rows = Array.from({ length: 8 }, (_, at) => `R-${at + 1},6000,${100 + at},c-1\n`);
    await world.file('a.csv', `reference,account,amount,contractId\n${rows.join('')}`);
    const ran = await world.run(['imputations', 'import', 'a.csv', '--first-run', '--yes']);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 9 });
    const { run, stopped, pending } = JSON.parse(ran.stdout);
    expect([pending, nth]).toEqual([8 - wrong, wrong]);
    expect(stopped).toContain(why);
    const resumed = summaryOf(await world.run(['imports', 'resume', run, '--yes']));
    expect(resumed.unconfirmed).toBeGreaterThan(0);
    expect([resumed.created! + resumed.unconfirmed!, nth]).toEqual([8, 8]);
  });

  it('because the service refuses each of the first 20 rows with 403, 404 or 405', async () => {
    await using service = await itemService((_, nth) => ({ status: [403, 404, 405][nth % 3]! }));
    const world = await freshWorld(service.target);
    await world.file('a.csv', rowsOf(codes(300)));
    const ran = await world.run(['items', 'import', 'a.csv', '--yes', 'PROC_CONCURRENCY=4']);
    expect(ran.exitCode, ran.stderr).toBe(10);
    expect(summaryOf(ran).pending).toBeGreaterThan(200);
    expect(service.creates()).toBeLessThan(40);
  });

  it('by a kill: of items without codes, no more rows are left to a person than may leave at once', async () => {
    await using service = await loggedSandbox({ faults: 'latency=100ms' });
    const world = await freshWorld(service.target);
    const rows = codes(100).map((name) => `,${name}\n`);
    await world.file('a.csv', `code,name\n${rows.join('')}`);
    const flags = ['--allow-missing', 'code', '--first-run', '--yes'];
    const running = world.start(['items', 'import', 'a.csv', ...flags]);
    await until(() => service.writes().length > 12);
    running.kill('SIGKILL');
    await running;
    const { unconfirmed } = JSON.parse((await world.run(['imports', 'show'])).stdout);
    expect(unconfirmed).toBeGreaterThan(0);
    expect(unconfirmed).toBeLessThanOrEqual(8);
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
});

describe('two imports at once', () => {
  it('of one place: the second is refused, waits with --wait-lock, and then knows what was sent', async () => {
    const arrived = Promise.withResolvers<void>();
    const opened = Promise.withResolvers<void>();
    const sent: string[] = [];
    await using service = await startHostile(async (socket, { body }) => {
      const { reference } = JSON.parse(body) as { reference: string };
      sent.push(reference);
      arrived.resolve();
      await opened.promise;
      socket.write(http(201, JSON.stringify({ id: `im-${reference}` })));
    });
    const world = await freshWorld(targetOf(service));
    await world.file('a.csv', 'reference,account,amount,contractId\nR-0,1,1,c\nR-1,1,1,c\n');
    const importing = ['imputations', 'import', 'a.csv', '--yes'];
    const first = world.start([...importing, '--first-run']);
    await arrived.promise;
    // Another spelling of the host is the same place.
    const env = { PROC_BASE_URL: `http://localhost:${service.port}/api/v1` };
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
    opened.resolve();
    expect(await first).toMatchObject({ exitCode: 0 });
    const second = await waiting;
    expect(second, second.stderr).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(second.stdout)).toMatchObject({ created: 0, sentBefore: 2 });
    expect(sent.sort()).toEqual(['R-0', 'R-1']);
  });

  it('what an --again still has to send stays, if the same file is imported without it', async () => {
    await using service = await loggedSandbox({ faults: 'latency=30ms' });
    const world = await freshWorld({ ...service.target, PROC_CONCURRENCY: '1' });
    const rows = Array.from({ length: 40 }, (_, at) => `6100,${at + 1},r-${at},k\n`).join('');
    await world.file('a.csv', `account,amount,reference,contractId\n${rows}`);
    const importing = ['imputations', 'import', 'a.csv', '--yes'];
    await world.run([...importing, '--first-run']);
    const running = world.start([...importing, '--again']);
    await until(() => service.writes().length >= 50);
    running.kill('SIGTERM');
    const { run, pending } = JSON.parse((await running).stdout);
    const preview = await world.run([...importing, '--dry-run']);
    expect(JSON.parse(preview.stdout)).toMatchObject({ remaining: { [run]: pending } });
    const plain = summaryOf(await world.run(importing));
    expect(plain).toMatchObject({ created: 0, sentBefore: 40 });
    expect(summaryOf(await world.run(['imports', 'show', run]))).toMatchObject({ pending });
    const again = summaryOf(await world.run([...importing, '--again']));
    expect(again).toMatchObject({ created: pending });
    expect(service.writes()).toHaveLength(80);
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
