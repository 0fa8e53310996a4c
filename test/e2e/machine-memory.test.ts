import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { assumeFirstRuns } from '../support/in-process.ts';
import { book, bookOne, changed, costsCsv, fine, importItems } from '../support/ledger-steps.ts';
import { errorOf, freshWorld, type World } from '../support/run.ts';
import { type LoggedSandbox, loggedSandbox } from '../support/service.ts';
import { itemsCsv } from '../support/team.ts';

assumeFirstRuns();

const machineAt = (service: LoggedSandbox, env = {}) =>
  freshWorld({ ...service.target, PROC_SETTLE: '100ms', ...env });

/** Kills an import of imputations while it sends. */
async function killed(world: World, service: LoggedSandbox, to: number, after: number) {
  await world.file('cost.csv', costsCsv(to));
  const argv = 'imputations import cost.csv --set contractId=k-1 --yes --first-run --rate 50';
  const running = world.start(argv.split(' '), { env: { PROC_CONCURRENCY: '2' } });
  await expect.poll(() => service.writes().length, { timeout: 60_000 }).toBeGreaterThan(after);
  running.kill('SIGKILL');
  await running;
}

const accept = ['doctor', '--accept-ledger', '-o', 'json'];

describe('a ledger of this machine that was put back to an older state', () => {
  it('stops what only the ledger could prove, until a person accepts it', async () => {
    await using service = await loggedSandbox();
    const world = await machineAt(service);
    fine(await book(world, 3));
    fine(await importItems(world, 2));
    const backup = join(world.folder, 'backup');
    cpSync(world.stateDir, backup, { recursive: true });
    fine(await book(world, 6));
    rmSync(world.stateDir, { recursive: true });
    cpSync(backup, world.stateDir, { recursive: true });
    const sent = service.writes().length;
    changed(await book(world, 6));
    changed(await bookOne(world, 7));
    expect(service.writes()).toHaveLength(sent);
    // The list proves these, and a change of a record needs no proof. They do not hide what is missing.
    for (let nth = 3; nth < 6; nth++) {
      const ran = await importItems(world, nth);
      fine(ran);
      expect(ran.stderr).toContain('older state');
      fine(await world.run(['sectors', 'patch', 'sec-1', '--description', `${nth}`, '--yes']));
      fine(await world.run(['items', 'create', '--name', `n${nth}`, '--code', `c${nth}`]));
    }
    changed(await book(world, 6));
    changed(await world.run(['items', 'create', '--name', 'without a code']));
    const examined = await world.run(['doctor', '-o', 'json']);
    expect(examined.exitCode).toBe(3);
    expect(examined.stdout).toContain('older state');
    expect(errorOf(await world.run(accept))).toMatchObject({ code: 'confirmation_required' });
    changed(await book(world, 6));
    const accepted = await world.run([...accept, '--yes']);
    fine(accepted);
    const { historyId, forgets } = JSON.parse(accepted.stdout);
    expect(forgets).toHaveLength(1);
    const shown = await world.run(['history', 'show', historyId, '-o', 'json']);
    expect(JSON.parse(shown.stdout)).toMatchObject({ noun: 'ledger', payload: forgets });
    fine(await book(world, 6));
    fine(await bookOne(world, 7));
    expect(JSON.parse((await world.run([...accept, '--yes'])).stdout)).toEqual({ accepted: false });
  });

  it('with an unfinished run of items', async () => {
    await using service = await loggedSandbox({ faults: 'latency=5ms' });
    const world = await machineAt(service);
    await world.file('items.csv', itemsCsv(1, 100));
    const running = world.start(['items', 'import', 'items.csv', '--yes', '--rate', '100']);
    await expect.poll(() => service.writes().length, { timeout: 60_000 }).toBeGreaterThan(10);
    running.kill('SIGKILL');
    await running;
    const backup = join(world.folder, 'backup');
    cpSync(world.stateDir, backup, { recursive: true });
    fine(await importItems(world, 100));
    rmSync(world.stateDir, { recursive: true });
    cpSync(backup, world.stateDir, { recursive: true });
    changed(await importItems(world, 100));
    changed(await world.run(['imports', 'resume', '--yes']));
    expect(service.writes()).toHaveLength(100);
  });
});

describe('another ledger than the one that was used', () => {
  const SWITCHED = { PROC_STATE_DIR: 'elsewhere' };

  it('stops what only the ledger could prove', async () => {
    await using service = await loggedSandbox();
    const world = await machineAt(service);
    fine(await book(world, 3));
    fine(await importItems(world, 2));
    const elsewhere = { env: SWITCHED };
    const ran = await book(world, 3, elsewhere);
    changed(ran);
    expect(errorOf(ran).message).toContain(world.stateDir);
    changed(await bookOne(world, 9, elsewhere));
    const items = await importItems(world, 3, elsewhere);
    fine(items);
    expect(items.stderr).toContain('were last written with the ledger');
    fine(await book(world, 3));
    expect(service.writes()).toHaveLength(6);
    fine(await world.run([...accept, '--yes'], elsewhere));
    fine(await bookOne(world, 9, elsewhere));
    // Now the first one is another ledger.
    changed(await book(world, 3));
  });

  it('also with a key that has no name, which each ledger calls otherwise', async () => {
    await using service = await loggedSandbox();
    const world = await machineAt(service, { PROC_ORGANIZATION: '' });
    fine(await bookOne(world, 1));
    changed(await bookOne(world, 1, { env: SWITCHED }));
  });
});

