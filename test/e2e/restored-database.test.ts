import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atNight } from '../support/at-night.ts';
import { assumeFirstRuns } from '../support/in-process.ts';
import { book, bookOne, changed, fine, importItems } from '../support/ledger-steps.ts';
import { type Backup, type Cluster, query, startPostgres } from '../support/postgres.ts';
import { errorOf, type World } from '../support/run.ts';
import { type LoggedSandbox, loggedSandbox } from '../support/service.ts';
import { teamAt } from '../support/team.ts';

assumeFirstRuns();

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startPostgres();
}, 120_000);
afterAll(() => cluster[Symbol.asyncDispose]());

const accept = ['doctor', '--accept-ledger', '--yes'];

const RESTORES: readonly (Backup | 'dump')[] = [
  ...(['point in time', 'dump'] as const),
  ...(atNight ? (['snapshot', 'base backup'] as const) : []),
];

describe.each(RESTORES)('a database that was put back: %s', (by) => {
  it('stops what only it could prove, on each machine, until one person accepts it', async () => {
    await using service = await loggedSandbox();
    const { machine, url } = await teamAt(service, cluster);
    const [a, b] = [await machine(), await machine()];
    fine(await book(a, 3));
    fine(await book(b, 4));
    const putBack = by === 'dump' ? await dump(url) : await cluster.backUp(by);
    fine(await book(a, 6));
    fine(await book(b, 7));
    await putBack();
    const sent = service.writes().length;
    for (const world of [a, b]) {
      changed(await book(world, 7));
      changed(await bookOne(world, 9));
    }
    // Machines without memory go on, and do not hide it. Another timeline stops these, too.
    for (let nth = 10; nth < 13 && by !== 'point in time'; nth++)
      fine(await book(await machine(), 4));
    changed(await book(a, 7));
    expect(service.writes()).toHaveLength(sent);
    fine(await a.run(accept));
    fine(await book(b, 4));
    fine(await bookOne(a, 9));
    expect(service.writes()).toHaveLength(sent + 1);
  }, 120_000);
});

/**
 * With `POSTGRES_BIN`, by `pg_dump` and `pg_restore`, which the installed packages lack. Otherwise as they do it: another
 * database with the same rows.
 */
async function dump(url: string): Promise<() => Promise<void>> {
  const name = new URL(url).pathname.slice(1);
  const other = url.replace(/[^/]*$/, 'postgres');
  const bin = process.env.POSTGRES_BIN;
  if (bin !== undefined) {
    const file = join(tmpdir(), `${name}.dump`);
    execFileSync(join(bin, 'pg_dump'), ['--format=custom', `--file=${file}`, url]);
    return async () => {
      await query(other, `DROP DATABASE ${name} WITH (FORCE)`);
      await query(other, `CREATE DATABASE ${name}`);
      execFileSync(join(bin, 'pg_restore'), ['--exit-on-error', `--dbname=${url}`, file]);
    };
  }
  await query(
    other,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`,
  );
  await query(other, `CREATE DATABASE ${name}_dump TEMPLATE ${name}`);
  return async () => {
    await query(other, `DROP DATABASE ${name} WITH (FORCE)`);
    await query(other, `ALTER DATABASE ${name}_dump RENAME TO ${name}`);
  };
}

describe('machines that share a ledger', () => {
  it('overtake each other without an alarm', async () => {
    await using service = await loggedSandbox();
    const { machine } = await teamAt(service, cluster);
    const machines = [await machine(), await machine(), await machine()];
    for (let nth = 0; nth < 6; nth++) {
      const world = machines[nth % 3]!;
      // A config folder with two state folders.
      const env = nth % 2 ? {} : { PROC_STATE_DIR: join(world.folder, 'other') };
      fine(await book(world, nth + 2, { env }));
      fine(await bookOne(world, nth + 50, { env }));
      fine(await importItems(world, nth + 1, { env }));
    }
    await Promise.all(machines.map(async (world, at) => fine(await bookOne(world, at + 80))));
  });
});

describe('a machine whose ledger is another one', () => {
  const LOCAL = { env: { PROC_LEDGER: undefined } };
  const place = async (service: LoggedSandbox): Promise<World> =>
    (await teamAt(service, cluster)).machine();

  it('a job without PROC_LEDGER', async () => {
    await using service = await loggedSandbox();
    const world = await place(service);
    fine(await book(world, 3));
    changed(await book(world, 3, LOCAL));
    changed(await bookOne(world, 9, LOCAL));
    expect(service.writes()).toHaveLength(3);
  });

  it('from the local to the shared one, until imports share has moved what it has', async () => {
    await using service = await loggedSandbox();
    const world = await place(service);
    fine(await book(world, 3, LOCAL));
    const ran = await book(world, 3);
    changed(ran);
    expect(errorOf(ran).hint).toContain('proc imports share');
    fine(await world.run(['imports', 'share', '--yes']));
    fine(await book(world, 4));
    expect(service.writes()).toHaveLength(4);
    changed(await book(world, 5, LOCAL));
  });
});

if (atNight) {
  it('a database that has taken over is used again once a person has accepted it', async () => {
    await using own = await startPostgres();
    await using service = await loggedSandbox();
    const { machine } = await teamAt(service, own);
    const world = await machine();
    expect(await importItems(world, 10)).toMatchObject({ exitCode: 0 });
    await own.failOver();
    const refused = errorOf(await importItems(world, 12));
    expect(refused).toMatchObject({ code: 'ledger_changed', exitCode: 3 });
    expect(service.writes()).toHaveLength(10);
    const checked = await world.run(['doctor', '-o', 'json']);
    expect(checked.exitCode).toBe(3);
    const accept = ['doctor', '--accept-ledger'];
    expect(errorOf(await world.run(accept))).toMatchObject({ code: 'confirmation_required' });
    expect(await world.run([...accept, '--yes'])).toMatchObject({ exitCode: 0 });
    expect(await importItems(world, 12)).toMatchObject({ exitCode: 0 });
    expect(service.writes()).toHaveLength(12);
  }, 60_000);
}
