import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { readSheet } from 'read-excel-file/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { typeInto } from '../support/edit-workbook.ts';
import { assumeFirstRuns } from '../support/in-process.ts';
import { errorOf, freshWorld, type World } from '../support/run.ts';
import { type LoggedSandbox, loggedSandbox } from '../support/service.ts';
import { workbook } from '../support/workbook.ts';

assumeFirstRuns();

let sandbox: LoggedSandbox;
beforeAll(async () => {
  sandbox = await loggedSandbox();
});
afterAll(() => sandbox.close());

function sql(query: string): Record<string, unknown>[] {
  const database = new DatabaseSync(sandbox.dbPath, { readOnly: true });
  try {
    return database
      .prepare(query)
      .all()
      .map((row) => ({ ...row }));
  } finally {
    database.close();
  }
}

/** Titles are above the header, on the second sheet. Three of four rows have an invalid amount. */
const book = workbook({
  Notas: [['nothing']],
  Facturas: [
    ['Facturas de marzo'],
    [],
    ['Factura', 'Cuenta', 'Importe', 'Notas', 'Fecha', 'Pagada', 'Notas'],
    ['0007', '1E5', 'n/a', '=1+1', new Date(Date.UTC(2026, 2, 12)), true, 'x'],
    ['12345678901234567890', '4010', 12.5, 'good', null, false, null],
    ["'=A1", 4010, 'x', "'=1+1", null, null, ' y '],
    ['2/3', '-1', 'two', '@home', null, null, "''quoted"],
  ],
});
const FLAGS = [
  ...['--sheet', 'Facturas', '--header-row', '3'],
  ...['--map', 'reference=Factura', '--map', 'account=Cuenta', '--map', 'amount=Importe'],
  ...['--map', 'notes=Notas (column 4)'],
];

async function rejected(world: World, name: string, ...flags: string[]) {
  await world.file(name, book);
  const ran = await world.run([
    'imputations',
    'import',
    name,
    '--set',
    'contractId=k-1',
    ...FLAGS,
    ...flags,
    '--yes',
  ]);
  expect(ran, ran.stderr).toMatchObject({ exitCode: 8 });
  const summary = JSON.parse(ran.stdout);
  return { run: summary.run as string, file: summary.rejectedFile as string, summary };
}

describe('rejected rows of a workbook', () => {
  it('leave a file alone that this run did not write', async () => {
    const world = await freshWorld(sandbox.target);
    await world.file('bad.xlsx', 'mine');
    const flags = ['--on-sent', 'send', '--rejected', 'bad.xlsx'];
    const { run, file } = await rejected(world, 'a.xlsx', ...flags);
    expect(file).toBe(join(world.cwd, `bad-${run}.xlsx`));
    expect(await readFile(join(world.cwd, 'bad.xlsx'), 'utf8')).toBe('mine');
  });

  it('are CSV with --rejected FILE.csv; rejected rows of a CSV file are a workbook with FILE.xlsx', async () => {
    const world = await freshWorld(sandbox.target);
    const { file } = await rejected(world, 'e.xlsx', '--on-sent', 'send', '--rejected', 'bad.csv');
    expect(await readFile(file, 'utf8')).toContain("'=1+1");

    await world.file('f.csv', 'reference;amount;notes\r\n007;1,5;=1+1\r\n008;x;=1+1\r\n');
    const ran = await world.run([
      ...[
        'imputations',
        'import',
        'f.csv',
        '--set',
        'contractId=k-1',
        '--decimal',
        ',',
        '--rejected',
        'f.xlsx',
        '--yes',
      ],
    ]);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 8 });
    expect((await readSheet(join(world.cwd, 'f.xlsx'))).map((row) => row.slice(0, 3))).toEqual([
      ['reference', 'amount', 'notes'],
      ['008', 'x', '=1+1'],
    ]);
    await typeInto(join(world.cwd, 'f.xlsx'), { B2: '1,75' });
    const again = await world.run([
      'imputations',
      'import',
      'f.xlsx',
      '--set',
      'contractId=k-1',
      '--yes',
    ]);
    expect(again, again.stderr).toMatchObject({ exitCode: 0 });
    expect(sql("SELECT amount, notes FROM imputations WHERE reference = '008'")).toEqual([
      { amount: 1.75, notes: '=1+1' },
    ]);
  });

  it('of JSON cannot be a workbook, which is said before anything is sent', async () => {
    const world = await freshWorld(sandbox.target);
    await world.file('g.ndjson', '{"reference":"G-1","amount":"x"}\n');
    const ran = await world.run([
      'imputations',
      'import',
      'g.ndjson',
      '--set',
      'contractId=k-1',
      '--rejected',
      'g.xlsx',
      '--yes',
    ]);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(errorOf(ran)).toMatchObject({ hint: 'Use e.g. --rejected rejected.ndjson' });
    expect(await readdir(world.cwd)).toEqual(['g.ndjson']);
  });

  it('include all rows of a requisition, and can be corrected in place', async () => {
    const world = await freshWorld(sandbox.target);
    await world.file(
      'lines.xlsx',
      workbook({
        Sheet1: [
          ['Request', 'Part', 'Qty'],
          ['R-1', 'Bolt', 2],
          ['R-1', 'Nut', 'many'],
          ['R-1', 'Washer', 3],
        ],
      }),
    );
    const flags = [
      ...['--group-by', 'Request', '--map', 'title=Request'],
      ...['--map', 'item.name=Part', '--map', 'quantity=Qty'],
      ...['--set', 'group.deliveryMethod=pickup', '--yes'],
    ];
    const ran = await world.run(['requisition', 'import', 'lines.xlsx', ...flags]);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 8 });
    const { rejectedFile } = JSON.parse(ran.stdout);
    expect((await readSheet(rejectedFile)).slice(1).map((row) => row.slice(0, 3))).toEqual([
      ['R-1', 'Bolt', 2],
      ['R-1', 'Nut', 'many'],
      ['R-1', 'Washer', 3],
    ]);
    await typeInto(rejectedFile, { C3: 4 });
    const again = await world.run(['requisition', 'import', rejectedFile, ...flags]);
    expect(again, again.stderr).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(again.stdout)).toMatchObject({ rows: 1, created: 1 });
  });
});

describe('apostrophes before formulas', () => {
  const ITEMS = [
    ['code', 'name'],
    ["'=1", "'=2+2"],
    ['=3', "''@x"],
  ];

  it('belong to the text in a workbook: what is exported comes back unchanged', async () => {
    const world = await freshWorld(sandbox.target);
    await world.file(
      'items.ndjson',
      ITEMS.slice(1)
        .map(([code, name]) => `${JSON.stringify({ code, name })}\n`)
        .join(''),
    );
    await world.run(['items', 'import', 'items.ndjson', '--yes']);
    await world.run(['items', 'list', '--all', '--out', 'list.xlsx']);
    const ran = await world.run(['items', 'import', 'list.xlsx', '--dry-run']);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    const plan = JSON.parse(ran.stdout);
    expect(plan).toMatchObject({ create: 0, duplicates: 0 });
    expect(plan).not.toHaveProperty('unguarded');
  });
});
