import { describe, expect, it } from 'vitest';
import { commandsOf, NOUNS } from '../../src/registry.ts';
import { assumeFirstRuns } from '../support/in-process.ts';
import { freshWorld } from '../support/run.ts';
import { startTestSandbox } from '../support/sandbox.ts';
import { sqlIn } from '../support/service.ts';

assumeFirstRuns();

/**
 * Every command that changes something, and what a run whose output was lost leaves for the next one:
 * - `position`: what the next run compares with has not moved, so it tells the same
 * - `written`: the error names what was written, and history or the run keeps it
 * - `named`: the command set or removed what the user named; the same command or a list shows it
 */
const KINDS: Readonly<Record<'position' | 'written' | 'named', readonly string[]>> = {
  position: ['orders changes'],
  written: [
    'addresses delete',
    'addresses patch',
    'api',
    'imports resume',
    'imputations create',
    'imputations import',
    'items create',
    'items import',
    'requisition create',
    'requisition group add',
    'requisition group remove',
    'requisition import',
    'requisition item add',
    'requisition item remove',
    'requisition wizard',
    'sectors delete',
    'sectors patch',
  ],
  named: [
    'auth login',
    'auth logout',
    'doctor',
    'history resolve',
    'imports prune',
    'imports resolve',
    'imports share',
    'profile add',
    'profile remove',
    'profile set',
    'profile use',
    'sandbox exec',
    'sandbox start',
    'setup',
  ],
};

/** How the output is lost, and the exit code. Who closes a pipe has seen enough, so that is no failure. */
const SINKS = [
  ['a full device', '> /dev/full', undefined],
  ['a closed pipe', '| true', 0],
  ['a closed stdout', '>&-', undefined],
] as const;

async function place() {
  const { baseUrl, dbPath } = await startTestSandbox();
  const world = await freshWorld({ PROC_BASE_URL: baseUrl });
  await world.file('items.csv', 'code,name\nD-1,One\nD-2,Two\n');
  await world.file('imputations.csv', 'reference,amount,account\nR-1,5,a\nR-2,7,a\n');
  const change = (query: string) => void sqlIn(dbPath, query);
  const count = (table: string): number => sqlIn(dbPath, `SELECT id FROM ${table}`).length;
  /** Runs `proc` in a shell. The pipe is closed before proc begins. */
  const into = async (line: string, sink: string) => {
    const closed = sink === '| true' ? 'sleep 0.2; ' : '';
    const ran = await world.shell(
      `{ ${closed}"$NODE" "$PROC" ${line}; echo "code $?" >&2; } ${sink}`,
    );
    const [, code] = /code (\d+)\n$/.exec(ran.stderr)!;
    return { exitCode: Number(code), stderr: ran.stderr };
  };
  return { world, change, count, into };
}

describe.runIf(process.platform === 'linux')('a position moves after delivery', () => {
  it('every command that changes something is in this table', async () => {
    const specs = (await Promise.all(NOUNS.map(commandsOf))).flat();
    const changing = specs.filter(({ changes }) => changes !== 'nothing');
    const paths = changing.map(({ path }) => path.join(' '));
    const known = new Set(Object.values(KINDS).flat());
    expect(paths.filter((path) => !known.has(path))).toEqual([]);
  });

  it('output that a program ignores is no failure, also that of a script which runs proc', async () => {
    const { world, count } = await place();
    const ignoring = (...argv: readonly string[]) => {
      const run = `spawnSync(${argv.join(', ')}, { stdio: ['ignore', 'ignore', 'inherit'] })`;
      return `"$NODE" -e "process.exitCode = require('node:child_process').${run}.status"`;
    };
    const list = ignoring('process.execPath', "[process.env.PROC, 'orders', 'list']");
    expect((await world.shell(list)).exitCode).toBe(0);
    await world.file('job.sh', '"$NODE" "$PROC" items create --name Bolt --code D-9\n');
    const before = count('items');
    expect((await world.shell(ignoring("'sh'", "['job.sh']"))).exitCode).toBe(0);
    expect(count('items')).toBe(before + 1);
  });

  describe.each(SINKS)('%s', (_, sink, exitCode) => {
    it('orders changes --save: the next run tells the same', async () => {
      const { world, change, into } = await place();
      const daily = ['orders', 'changes', '--since', 'daily', '--save', 'daily'];
      expect((await world.run(daily)).exitCode).toBe(0);
      change("update orders set status = 'cancelled' where id = 'po-1'");
      const lost = await into(daily.join(' '), sink);
      expect(lost.exitCode).toBe(exitCode ?? 2);
      expect(lost.stderr).toContain('was not saved, because the output was not delivered');
      expect(lost.stderr).not.toContain('Saved');
      const again = await world.run([...daily, '--exit-code']);
      expect(again.exitCode).toBe(8);
      expect(JSON.parse(again.stdout)).toMatchObject([{ id: 'po-1', status: 'cancelled' }]);
      expect((await world.run([...daily, '--exit-code'])).exitCode).toBe(0);
    });

    it.each([
      ['items create --name Bolt --code D-9', 'items', 1],
      [
        'imputations import imputations.csv --yes --set contractId=k-1 --first-run',
        'imputations',
        2,
      ],
    ])('%s: nothing is written twice, and what was written is kept', async (line, table, rows) => {
      const { world, count, into } = await place();
      const before = count(table);
      const lost = await into(line, sink);
      expect(lost.exitCode, lost.stderr).toBe(exitCode ?? 11);
      expect(count(table)).toBe(before + rows);
      await world.run(line.split(' '));
      expect(count(table)).toBe(before + rows);
      const isImport = line.includes(' import ');
      const kept = await world.run([isImport ? 'imports' : 'history', 'list']);
      expect(JSON.parse(kept.stdout)).toContainEqual(
        expect.objectContaining(isImport ? { created: rows } : { state: 'done' }),
      );
    });

    it('sectors delete: history keeps the copy that was not printed', async () => {
      const { world, into } = await place();
      const lost = await into('sectors delete sec-9 --yes', sink);
      expect(lost.exitCode, lost.stderr).toBe(exitCode ?? 11);
      const [{ id }] = JSON.parse((await world.run(['history', 'list'])).stdout);
      const shown = JSON.parse((await world.run(['history', 'show', id])).stdout);
      expect(shown.before).toMatchObject({ id: 'sec-9' });
      expect((await world.run(['sectors', 'get', 'id=sec-9'])).exitCode).toBe(5);
    });
  });

  it('what is thrown away on purpose counts as delivered', async () => {
    const { world, into } = await place();
    expect((await into('orders changes --save daily', '> /dev/null')).exitCode).toBe(0);
    const since = await world.run(['orders', 'changes', '--since', 'daily', '--exit-code']);
    expect(since.exitCode).toBe(0);
  });

  it('a job that mails first compares with a file of its own', async () => {
    const { world, change } = await place();
    const job = `"$NODE" "$PROC" orders list --all --out now.json --quiet || exit 1
      test -e last.json || cp now.json last.json
      "$NODE" "$PROC" orders changes --since last.json --quiet --out mail.csv && $MAIL mail.csv && mv now.json last.json`;
    const mail = async (command: string) =>
      (await world.shell(job, { env: { MAIL: command } })).stdout;
    await mail('cat');
    change("update orders set status = 'cancelled' where id = 'po-1'");
    await mail('false');
    expect(await mail('cat')).toContain('po-1');
    expect(await mail('cat')).not.toContain('po-1');
  });
});
