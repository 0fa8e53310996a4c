import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { errorOf, freshWorld, type World } from '../support/run.ts';
import { type LoggedSandbox, loggedSandbox } from '../support/service.ts';
import { workbook } from '../support/workbook.ts';

type Row = Readonly<Record<string, unknown>>;

let sandbox: LoggedSandbox;
let here: World;

beforeEach(async () => {
  sandbox = await loggedSandbox();
  here = await freshWorld(sandbox.target);
});
afterEach(() => sandbox.close());

async function planned(args: readonly string[], exitCode = 0): Promise<readonly Row[]> {
  const ran = await here.run([...args, '--dry-run', '--plan', 'plan.json']);
  expect(ran, ran.stderr).toMatchObject({ exitCode });
  return JSON.parse(await readFile(join(here.cwd, 'plan.json'), 'utf8'));
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

describe('--map-value', () => {
  const UNITS =
    'code,name,unitOfMeasure,brand\nA-1,Bolt,ST,n/a\nA-2,Nut,st,Acme\nA-3,Oil,LTR,Acme\nA-4,Rope,M,N/A\n';

  it('replaces values, and is saved with the map', async () => {
    await here.file('a.csv', UNITS);
    const flags = [
      '--map-value',
      'unitOfMeasure:ST=EA',
      '--map-value',
      'unitOfMeasure:LTR=L',
      '--map-value',
      'brand:n/a=',
    ];
    const rows = await planned(['items', 'import', 'a.csv', ...flags, '--save-map', 'map.json']);
    const values = [
      ['EA', null],
      ['EA', 'Acme'],
      ['L', 'Acme'],
      ['M', null],
    ];
    expect(rows.map((row) => [row.unitOfMeasure, row.brand])).toEqual(values);
    expect(JSON.parse(await readFile(join(here.cwd, 'map.json'), 'utf8')).values).toEqual({
      unitOfMeasure: { ST: 'EA', LTR: 'L' },
      brand: { 'n/a': '' },
    });
    const again = await planned(['items', 'import', 'a.csv', '--map-file', 'map.json']);
    expect(again.map((row) => [row.unitOfMeasure, row.brand])).toEqual(values);
    const other = await planned([
      'items',
      'import',
      'a.csv',
      '--map-file',
      'map.json',
      '--map-value',
      'unitOfMeasure:ST=PCE',
    ]);
    expect(other[0]).toMatchObject({ unitOfMeasure: 'PCE' });
  });

  it.each([
    ['CSV', 'ST;EA\n"LTR";L\n\n'],
    ['CSV from an old Excel', Buffer.from('ST;EA\nLTR;L\nSTÜCK;EA\n', 'latin1')],
    [
      'a workbook',
      workbook({
        units: [
          ['ST', 'EA'],
          ['LTR', 'L'],
        ],
      }),
    ],
  ])('reads a file of two columns: %s', async (_, units) => {
    await here.file('a.csv', UNITS);
    await here.file('units', units);
    const rows = await planned(['items', 'import', 'a.csv', '--map-value', 'unitOfMeasure:units']);
    expect(rows.map((row) => row.unitOfMeasure)).toEqual(['EA', 'EA', 'L', 'M']);
  });

  it.each([
    [['--map-value', 'unit:ST=EA'], 'there is no field "unit"'],
    [['--map-value', 'ST=EA'], '--map-value ST=EA: expected FIELD:VALUE=OTHER'],
    [['--map-value', 'unitOfMeasure:no.csv'], 'no.csv'],
    [['--map-value', 'unitOfMeasure:three.csv'], 'line 2 must have two cells'],
    [
      ['--map-value', 'unitOfMeasure:A=1', '--map-value', 'unitOfMeasure:A=2'],
      'unitOfMeasure:A is given twice: 1 and 2',
    ],
  ])('%j is refused', async (flags, message) => {
    await here.file('a.csv', UNITS);
    await here.file('three.csv', 'ST,EA\nLTR,L,x\n');
    const ran = await here.run(['items', 'import', 'a.csv', '--dry-run', ...flags]);
    expect([2, 3]).toContain(ran.exitCode);
    expect(errorOf(ran).message).toContain(message);
  });
});

it('delivery methods match in any case, in Spanish and in German, and by --map-value', async () => {
  const words = [
    'PICKUP',
    'Recogida',
    'retiro',
    'Entrega',
    'envio',
    'Delivery',
    'Abholung',
    'moto',
  ];
  await here.file(
    'lines.csv',
    [
      'title,group.deliveryMethod,item.name,quantity',
      ...words.map((word, at) => `T-${at},${word},Bolt,1`),
    ].join('\n'),
  );
  const args = ['requisition', 'import', 'lines.csv', '--group-by', 'title'];
  const rows = await planned([...args, '--map-value', 'group.deliveryMethod:moto=delivery']);
  expect(rows.map(({ groups }) => (groups as Row[])[0]!.deliveryMethod)).toEqual([
    ...['pickup', 'pickup', 'pickup', 'delivery', 'delivery', 'delivery', 'pickup', 'delivery'],
  ]);
  const refused = await planned(args);
  expect(refused.filter(({ state }) => state === 'rejected')).toMatchObject([{ row: 8 }]);
});
