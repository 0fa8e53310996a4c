import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import readXlsx from 'read-excel-file/node';
import { describe, expect, it } from 'vitest';
import { http, startHostile } from '../support/hostile-service.ts';
import { tablesIn, textOf } from '../support/page.ts';
import { errorOf, freshWorld, openWorld, type World } from '../support/run.ts';
import { loggedSandbox } from '../support/service.ts';

interface Total {
  readonly month: string;
  readonly status: string;
  readonly currency: string;
  readonly orders: number;
  readonly amount: number;
  readonly withoutAmount: number;
}

type Proc = (...args: readonly string[]) => ReturnType<World['run']>;

async function inSandbox(work: (proc: Proc, world: World) => Promise<void>, sql = '') {
  await using world = await openWorld();
  const db = join(world.folder, 'service.db');
  await using sandbox = await loggedSandbox({ db });
  if (sql !== '') {
    using database = new DatabaseSync(db);
    database.exec(sql);
  }
  await work((...args) => world.run(args, { env: sandbox.target }), world);
}

function shown(amount: number): string {
  return amount.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 9 });
}

async function reportIn(proc: Proc, world: World, ...flags: readonly string[]) {
  const ran = await proc('orders', 'summary', '--out', 'report.html', ...flags);
  expect([ran.exitCode, ran.stdout], ran.stderr).toEqual([0, '']);
  return (await readFile(join(world.cwd, 'report.html'))).toString();
}

