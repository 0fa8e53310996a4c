import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SANDBOX_KEYS } from '../../src/sandbox/seed.ts';
import { errorOf, openWorld, type World } from '../support/run.ts';
import { type LoggedSandbox, loggedSandbox } from '../support/service.ts';

type Proc = (...args: readonly string[]) => ReturnType<World['run']>;

async function inSandbox(
  work: (
    proc: Proc,
    world: World,
    change: (sql: string) => void,
    target: LoggedSandbox['target'],
  ) => Promise<void>,
  options: { readonly dialect?: string } = {},
) {
  await using world = await openWorld();
  const db = join(world.folder, 'service.db');
  await using sandbox = await loggedSandbox({ db, ...options });
  const env = sandbox.target;
  const change = (query: string) => void sandbox.sql(query);
  await work((...args) => world.run(args, { env }), world, change, sandbox.target);
}

const OLD_ORDER = { id: 'po-none', code: 'X', status: 'pending', amount: 1, currency: 'USD' };

async function exported(proc: Proc, world: World, name: string, fields: string) {
  const flags = ['--all', '--fields', fields, '--out', join(world.cwd, name)];
  expect((await proc('orders', 'list', ...flags)).exitCode).toBe(0);
  return name;
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
        const file = await world.file('old.json', JSON.stringify([OLD_ORDER]));
        const ran = await proc('orders', 'changes', '--since', file, '--save', 'daily');
        expect(ran.exitCode).toBe(10);
        expect(ran.stderr).toContain('the snapshot \\"daily\\" was not saved');
        expect(JSON.parse(ran.stdout)).not.toContainEqual(
          expect.objectContaining({ change: 'gone' }),
        );
        const next = await proc('orders', 'changes', '--since', 'daily');
        expect(next.exitCode).toBe(2);
      },
      { dialect: 'limit=unknown1,offset=unknown2' },
    ));

  it.each([
    [[], 'there is nothing to compare'],
    [['--since', 'nope'], 'there is no snapshot \\"nope\\"'],
    [['--save', '../x'], 'is not a valid snapshot name'],
    [['--since', 'missing.csv'], 'missing.csv'],
  ])('refuses %j before it reads the orders', (flags, problem) =>
    inSandbox(async (proc) => {
      const ran = await proc('orders', 'changes', ...flags);
      expect(ran.exitCode).toBe(2);
      expect(ran.stderr).toContain(problem);
    }),
  );

  it.each(['old.csv', 'old.xlsx'])('compares with %s only if it has all compared fields', (name) =>
    inSandbox(async (proc, world) => {
      const since = (file: string) => proc('orders', 'changes', '--since', file);
      const whole = await exported(proc, world, name, 'currency,amount,status,id');
      const equal = await since(whole);
      expect([equal.exitCode, equal.stdout], equal.stderr).toEqual([0, '[]\n']);
      for (const [fields, missing] of [
        ['code,status,amount,currency', ['id']],
        ['id,code,status,title', ['amount', 'currency']],
        ['id,code,title', ['status', 'amount', 'currency']],
      ] as const) {
        const file = await exported(proc, world, name, fields);
        {
          const ran = await since(file);
          expect([ran.exitCode, ran.stdout]).toEqual([2, '']);
          expect(errorOf(ran)).toMatchObject({
            code: 'invalid_input',
            message: `${file} cannot be compared with the orders: it has no ${missing.map((one) => `"${one}"`).join(', no ')}`,
            hint: 'Use a file that proc orders list --all --out FILE wrote: the comparison needs id, status, amount, currency',
          });
        }
      }
    }),
  );

  it.each([
    ['a catalogue', 'a.csv', 'code,name\nA-1,Bolt\n', 'it has no "id", no "status"'],
    ['a row without an id', 'a.csv', 'id,status,amount,currency\n,done,1,USD\n', 'has no id'],
    [
      'an order twice',
      'a.csv',
      'id,status,amount,currency\npo-1,done,1,USD\npo-1,done,2,USD\n',
      'the order po-1 is there twice',
    ],
  ])('refuses %s', (_, name, text, problem) =>
    inSandbox(async (proc, world) => {
      await world.file(name, text);
      const ran = await proc('orders', 'changes', '--since', name);
      expect([ran.exitCode, ran.stdout]).toEqual([2, '']);
      expect(errorOf(ran).message).toContain(problem);
    }),
  );

  it('calls every order new if the header shows an empty list of orders', () =>
    inSandbox(async (proc, world) => {
      await world.file('none.csv', 'id,code,status,amount,currency,title\n');
      const ran = await proc('orders', 'changes', '--since', 'none.csv');
      expect(ran.exitCode, ran.stderr).toBe(0);
      expect(ran.stderr).toContain('500 new, 0 changed, 0 gone');
    }));

  it('keeps the snapshots of organizations apart', () =>
    inSandbox(async (proc, world, _, target) => {
      expect((await proc('orders', 'changes', '--save', 'daily')).exitCode).toBe(0);
      const other = await world.run(['orders', 'changes', '--since', 'daily'], {
        env: { ...target, PROC_API_KEY: SANDBOX_KEYS[1].apiKey },
      });
      expect(other.stderr).toContain('there is no snapshot');
    }));
});
