import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { assumeFirstRuns } from '../support/in-process.ts';
import { freshWorld, type World } from '../support/run.ts';
import { type LoggedSandbox, loggedSandbox } from '../support/service.ts';

assumeFirstRuns();

type Row = Readonly<Record<string, unknown>>;

let sandbox: LoggedSandbox;
let here: World;

beforeEach(async () => {
  sandbox = await loggedSandbox();
  here = await freshWorld(sandbox.target);
});
afterEach(() => sandbox.close());

async function planned(args: readonly string[]): Promise<readonly Row[]> {
  const ran = await here.run([...args, '--dry-run', '--results', 'plan.json']);
  const rows = JSON.parse(await readFile(join(here.cwd, 'plan.json'), 'utf8')) as Row[];
  const exitCode = rows.some(({ state }) => state === 'rejected') ? 8 : 0;
  expect(ran, ran.stderr).toMatchObject({ exitCode });
  return rows;
}

const AMOUNTS = ['imputations', 'import', 'a.csv'];

describe('amounts', () => {
  it.each([
    // cells, the amounts
    [
      ['5,00-', '(5,00)', '-5,00', '− 5,00', '1.234,5-'],
      [-5, -5, -5, -5, -1234.5],
    ],
    [
      ['1 234,50', '1\u00a0234,50', '1\u202f234,50', '12 345'],
      [1234.5, 1234.5, 1234.5, 12345],
    ],
    [
      ["1'234.50", '1’234.50', "1'234'567.25", '5.00-'],
      [1234.5, 1234.5, 1234567.25, -5],
    ],
    [
      ['(12)', '12-', '7'],
      [-12, -12, 7],
    ],
  ])('%j', async (cells, amounts) => {
    await here.file(
      'a.csv',
      ['reference;amount;contractId', ...cells.map((cell, at) => `R-${at};${cell};c`)].join('\n'),
    );
    expect((await planned(AMOUNTS)).map(({ amount }) => amount)).toEqual(amounts);
  });

  it.each(['1 23,50', "1'23.5", '(5,00', '5,00)', '--5', '5 5', '-(5)', '5-5'])(
    '%j is no number',
    async (cell) => {
      await here.file('a.csv', `reference;amount;contractId\nR-1;${cell};c\n`);
      expect(await planned(AMOUNTS)).toMatchObject([{ state: 'rejected', amount: cell }]);
    },
  );

  it('a currency in the cell fills the currency', async () => {
    const cells = [
      'EUR 5,00',
      '5,00 €',
      '-£ 5',
      '(5,00 USD)',
      'R$ 1.234,50',
      '$ 7',
      '5,00- EUR',
      'eur 5',
    ];
    await here.file(
      'a.csv',
      ['reference;amount;contractId', ...cells.map((cell, at) => `R-${at};${cell};c`)].join('\n'),
    );
    expect((await planned(AMOUNTS)).map(({ amount, currency }) => [amount, currency])).toEqual([
      ...[
        [5, 'EUR'],
        [5, 'EUR'],
        [-5, 'GBP'],
        [-5, 'USD'],
        [1234.5, 'BRL'],
        [7, null],
      ],
      ...[
        [-5, 'EUR'],
        [5, 'EUR'],
      ],
    ]);
  });

  it('a currency in the cell is compared with the currency of the row', async () => {
    await here.file(
      'a.csv',
      'reference;amount;contractId;currency\nR-1;5,00 €;c;EUR\nR-2;$ 5;c;ARS\nR-3;5 €;c;USD\nR-4;$ 5;c;EUR\nR-5;5 PCS;c;EUR\n',
    );
    expect(await planned(AMOUNTS)).toMatchObject([
      { state: 'pending', amount: 5, currency: 'EUR' },
      { state: 'pending', amount: 5, currency: 'ARS' },
      {
        state: 'rejected',
        reason:
          'row 3, line 4, column "amount": the cell says €, but the currency of the row is USD',
      },
      { state: 'rejected' },
      { state: 'rejected', reason: expect.stringContaining('must be a number') },
    ]);
    const [first] = await planned([
      ...AMOUNTS,
      '--map',
      'amount=amount',
      '--map',
      'reference=reference',
      '--map',
      'contractId=contractId',
      '--set',
      'currency=USD',
    ]);
    expect(first).toMatchObject({ state: 'rejected' });
  });

  it('a currency in the cell is compared with the one of the order', async () => {
    await here.file(
      'a.csv',
      'reference;amount;order\nR-1;5,00 EUR;PO-00002\nR-2;5,00 JPY;PO-00002\n',
    );
    const orders = await here.run(['orders', 'list', '--all', '-o', 'json']);
    const order = JSON.parse(orders.stdout)[0] as { code: string; currency: string };
    await here.file(
      'a.csv',
      `reference;amount;order\nR-1;5,00 ${order.currency};${order.code}\nR-2;5,00 JPY;${order.code}\n`,
    );
    const args = [...AMOUNTS, '--set', 'currency=@order.currency'];
    expect(await planned(args)).toMatchObject([
      { state: 'pending', currency: order.currency },
      {
        state: 'rejected',
        reason: `row 2, line 3: currency: the cell says JPY, but the currency of the row is ${order.currency}`,
      },
    ]);
  });

  it('messages show the form that the chosen mark asks for', async () => {
    await here.file('a.csv', 'reference;amount;contractId\nR-1;zwölf;c\nR-2;1.234,50;c\n');
    const [first] = await planned(AMOUNTS);
    expect(first!.reason).toContain('must be a number like 1.234,5, got');
    const [chosen] = await planned([...AMOUNTS, '--decimal', '.']);
    expect(chosen!.reason).toContain('like 1,234.5, got');
  });
});