describe('orders summary --out report.html', () => {
  it('has the figures of the JSON, by month, status and currency', () =>
    inSandbox(async (proc, world) => {
      const page = await reportIn(proc, world);
      const tables = tablesIn(page);
      const json: readonly Total[] = JSON.parse(
        (await proc('orders', 'summary', '--by', 'month,status,currency')).stdout,
      );
      const currencies = [...new Set(json.map(({ currency }) => currency))];
      expect(currencies.length).toBeGreaterThan(1);
      for (const currency of currencies) {
        const [header = [], ...rows] = tables.get(`Amounts in ${currency} by month and status`)!;
        const cells = rows
          .slice(0, -1)
          .flatMap(([month, ...values]) =>
            values.map((value, index) => [month, header[index + 1], value]),
          )
          .filter(([, status, value]) => status !== 'total' && value !== '')
          .map((cell) => cell.join(' '));
        const expected = json
          .filter((row) => row.currency === currency)
          .map(({ month, status, amount }) => `${month} ${status} ${shown(amount)}`);
        expect(cells.sort()).toEqual(expected.sort());
      }
      const byStatus: readonly Total[] = JSON.parse((await proc('orders', 'summary')).stdout);
      expect(tables.get('Orders by status and currency')!.slice(1)).toEqual(
        byStatus.map(({ status, currency, orders, amount }) => [
          status,
          currency,
          String(orders),
          `${shown(amount)} ${currency}`,
        ]),
      );
      expect(textOf(page)).toMatch(/500 orders: 457 complete, 42 rejected, 1 pending; /);
    }));

  it('lists the largest orders of each currency, and what is missing', () =>
    inSandbox(async (proc, world) => {
      const page = await reportIn(proc, world);
      const all = JSON.parse((await proc('orders', 'list', '--all')).stdout) as Record<
        string,
        unknown
      >[];
      for (const currency of ['USD', 'EUR']) {
        const largest = all
          .filter((order) => order.currency === currency && typeof order.amount === 'number')
          .sort((a, b) => Number(b.amount) - Number(a.amount))
          .slice(0, 10);
        const amounts = tablesIn(page)
          .get(`Largest orders in ${currency}`)!
          .slice(1)
          .map((cells) => cells.at(-1));
        expect(amounts).toEqual(
          largest.map(({ amount }) => `${shown(Number(amount))} ${currency}`),
        );
      }
      expect(textOf(page)).toContain('Every order has a date and an amount.');
    }));

  it('counts orders without a date or an amount', async () => {
    const orders = [
      {
        id: 'a',
        code: 'A',
        status: 'op\u202een',
        amount: 0.1,
        currency: 'USD',
        createdAt: '2026-01-02',
      },
      { id: 'b', code: 'B', status: 'op\u202een', amount: 0.2, currency: 'USD' },
      { id: 'c', code: '<b>C', status: '<i>', amount: 'x', currency: 'EUR', title: '=1+1' },
    ];
    await using service = await startHostile((socket) => {
      socket.end(http(200, JSON.stringify(orders)));
    });
    const world = await freshWorld({
      PROC_BASE_URL: service.baseUrl,
      PROC_API_KEY: 'k',
      PROC_DIALECT: 'paging=none',
    });
    const proc: Proc = (...args) => world.run(args);
    const page = await reportIn(proc, world);
    expect((await proc('orders', 'summary', '--out', 'report.xlsx')).exitCode).toBe(0);
    const [, ...sheets] = await readXlsx(join(world.cwd, 'report.xlsx'));
    const cells = sheets.flatMap(({ data }) => data.flat()).join(' ');
    expect(cells).toContain('op\\u202een');
    expect(cells).not.toContain('\u202e');
    expect(textOf(page)).toContain('2 orders (66.7 %) without a date');
    expect(textOf(page)).toContain('1 order (33.3 %) without a usable amount');
    expect(page).not.toMatch(/<b>C|<i>/);
    expect(tablesIn(page).get('Amounts in USD by month and status')!.at(-1)).toEqual([
      'all months',
      '0.30',
    ]);
    expect((await proc('orders', 'summary', '--out', 'report.md')).exitCode).toBe(0);
    const markdown = await readFile(join(world.cwd, 'report.md'), 'utf8');
    expect(markdown).toContain('| 2026-01 | 0.10 |');
    expect(markdown).not.toContain('<i>');
  });

  it('says what changed since a snapshot or a file, whatever the filter', () =>
    inSandbox(async (proc, world) => {
      const rows = 'id,code,status,amount,currency,title\npo-1,PO-00001,pending,1,USD,One\n';
      await writeFile(join(world.cwd, 'before.csv'), rows);
      const page = await reportIn(
        proc,
        world,
        ...['--changes-since', 'before.csv', '--status', 'rejected'],
      );
      const changes = JSON.parse(
        (await proc('orders', 'changes', '--since', 'before.csv')).stdout,
      ) as Record<string, unknown>[];
      expect(textOf(page)).toContain('Since before.csv: 499 new, 1 changed, 0 gone.');
      const codes = tablesIn(page).get('New and changed orders')!.slice(1);
      expect(codes.map(([, code]) => code)).toEqual(changes.slice(0, 200).map(({ code }) => code));
      expect(textOf(page)).toContain('42 orders: 42 rejected;');
      await proc('orders', 'changes', '--save', 'daily');
      const since = ['--changes-since', 'daily', '--out', 'daily.md'];
      const saved = async (...flags: string[]) => {
        await proc('orders', 'summary', ...since, ...flags);
        return readFile(join(world.cwd, 'daily.md'), 'utf8');
      };
      const minute = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d [+-]\d\d:\d\d`;
      expect(await saved()).toMatch(
        new RegExp(`Since the snapshot \\S*daily\\S* of ${minute}: 0 new,`),
      );
      const alone = await proc('orders', 'summary', '--changes-since', 'before.csv');
      expect([alone.exitCode, errorOf(alone).hint]).toEqual([
        2,
        'Add --out report.html, or use: proc orders changes --since NAME',
      ]);
      const none = await proc('orders', 'summary', '--out', 'a.html', '--changes-since', 'nosuch');
      expect(none.exitCode).toBe(2);
    }));

  it('shows amounts with the decimals of their currency, and says that an amount is missing', async () => {
    const orders = [
      ['A', 'open', 1000, 'JPY'],
      ['B', 'open', 2500.5, 'CLP'],
      ['C', 'open', 7, 'USD'],
      ['D', 'open', null, 'USD'],
      ['E', 'paid', 1234.5, 'USD'],
    ].map(([code, status, amount, currency]) => ({ id: code, code, status, amount, currency }));
    await using service = await startHostile((socket) => {
      socket.end(http(200, JSON.stringify(orders)));
    });
    const world = await freshWorld({
      PROC_BASE_URL: service.baseUrl,
      PROC_API_KEY: 'k',
      PROC_DIALECT: 'paging=none',
    });
    await world.file(
      'before.csv',
      [
        'id,code,status,amount,currency',
        ...['A,A,open,900,JPY', 'B,B,open,2500.5,CLP', 'C,C,open,,USD', 'E,E,open,1234.5,USD'],
        ...['G,GONE,open,42,JPY', 'L,LOST,open,,USD'],
      ].join('\n'),
    );
    const since = ['--changes-since', 'before.csv'];
    const proc: Proc = (...args) => world.run(args);
    const tables = tablesIn(await reportIn(proc, world, ...since));
    const cells = (title: string) => tables.get(title)!.slice(1);
    expect(cells('Amounts in JPY by month and status').at(-1)).toEqual(['all months', '1,000']);
    expect(cells('Largest orders in JPY').map((row) => row.at(-1))).toEqual(['1,000 JPY']);
    expect(cells('Largest orders in CLP').map((row) => row.at(-1))).toEqual(['2,500.5 CLP']);
    expect(tables.get('New and changed orders')).toEqual([
      ['change', 'code', 'title', 'status before', 'status', 'amount before', 'amount'],
      ['new', 'D', '', '', 'open', '', 'no amount'],
      ['changed', 'A', '', '', 'open', '900 JPY', '1,000 JPY'],
      ['changed', 'C', '', '', 'open', 'no amount', '7.00 USD'],
      ['changed', 'E', '', 'open', 'paid', '', '1,234.50 USD'],
    ]);
    expect(tables.get('Orders that are gone')).toEqual([
      ['code', 'title', 'status', 'amount'],
      ['GONE', '', 'open', '42 JPY'],
      ['LOST', '', 'open', 'no amount'],
    ]);
    expect((await proc('orders', 'summary', ...since, '--out', 'r.xlsx')).exitCode).toBe(0);
    const sheets = await readXlsx(join(world.cwd, 'r.xlsx'));
    const sheet = (name: string) => sheets.find((one) => one.sheet === name)!.data;
    expect(sheet('New and changed orders').map((row) => row.slice(-3))).toEqual([
      ['amount before', 'amount', 'currency'],
      [null, 'no amount', 'USD'],
      [900, 1000, 'JPY'],
      ['no amount', 7, 'USD'],
      [null, 1234.5, 'USD'],
    ]);
    expect(sheet('Orders that are gone').map((row) => row.slice(-2))).toEqual([
      ['amount', 'currency'],
      [42, 'JPY'],
      ['no amount', 'USD'],
    ]);
  });

  it('is a list of the figures with any other extension', () =>
    inSandbox(async (proc, world) => {
      const json = JSON.parse((await proc('orders', 'summary')).stdout) as readonly Total[];
      const file = async (name: string) => {
        const ran = await proc('orders', 'summary', '--out', name);
        expect([ran.exitCode, ran.stdout], ran.stderr).toEqual([0, '']);
        return readFile(join(world.cwd, name), 'utf8');
      };
      const columns = ['status', 'currency', 'orders', 'amount', 'withoutAmount'] as const;
      const values = json.map((row) => columns.map((column) => row[column]));
      expect(JSON.parse(await file('a.json'))).toEqual(json);
      expect(
        (await file('a.ndjson'))
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line)),
      ).toEqual(json);
      expect((await file('a.csv')).trim().split('\r\n').slice(1)).toEqual(
        values.map((row) => row.join(',')),
      );
      expect((await file('a.tsv')).trim().split('\n').slice(1)).toEqual(
        values.map((row) => row.join('\t')),
      );
      expect(await file('a.yaml')).toContain(`amount: ${json[0]!.amount}`);
      expect(await file('a.txt')).toMatch(/^STATUS +ORDERS +AMOUNT/);
    }));

  it('says that the list may be incomplete, and exits 10', async () => {
    const one = { id: 'a', code: 'A', status: 'open', amount: 1, currency: 'USD' };
    // The service always returns the same row, so the end of the list is not proved.
    await using service = await startHostile((socket) =>
      socket.write(http(200, JSON.stringify([one]))),
    );
    const world = await freshWorld({ PROC_BASE_URL: service.baseUrl, PROC_API_KEY: 'k' });
    const ran = await world.run(['orders', 'summary', '--out', 'report.html']);
    expect(ran.exitCode, ran.stderr).toBe(10);
    const page = await readFile(join(world.cwd, 'report.html'), 'utf8');
    expect(textOf(page)).toContain('This list may be incomplete');
  });
});