describe('items without a code, which no list proves', () => {
  it.each(['put back', 'another'])('stop with a ledger that is %s', async (what) => {
    await using service = await loggedSandbox();
    const world = await machineAt(service);
    const named = async (to: number, options = {}) => {
      const rows = Array.from({ length: to }, (_, at) => `Bolt ${at + 1}`);
      await world.file('named.csv', `name\n${rows.join('\n')}\n`);
      const argv = 'items import named.csv --allow-missing code --yes -o json';
      return world.run(argv.split(' '), options);
    };
    const there = join(world.folder, 'there');
    await world.file('named.csv', 'name\nBolt 1\n');
    const typed = 'items import named.csv --allow-missing code --yes';
    const untold = await world.run(typed.split(' '), { asTyped: true });
    expect(errorOf(untold)).toMatchObject({ code: 'no_ledger', exitCode: 3 });
    fine(await named(1));
    if (what === 'put back') cpSync(world.stateDir, there, { recursive: true });
    fine(await named(3));
    if (what === 'put back') {
      rmSync(world.stateDir, { recursive: true });
      cpSync(there, world.stateDir, { recursive: true });
    }
    const options = what === 'another' ? { env: { PROC_STATE_DIR: there } } : {};
    const sent = service.writes().length;
    changed(await named(3, options));
    // Those with a code go on, but prove nothing of the others.
    fine(await importItems(world, 2, options));
    changed(await named(3, options));
    expect(service.writes()).toHaveLength(sent + 2);
  });
});

describe('with another ledger', () => {
  const there = { env: { PROC_STATE_DIR: 'elsewhere' } };

  it('items that were killed go on: by the same line, and by a resume', async () => {
    await using service = await loggedSandbox({ faults: 'latency=5ms' });
    const world = await machineAt(service);
    fine(await importItems(world, 2));
    await world.file('items.csv', itemsCsv(1, 100));
    const argv = ['items', 'import', 'items.csv', '--yes', '--rate', '100'];
    for (const after of [10, 30]) {
      const running = world.start(argv, there);
      await expect.poll(() => service.writes().length, { timeout: 60_000 }).toBeGreaterThan(after);
      running.kill('SIGKILL');
      await running;
    }
    const dry = await world.run([...argv, '--dry-run'], there);
    expect(dry.stderr).toContain('The list of items decides');
    const resumed = await world.run(['imports', 'resume', '--yes'], there);
    fine(resumed);
    fine(await importItems(world, 100, there));
    expect(service.writes()).toHaveLength(100);
  });

  it('the doctor sees what an import would see', async () => {
    await using service = await loggedSandbox();
    const world = await machineAt(service);
    fine(await book(world, 3));
    fine(await importItems(world, 1, there));
    const examined = await world.run(['doctor', '-o', 'json'], there);
    expect(examined.exitCode).toBe(3);
    expect(examined.stdout).toContain(world.stateDir);
    const argv = 'imputations import cost.csv --set contractId=k-1 --dry-run'.split(' ');
    const dry = await world.run(argv, there);
    fine(dry);
    expect(dry.stderr).toContain('The import will stop');
    expect(JSON.parse(dry.stdout)).toMatchObject({ next: [] });
    rmSync(world.stateDir, { recursive: true });
    const gone = await book(world, 3);
    changed(gone);
    expect(errorOf(gone).hint).toMatch(/^Restore/);
  });

  it('accepted with one key of an organization, it is accepted with the others', async () => {
    await using service = await loggedSandbox();
    const world = await machineAt(service, { PROC_ORGANIZATION: 'acme' });
    const second = { PROC_API_KEY: 'proc-sandbox-key-2' };
    fine(await book(world, 1));
    fine(await book(world, 2, { env: second }));
    fine(await world.run([...accept, '--yes'], there));
    fine(await bookOne(world, 5, there));
    fine(await bookOne(world, 6, { env: { ...there.env, ...second } }));
    for (const env of [{}, second]) changed(await bookOne(world, 7, { env }));
  });
});

