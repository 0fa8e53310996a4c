import { chmod, chown, mkdir, open, readdir, readFile, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorOf, openWorld, type World } from '../support/run.ts';
import { loggedSandbox } from '../support/service.ts';
import { until } from '../support/until.ts';
import { codes, itemService, rowsOf } from './import-service.ts';

let world: World & AsyncDisposable;

beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

async function ownState(): Promise<{ PROC_STATE_DIR: string }> {
  const folder = join(world.folder, `state-${Math.random().toString(36).slice(2)}`);
  await mkdir(folder);
  return { PROC_STATE_DIR: folder };
}

async function runFiles({ PROC_STATE_DIR }: { PROC_STATE_DIR: string }): Promise<string[]> {
  const folder = join(PROC_STATE_DIR, 'imports');
  return (await readdir(folder))
    .filter((file) => file.endsWith('.db'))
    .map((file) => join(folder, file));
}

describe('a run that is interrupted', () => {
  it('Ctrl-C: waits for open requests, exits 130 with the resume command, which completes it', async () => {
    await using service = await itemService(() => undefined);
    const env = { ...service.target, ...(await ownState()) };
    const file = await world.file('signal.csv', rowsOf(codes(3_000)));
    const running = world.start(['items', 'import', file, '--yes', '--rate', '400/s'], { env });
    await until(() => service.creates() >= 50);
    running.kill('SIGINT');
    const ran = await running;
    expect(ran.exitCode).toBe(130);
    const summary = JSON.parse(ran.stdout);
    expect(summary).toMatchObject({ unconfirmed: 0, created: service.items.length });
    expect(summary.created + summary.pending).toBe(3_000);
    expect(summary.resume).toBe(`proc imports resume ${summary.run}`);

    const again = await world.run(['items', 'import', file, '--yes'], { env });
    expect(errorOf(again)).toMatchObject({
      exitCode: 2,
      hint: expect.stringMatching(`^Resume it: ${summary.resume}. To give it up`),
    });

    const resumed = await world.run(summary.resume.split(' ').slice(1), { env });
    expect(resumed.exitCode).toBe(0);
    expect(JSON.parse(resumed.stdout)).toMatchObject({ created: 3_000, pending: 0 });
    expect(service.codes()).toEqual(codes(3_000));
    expect(service.creates()).toBe(3_000);

    const finished = await world.run(['imports', 'resume', summary.run], { env });
    expect(JSON.parse(finished.stdout)).toEqual(JSON.parse(resumed.stdout));
    expect(service.creates()).toBe(3_000);
  });

  it('killed while it reads: the next import begins anew, and removes what is left', async () => {
    await using service = await itemService(() => undefined);
    const env = { ...service.target, ...(await ownState()) };
    const file = await world.file('large.csv', rowsOf(codes(9_000)));
    const input = await open(file, 'r');
    const running = world.start(['items', 'import', file, '--yes'], { env });
    await input.close();
    // The journal exists before the first row is read.
    await until(async () => (await runFiles(env).catch(() => [])).length > 0, 1);
    running.kill('SIGKILL');
    await running;
    const sent = service.creates();
    expect((await world.run(['imports', 'resume'], { env })).exitCode).toBe(2);
    expect(JSON.parse((await world.run(['imports', 'list'], { env })).stdout)).toEqual([]);
    const resumed = await world.run(['items', 'import', file, '--yes'], { env });
    expect(await runFiles(env)).toHaveLength(1);
    expect(JSON.parse(resumed.stdout)).toMatchObject({ rows: 9_000, pending: 0, unconfirmed: 0 });
    expect(service.codes()).toEqual(codes(9_000));
    expect(sent).toBeLessThanOrEqual(9_000);
  });

  it('only one import of a noun runs at a time', async () => {
    await using service = await itemService(() => undefined);
    const env = { ...service.target, ...(await ownState()) };
    // At this rate the import runs for 90 seconds, so the second import starts in time.
    const one = await world.file('lock-1.csv', rowsOf(codes(9_000)));
    const two = await world.file('lock-2.csv', rowsOf(['Z-1']));
    const running = world.start(['items', 'import', one, '--yes', '--rate', '100/s'], { env });
    await until(() => service.creates() > 0);
    const refused = await world.run(['items', 'import', two, '--yes'], { env });
    expect(errorOf(refused)).toMatchObject({ exitCode: 2 });
    expect(errorOf(refused).message).toContain('is running');
    running.kill('SIGKILL');
    await running;
    expect((await world.run(['items', 'import', two, '--yes'], { env })).exitCode).toBe(0);
  });

  it('is tied to where it started', async () => {
    await using service = await itemService((_, nth) => (nth > 3 ? { status: 401 } : undefined));
    await using other = await itemService(() => undefined);
    const state = await ownState();
    const file = await world.file('bound.csv', rowsOf(codes(20)));
    await world.run(['items', 'import', file, '--yes', 'PROC_CONCURRENCY=1'], {
      env: { ...service.target, ...state },
    });
    const ran = await world.run(['imports', 'resume'], { env: { ...other.target, ...state } });
    expect(errorOf(ran)).toMatchObject({ exitCode: 2 });
    expect(errorOf(ran).hint).toContain(`PROC_BASE_URL=${service.baseUrl}`);
    expect(other.requests).toEqual([]);
  });

  it('with another key proc checks whether it is the same organization', async () => {
    await using sandbox = await loggedSandbox({ faults: 'latency=5ms' });
    const env = { ...sandbox.target, ...(await ownState()) };
    const file = await world.file('organization.csv', rowsOf(codes(500)));
    const running = world.start(['items', 'import', file, '--yes', '--rate', '200/s'], { env });
    await until(() => sandbox.writes().length >= 20);
    running.kill('SIGINT');
    await running;
    const before = sandbox.writes().length;
    const other = { ...env, PROC_API_KEY: sandbox.keys[1]!.apiKey };
    const refused = await world.run(['imports', 'resume'], { env: other });
    expect(errorOf(refused)).toMatchObject({ code: 'invalid_usage', exitCode: 2 });
    // proc checks that the new key reads the same organization, even with the flag that its hint names.
    const named = errorOf(refused).hint!.split('proc ')[1]!.split(' ');
    const ran = await world.run(named, { env: other });
    expect(errorOf(ran)).toMatchObject({ code: 'credential_origin', exitCode: 3 });
    expect(sandbox.writes()).toHaveLength(before);
  });
});

