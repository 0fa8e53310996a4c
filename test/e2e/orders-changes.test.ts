import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { SANDBOX_KEYS } from '../../src/sandbox/server/sandbox-keys.ts';
import { openWorld, type World } from '../support/run.ts';
import { type LoggedSandbox, loggedSandbox } from '../support/service.ts';

type Proc = (...args: readonly string[]) => ReturnType<World['run']>;

async function inSandbox(
  work: (
    proc: Proc,
    world: World,
    change: (sql: string) => void,
    target: LoggedSandbox['target'],
  ) => Promise<void>,
  target?: (sandbox: LoggedSandbox) => Readonly<Record<string, string>>,
) {
  await using world = await openWorld();
  const db = join(world.folder, 'service.db');
  await using sandbox = await loggedSandbox({ db });
  const env = target?.(sandbox) ?? sandbox.target;
  const change = (sql: string) => {
    using database = new DatabaseSync(db);
    database.exec(sql);
  };
  await work((...args) => world.run(args, { env }), world, change, sandbox.target);
}

describe('orders changes', () => {
  it('tells new orders, and changed statuses and amounts, from a saved snapshot', () =>
    inSandbox(async (proc, _, change) => {
      const daily = ['orders', 'changes', '--since', 'daily', '--save', 'daily', '--exit-code'];
      const first = await proc(...daily);
      expect([first.exitCode, first.stdout]).toEqual([0, '[]\n']);
      expect(first.stderr).toContain('Saved 500 orders');
      change(
        "UPDATE orders SET status = 'cancelled' WHERE id = 'po-1'; UPDATE orders SET amount = 1.5 WHERE id = 'po-2'; DELETE FROM orders WHERE id = 'po-3'",
      );
      const second = await proc(...daily);
      expect(second.exitCode).toBe(8);
      expect(second.stderr).toContain('0 new, 2 changed, 1 gone');
      expect(second.stderr).not.toContain('"error"');
      expect(JSON.parse(second.stdout)).toMatchObject([
        {
          change: 'changed',
          id: 'po-1',
          status: 'cancelled',
          previousStatus: 'complete',
          previousAmount: null,
        },
        {
          change: 'changed',
          id: 'po-2',
          amount: 1.5,
          previousAmount: 300.67,
          previousStatus: null,
        },
        { change: 'gone', id: 'po-3', code: 'PO-00003' },
      ]);
      const third = await proc(...daily);
      expect([third.exitCode, third.stdout]).toEqual([0, '[]\n']);
    }));

  it('compares with an exported file, in which a number may have lost its last zero', () =>
    inSandbox(async (proc, world) => {
      const file = join(world.cwd, 'orders.csv');
      expect((await proc('orders', 'list', '--all', '--out', file)).exitCode).toBe(0);
      const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
      const [header, one, two] = lines;
      await writeFile(file, `${[header, one, two!.replace('300.67', '300.670')].join('\n')}\n`);
      const ran = await proc('orders', 'changes', '--since', file, '--where', 'change!=new');
      expect(JSON.parse(ran.stdout)).toEqual([]);
      expect(ran.stderr).toContain('498 new, 0 changed, 0 gone');
    }));

  it('calls nothing gone and saves nothing if the end of the list is not verified', () =>
    inSandbox(
      async (proc, world) => {
        const file = await world.file('old.json', JSON.stringify([{ id: 'po-none', code: 'X' }]));
        const ran = await proc('orders', 'changes', '--since', file, '--save', 'daily');
        expect(ran.exitCode).toBe(10);
        expect(ran.stderr).toContain('the snapshot \\"daily\\" was not saved');
        expect(JSON.parse(ran.stdout)).not.toContainEqual(
          expect.objectContaining({ change: 'gone' }),
        );
        const next = await proc('orders', 'changes', '--since', 'daily');
        expect(next.exitCode).toBe(2);
      },
      ({ target }) => ({ ...target, PROC_DIALECT: 'limit=pageSize,offset=skip' }),
    ));

  it.each([
    [[], 'there is nothing to compare'],
    [['--since', 'nope'], 'there is no snapshot \\"nope\\"'],
    [['--save', '../x'], 'is not a valid name of a snapshot'],
    [['--since', 'missing.csv'], 'missing.csv'],
  ])('refuses %j before it reads the orders', (flags, problem) =>
    inSandbox(async (proc) => {
      const ran = await proc('orders', 'changes', ...flags);
      expect(ran.exitCode).toBe(2);
      expect(ran.stderr).toContain(problem);
    }),
  );

  it('keeps the snapshots of organizations apart', () =>
    inSandbox(async (proc, world, _, target) => {
      expect((await proc('orders', 'changes', '--save', 'daily')).exitCode).toBe(0);
      const other = await world.run(['orders', 'changes', '--since', 'daily'], {
        env: { ...target, PROC_API_KEY: SANDBOX_KEYS[1].apiKey },
      });
      expect(other.stderr).toContain('there is no snapshot');
    }));
});