describe('a copied state folder with rows under way', () => {
  it('is not resumed on another machine, until a person accepts it', async () => {
    await using service = await loggedSandbox({ faults: 'latency=20ms' });
    const world = await machineAt(service);
    await killed(world, service, 100, 10);
    await importItems(world, 2);
    const copy = join(world.folder, 'copy');
    cpSync(world.stateDir, copy, { recursive: true });
    ofMachine(copy, 'another');
    const there = { env: { PROC_STATE_DIR: copy, PROC_CONFIG_DIR: join(world.folder, 'there') } };
    const sent = service.writes().length;
    // They do not hide it.
    fine(await importItems(world, 3, there));
    fine(await importItems(world, 3, there));
    changed(await book(world, 100, there));
    changed(await bookOne(world, 200, there));
    changed(await world.run(['imports', 'resume', '--yes'], there));
    expect(service.writes()).toHaveLength(sent + 1);
    fine(await world.run([...accept, '--yes'], there));
    const resumed = await world.run(['imports', 'resume', '--yes'], there);
    expect([0, 9], resumed.stderr).toContain(resumed.exitCode);
  });

  it('also if its run is over, and only a person can decide about its rows', async () => {
    await using service = await loggedSandbox({ faults: 'reset-after=100%' });
    const world = await machineAt(service);
    expect(await book(world, 1)).toMatchObject({ exitCode: 9 });
    ofMachine(world.stateDir, 'another');
    const there = { env: { PROC_CONFIG_DIR: join(world.folder, 'there') } };
    changed(await book(world, 2, there));
    const items = await importItems(world, 2, there);
    fine(items);
    expect(items.stderr).toContain('another machine');
  });

  it.each(['with its config folder', 'by a container whose machine has no id', 'here'])(
    'goes on %s',
    async (what) => {
      await using service = await loggedSandbox({ faults: 'latency=20ms' });
      const world = await machineAt(service);
      await killed(world, service, 100, 10);
      const copy = join(world.folder, 'copy');
      cpSync(world.stateDir, join(copy, 'state'), { recursive: true });
      if (what === 'with its config folder') {
        cpSync(world.configDir, join(copy, 'config'), { recursive: true });
        ofMachine(join(copy, 'state'), 'another');
      } else if (what !== 'here') ofMachine(join(copy, 'state'), null);
      const env = { PROC_STATE_DIR: join(copy, 'state'), PROC_CONFIG_DIR: join(copy, 'config') };
      const resumed = await world.run(['imports', 'resume', '--yes'], { env });
      expect([0, 9], resumed.stderr).toContain(resumed.exitCode);
    },
  );
});

/** As if the ledger had been written on another machine. */
function ofMachine(stateDir: string, machine: string | null): void {
  const database = new DatabaseSync(join(stateDir, 'ledger.db'));
  database.prepare('UPDATE writers SET machine = ?').run(machine);
  database.close();
}

describe('no false alarm', () => {
  it('of two config folders with one state folder', async () => {
    await using service = await loggedSandbox();
    const world = await machineAt(service);
    const other = { env: { PROC_CONFIG_DIR: join(world.folder, 'other') } };
    for (let nth = 1; nth < 5; nth++) {
      fine(await book(world, 2 * nth));
      fine(await book(world, 2 * nth + 1, other));
      fine(await bookOne(world, nth, nth % 2 ? other : {}));
    }
  });

  it('of a home folder that was moved', async () => {
    await using service = await loggedSandbox();
    const world = await machineAt(service);
    fine(await book(world, 3));
    const home = join(world.folder, 'moved');
    mkdirSync(home);
    for (const name of ['config', 'state']) renameSync(join(world.folder, name), join(home, name));
    const env = { PROC_CONFIG_DIR: join(home, 'config'), PROC_STATE_DIR: join(home, 'state') };
    fine(await book(world, 4, { env }));
    expect(service.writes()).toHaveLength(4);
  });

  it('of a key that two profiles have', async () => {
    await using service = await loggedSandbox();
    const world = await machineAt(service);
    const { PROC_BASE_URL: url } = service.target;
    for (const name of ['one', 'two'])
      fine(await world.run(['profile', 'add', name, '-e', 'local', '--base-url', url]));
    for (let nth = 1; nth < 5; nth++) {
      const PROC_PROFILE = nth % 2 ? 'one' : 'two';
      const env = { PROC_BASE_URL: undefined, PROC_PROFILE };
      fine(await book(world, nth, { env }));
      fine(await bookOne(world, nth + 10, { env }));
    }
    expect(service.writes()).toHaveLength(8);
  });

  it('of a key that was rotated', async () => {
    await using service = await loggedSandbox();
    const world = await machineAt(service, { PROC_ORGANIZATION: 'acme' });
    fine(await book(world, 3));
    const rotated = { env: { PROC_API_KEY: 'proc-sandbox-key-2' } };
    fine(await book(world, 4, rotated));
    fine(await bookOne(world, 9, rotated));
    fine(await bookOne(world, 10));
  });

  it.each<[string, (folder: string) => void]>([
    ['that cannot be written', (folder) => chmodSync(folder, 0o500)],
    [
      'that is damaged',
      (folder) => {
        for (const name of readdirSync(folder)) writeFileSync(join(folder, name), '{"');
      },
    ],
    [
      'that is no folder',
      (folder) => {
        rmSync(folder, { recursive: true });
        writeFileSync(folder, '');
      },
    ],
  ])('of a memory %s: it is none', async (_, damage) => {
    await using service = await loggedSandbox();
    const world = await machineAt(service);
    fine(await book(world, 3));
    damage(join(world.configDir, 'memory'));
    fine(await book(world, 4));
    fine(await bookOne(world, 9));
    expect(service.writes()).toHaveLength(5);
    chmodSync(join(world.configDir, 'memory'), 0o700);
  });
});