describe('a journal that cannot be written', () => {
  it('an unwritable state folder: exit 3, nothing sent', async () => {
    await using service = await itemService(() => undefined);
    const state = await ownState();
    await chmod(state.PROC_STATE_DIR, 0o500);
    // Root may write anywhere, so the import runs as another user.
    const uid = process.getuid?.() === 0 ? 65_534 : undefined;
    if (uid !== undefined) await chown(state.PROC_STATE_DIR, uid, uid);
    for (const folder of [world.folder, world.cwd]) await chmod(folder, 0o755);
    const file = await world.file('readonly.csv', rowsOf(codes(3)));
    await chmod(file, 0o644);
    const ran = await world.spawn(['items', 'import', file, '--yes'], {
      env: { ...service.target, ...state, XDG_CACHE_HOME: state.PROC_STATE_DIR },
      ...(uid === undefined ? {} : { uid }),
    });
    expect(errorOf(ran)).toMatchObject({ code: 'state_unwritable', exitCode: 3 });
    expect(service.requests).toEqual([]);
  });

  it('a full disk: exit 3 before anything is sent, 10 after; all of it can be resumed', async () => {
    const seen = new Set<number>();
    for (const blocks of [10, 200, 300, 400, 800]) {
      await using service = await itemService(() => undefined);
      const env = { ...service.target, ...(await ownState()) };
      const file = await world.file('full.csv', rowsOf(codes(2_000)));
      // A limit on the size of files (blocks of 1 KiB) acts like a disk that fills up.
      const ran = await world.shell(
        `bash -c 'trap "" XFSZ; ulimit -f ${blocks}; exec "$NODE" "$PROC" items import "${file}" --yes'`,
        { env: { ...env, XDG_CACHE_HOME: world.folder } },
      );
      seen.add(ran.exitCode);
      if (ran.exitCode === 0) {
        expect(service.codes()).toEqual(codes(2_000));
        continue;
      }
      const [exitCode, code] =
        service.creates() === 0 ? [3, 'state_unwritable'] : [10, 'incomplete'];
      expect(errorOf(ran)).toMatchObject({ exitCode, code });
      const listed = await world.run(['imports', 'list', '-o', 'id'], { env });
      const rest = listed.stdout === '' ? ['items', 'import', file] : ['imports', 'resume'];
      const resumed = await world.run([...rest, '--yes', 'PROC_SETTLE=100ms'], { env });
      expect(
        resumed,
        `${blocks} ${listed.stdout} ${listed.stderr} ${ran.stderr} | ${resumed.stderr}`,
      ).toMatchObject({ exitCode: 0 });
      expect(service.codes()).toEqual(codes(2_000));
    }
    expect([...seen].sort()).toEqual(expect.arrayContaining([10, 3]));
  });

  it('cut at any byte: reported or resumed, and never a row twice', async () => {
    await using service = await itemService(() => undefined);
    const random = [0.01, 0.52, 0.99];
    for (const [nth, share] of random.entries()) {
      for (const which of ['ledger.db', 'ledger.db-wal', 'imports'] as const) {
        const env = { ...service.target, ...(await ownState()) };
        const rows = codes(500).map((code) => `${code}-${nth}${which}`);
        const source = await world.file(`cut-${nth}${which}.csv`, rowsOf(rows));
        const already = service.creates();
        const running = world.start(['items', 'import', source, '--yes', 'PROC_CONCURRENCY=4'], {
          env,
        });
        let isEnded = false;
        const ended = running.then((ran) => {
          isEnded = true;
          return ran;
        });
        while (!isEnded && service.creates() < already + 120) {
          await new Promise((go) => setTimeout(go, 5));
        }
        running.kill('SIGKILL');
        await ended;
        const [file] = await runFiles(env);
        const victim = which === 'imports' ? file! : join(env.PROC_STATE_DIR, which);
        const size = (await stat(victim).catch(() => undefined))?.size ?? 0;
        await truncate(victim, Math.floor(size * share)).catch(() => undefined);
        const ran = await world.run(['imports', 'resume', '--yes', 'PROC_SETTLE=100ms'], {
          env,
        });
        expect(ran.stderr).not.toMatch(/\n\s+at /);
        const ours = service.items.filter(({ code }) => code.endsWith(`-${nth}${which}`));
        if (ran.exitCode === 0) expect(ours).toHaveLength(500);
        else {
          const { exitCode, code } = errorOf(ran);
          // Without its ledger, or the head of its file, nobody knows the run.
          expect(`${exitCode} ${code}`).toMatch(/^(3 config_unreadable|2 reference_not_found)$/);
        }
        expect(new Set(ours.map(({ code }) => code)).size).toBe(ours.length);
      }
    }
  });
});

