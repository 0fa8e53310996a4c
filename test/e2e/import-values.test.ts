import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { assumeFirstRuns } from '../support/in-process.ts';
import { errorOf, freshWorld, type World } from '../support/run.ts';
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

const HEADER = 'reference;account;amount;contractId';
const rows = (cells: readonly string[]) =>
  [HEADER, ...cells.map((cell, at) => `R-${at};6100;${cell};c`)].join('\n');

describe('amounts', () => {
  it.each([
    // cells, the flag, the amounts
    [
      ['5,00-', '(5,00)', '-5,00', '− 5,00', '1.234,5-', '1.234', '1234', '1.234.567,8'],
      [',', -5, -5, -5, -5, -1234.5, 1234, 1234, 1234567.8],
    ],
    [
      ['1 234,50', '1\u00a0234,50', '1\u202f234,50', '12 345'],
      [',', 1234.5, 1234.5, 1234.5, 12345],
    ],
    [
      ["1'234.50", '1’234.50', "1'234'567.25", '5.00-', '1,234'],
      ['.', 1234.5, 1234.5, 1234567.25, -5, 1234],
    ],
    [
      ['(12)', '12-', '7', '1234.567', '0.125', '12.5'],
      [undefined, -12, -12, 7, 1234.567, 0.125, 12.5],
    ],
  ] as const)('%j', async (cells, [decimal, ...amounts]) => {
    await here.file('a.csv', rows(cells));
    const flags = decimal === undefined ? [] : ['--decimal', decimal];
    expect((await planned([...AMOUNTS, ...flags])).map(({ amount }) => amount)).toEqual(amounts);
  });

  it.each([
    ...['1 23,50', "1'23.5", '(5,00', '5,00)', '--5', '5 5', '-(5)', '5-5', '1E+05'],
    ...['1.23.456', '1,2,3', '5 PCS', '12.34'],
  ])('%j is no number', async (cell) => {
    await here.file('a.csv', rows([cell]));
    // Without the flag, the last one is a number.
    const amount = cell === '12.34' ? null : cell;
    expect(await planned([...AMOUNTS, '--decimal', ','])).toMatchObject([
      { state: 'rejected', amount },
    ]);
  });

  it.each([
    ['1.234', 'the number "1.234" may be 1.234 or 1234', '--decimal . or --decimal ,'],
    ['-1,500', 'the number "-1,500" may be -1500 or -1.500', '--decimal . or --decimal ,'],
    ['12,5', 'the number "12,5" may be 12.5', '--decimal ,'],
    ['1,234.50', 'the number "1,234.50" may be 1234.50', '--decimal .'],
    ['5,00 EUR', 'the number "5,00 EUR" may be 5.00', '--decimal ,'],
  ])('%j needs --decimal, once for the file', async (cell, says, flag) => {
    await here.file('a.csv', rows(['7', 'x', cell, '2,5']));
    const ran = await here.run([...AMOUNTS, '--dry-run']);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(errorOf(ran)).toMatchObject({
      code: 'invalid_usage',
      message: `a.csv, row 3, line 4, column "amount": ${says}; nothing was sent`,
      hint: `Say what separates decimals: ${flag}`,
    });
  });

  it('a currency in the cell fills the currency', async () => {
    const cells = ['EUR 5,00', '5,00 €', '-£ 5', '(5,00 USD)', 'R$ 1.234,50', '$ 7', '5,00- EUR'];
    await here.file('a.csv', rows([...cells, 'eur 5']));
    const found = await planned([...AMOUNTS, '--decimal', ',']);
    expect(found.map(({ amount, currency }) => [amount, currency])).toEqual([
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
    const cells = ['5.00 €;c;EUR', '$ 5;c;ARS', '5 €;c;USD', '$ 5;c;EUR', '5 PCS;c;EUR'];
    const text = cells.map((cell, at) => `R-${at};6100;${cell}`).join('\n');
    await here.file('a.csv', `${HEADER};currency\n${text}\n`);
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
    const [first] = await planned([...AMOUNTS, '--set', 'currency=USD']);
    expect(first).toMatchObject({ state: 'rejected' });
  });

  it('a currency in the cell is compared with that of the order', async () => {
    const orders = await here.run(['orders', 'list', '--all', '-o', 'json']);
    const all = JSON.parse(orders.stdout) as { code: string; currency: string }[];
    const order = all.find(({ currency }) => currency === 'EUR')!;
    const cells = ['5.00 EUR', '5.00', '$ 5', '5.00 JPY'];
    const text = cells.map((cell, at) => `R-${at};1;${cell};${order.code}`).join('\n');
    await here.file('a.csv', `reference;account;amount;order\n${text}\n`);
    const says = (text: string) => expect.stringContaining(`the cell says ${text}, but`);
    expect(await planned(AMOUNTS)).toMatchObject([
      { state: 'pending', currency: 'EUR' },
      { state: 'pending', currency: 'EUR' },
      { state: 'rejected', reason: says('$') },
      { state: 'rejected', reason: says('JPY') },
    ]);
  });

  it('messages show the form that the chosen mark asks for', async () => {
    await here.file('a.csv', rows(['zwölf']));
    const [first] = await planned(AMOUNTS);
    expect(first!.reason).toContain('must be a number like 1234.5, got');
    const [chosen] = await planned([...AMOUNTS, '--decimal', ',']);
    expect(chosen!.reason).toContain('like 1.234,5, got');
  });
});