describe('journals', () => {
  it('are readable by the user only, and contain no key', async () => {
    await using service = await itemService(() => undefined);
    const env = { ...service.target, PROC_API_KEY: 'canary-key-4711', ...(await ownState()) };
    const file = await world.file('private.csv', rowsOf(codes(5)));
    await world.run(['items', 'import', file, '--yes'], { env });
    const folder = join(env.PROC_STATE_DIR, 'imports');
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    for (const name of await readdir(folder)) {
      expect((await stat(join(folder, name))).mode & 0o077).toBe(0);
      expect(await readFile(join(folder, name), 'latin1')).not.toContain('canary-key-4711');
    }
  });

  it('list, show, discard and prune', async () => {
    await using service = await itemService((_, nth) => (nth === 9 ? { status: 401 } : undefined));
    const env = { ...service.target, ...(await ownState()) };
    const run = async (...args: string[]) => world.run(args, { env });
    await run('items', 'import', await world.file('first.csv', rowsOf(codes(5))), '--yes');
    await run(
      'items',
      'import',
      await world.file('second.csv', rowsOf(codes(30))),
      '--yes',
      'PROC_CONCURRENCY=1',
    );
    const listed = JSON.parse((await run('imports', 'list')).stdout);
    expect(listed).toMatchObject([
      { state: 'unfinished', rows: 30 },
      { state: 'finished', rows: 5, created: 5 },
    ]);
    const shown = JSON.parse((await run('imports', 'show', listed[1].run)).stdout);
    expect(shown).toMatchObject({ source: expect.stringContaining('first.csv'), rows: 5 });
    const future = await run('imports', 'prune', '--before', 'later');
    expect(errorOf(future).hint).toContain('--before 30d');
    const preview = ['imports', 'prune', '--before', '1ms', '--dry-run', '--yes'];
    expect(JSON.parse((await run(...preview)).stdout)).toEqual({
      dryRun: true,
      wouldRemove: 1,
      kept: 2,
      next: [{ command: 'proc imports prune --before 1ms --yes', why: 'Make this change' }],
    });
    expect((await run('imports', 'prune', '--before', '1ms', '--yes')).stdout).toContain(
      '"removed": 1',
    );
    const giveUp = ['imports', 'resolve', listed[0].run, '--drop', '--all', '--yes'];
    expect(JSON.parse((await run(...giveUp)).stdout)).toMatchObject({ pending: 0, unconfirmed: 0 });
    await run('imports', 'prune', '--before', '1ms', '--yes');
    expect(JSON.parse((await run('imports', 'list')).stdout)).toEqual([]);
    expect(errorOf(await run('imports', 'resume'))).toMatchObject({ exitCode: 2 });
    expect(errorOf(await run('imports', 'show', 'nothing'))).toMatchObject({ exitCode: 2 });
  });
});
