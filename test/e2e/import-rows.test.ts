import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { assumeFirstRuns } from '../support/in-process.ts';
import { errorOf, freshWorld, type World } from '../support/run.ts';
import { type LoggedSandbox, loggedSandbox } from '../support/service.ts';

assumeFirstRuns();

const CASES = join(import.meta.dirname, '../fixtures/cases');

let sandbox: LoggedSandbox;
let here: World;

beforeEach(async () => {
  sandbox = await loggedSandbox({ empty: true });
  here = await freshWorld(sandbox.target);
});
afterEach(() => sandbox.close());

/** A sandbox with sample records, instead of an empty one. */
async function withRecords(): Promise<void> {
  await sandbox.close();
  sandbox = await loggedSandbox();
  here = await freshWorld(sandbox.target);
}

async function given(file: string): Promise<void> {
  await here.file(file, readFileSync(join(CASES, file)));
}

const sql = (query: string) => sandbox.sql(query);

/** Imports, and returns the reasons of rejected rows by the number of the row. */
async function imported(args: readonly string[], exitCode: number) {
  const ran = await here.run([...args, '--yes', '--results', 'all.json']);
  expect(ran, ran.stderr).toMatchObject({ exitCode });
  const rows = JSON.parse(await readFile(join(here.cwd, 'all.json'), 'utf8')) as {
    row: number;
    state: string;
    reason: string | null;
  }[];
  const reasons = rows.flatMap(({ row, state, reason }) =>
    state === 'rejected' ? [[row, reason]] : [],
  );
  return { summary: JSON.parse(ran.stdout), reasons: Object.fromEntries(reasons), ran };
}

async function planned(args: readonly string[], exitCode: number) {
  const ran = await here.run([...args, '--dry-run']);
  expect(ran, ran.stderr).toMatchObject({ exitCode });
  return { plan: JSON.parse(ran.stdout), ran };
}

const ITEMS = 'SELECT code, name, unitOfMeasure AS unit FROM items ORDER BY code';

describe('columns', () => {
  it('with the name of a field fill it, but for case, spaces, _ and -', async () => {
    await here.file('a.csv', 'CODE;Name;Unit of-measure;Notes\nA-1;Bolt;EA;n\n');
    const { plan } = await planned(['items', 'import', 'a.csv'], 0);
    expect(plan.notSent).toEqual({ Notes: 'n' });
    await imported(['items', 'import', 'a.csv'], 0);
    expect(sql(ITEMS)).toEqual([{ code: 'A-1', name: 'Bolt', unit: 'EA' }]);
  });

  it('that --map gives to a field fill no other, and a joined one still fills its own', async () => {
    await here.file('a.csv', 'Code,name,color\nA-1,Bolt,red\n');
    const refused = await here.run(['items', 'import', 'a.csv', '--map', 'brand=Code', '--yes']);
    expect(errorOf(refused)).toMatchObject({
      exitCode: 2,
      message: 'a.csv has no column for the required fields of items: code; nothing was sent',
      hint: expect.stringMatching(/Columns: Code, name, color\. Fields: name, code, /),
      details: { missing: [['code']], columns: ['Code', 'name', 'color'] },
    });
    await imported(['items', 'import', 'a.csv', '--map', 'description={name} {color}'], 0);
    expect(sql('SELECT code, name, description FROM items')).toEqual([
      { code: 'A-1', name: 'Bolt', description: 'Bolt red' },
    ]);
  });

  it('that share the name of a field must be told apart', async () => {
    await here.file('a.csv', 'code,name,brand,brand\nA-1,Bolt,A,B\n');
    const args = ['items', 'import', 'a.csv'];
    expect(errorOf(await here.run([...args, '--yes']))).toMatchObject({
      exitCode: 2,
      message: '--map brand=COLUMN: brand may be any of "brand (column 3)", "brand (column 4)"',
    });
    await imported([...args, '--map', 'brand=brand (column 4)'], 0);
    expect(sql('SELECT brand FROM items')).toEqual([{ brand: 'B' }]);
  });

  it('of nested JSON are named by paths; objects are named in the plan', async () => {
    await given('nested-unit.json');
    const args = ['items', 'import', 'nested-unit.json', '--map', 'code=item-number'];
    const { plan } = await planned(args, 8);
    expect(plan.notSent).toMatchObject({ uom: 'an object', commodity: 'an object', id: '1' });
    const { reasons } = await imported([...args, '--map', 'unitOfMeasure=uom.code'], 8);
    expect(reasons).toEqual({
      1: 'row 2 has the same code with other values',
      2: 'row 1 has the same code with other values',
      3: 'row 3, line 18: item-number: is required, but empty',
    });
    await here.file('b.json', '[{"code":"B-1","name":"b","units":["EA","BX"],"u":{"c":"KG"}}]');
    await imported(['items', 'import', 'b.json', '--map', 'unitOfMeasure=units.1'], 0);
    expect(sql(ITEMS)).toEqual([{ code: 'B-1', name: 'b', unit: 'BX' }]);
  });
});

describe('a saved map', () => {
  it('has map and set, and a table of values whose unknown values reject the row', async () => {
    await here.file('may.csv', 'SKU;Model;Color;Unit;brand\nM-1;Bolt;red;ST;x\n');
    const flags = ['--map', 'code=SKU', '--map', 'name={Model} {Color}', '--set', 'type=Bikes'];
    const units = ['--map', 'unitOfMeasure=Unit', '--map', 'brand=', '--save-map', 'm.json'];
    await planned(['items', 'import', 'may.csv', ...flags, ...units], 0);
    const saved = JSON.parse(await readFile(join(here.cwd, 'm.json'), 'utf8'));
    expect(saved).toEqual({
      map: { name: '{Model} {Color}', code: 'SKU', unitOfMeasure: 'Unit', brand: '' },
      set: { type: 'Bikes' },
    });
    const values = { unitOfMeasure: { ST: 'EA', KT: 'BX' } };
    await here.file('m.json', JSON.stringify({ ...saved, values }));
    await here.file(
      'june.csv',
      'SKU;Model;Color;Unit;brand\nJ-1;Nut;;ST;x\nJ-2;Pin;red;EA;x\nJ-3;Rod;;;x\nJ-4;Cap;;KT;x\n',
    );
    const { reasons } = await imported(['items', 'import', 'june.csv', '--map-file', 'm.json'], 8);
    expect(reasons).toEqual({
      2: 'row 2, line 3, column "Unit": "EA" is not in the values of the map; write one of: EA, BX',
    });
    expect(sql('SELECT code, name, unitOfMeasure, type, brand FROM items ORDER BY code')).toEqual([
      { code: 'J-1', name: 'Nut', unitOfMeasure: 'EA', type: 'Bikes', brand: null },
      { code: 'J-3', name: 'Rod', unitOfMeasure: null, type: 'Bikes', brand: null },
      { code: 'J-4', name: 'Cap', unitOfMeasure: 'BX', type: 'Bikes', brand: null },
    ]);
    const rejected = await readFile(join(here.cwd, 'june.rejected.csv'), 'utf8');
    expect(rejected.split('\n').slice(0, 2)).toEqual([
      'code;name;unitOfMeasure;type;_row;_reason',
      expect.stringMatching(/^J-2;Pin red;EA;Bikes;2;/),
    ]);
    // The values of the rejected file are those of the fields, so it needs no map.
    await imported(['items', 'import', 'june.rejected.csv'], 0);
    await imported(['items', 'import', 'june.csv', '--map-file', 'm.json'], 8);
    expect(sql('SELECT count(*) AS n FROM items')).toEqual([{ n: 4 }]);
  });

  it('of which a flag wins, and UTF-8 is never read as Windows-1252', async () => {
    await here.file('a.csv', 'Title\nNotes\ncode,name\nA-1,Tubería\n');
    const map = { map: { code: 'code' }, headerRow: 2, encoding: 'windows-1252' };
    await here.file('m.json', JSON.stringify(map));
    const args = ['items', 'import', 'a.csv', '--map-file', 'm.json', '--header-row', '3'];
    const wrong = await here.run([...args, '--yes']);
    expect(errorOf(wrong)).toMatchObject({ code: 'invalid_usage', exitCode: 2 });
    await imported([...args, '--encoding', 'utf-8'], 0);
    expect(sql(ITEMS)).toMatchObject([{ code: 'A-1', name: 'Tubería' }]);
  });

  it.each([
    [{ headerRow: -1 }, 'headerRow'],
    [{ decimal: ';' }, 'decimal'],
    [{ sheets: 'A' }, 'sheets'],
  ])('%j is refused', async (wrong, key) => {
    await here.file('a.csv', 'code,name\nA-1,Bolt\n');
    await here.file('m.json', JSON.stringify(wrong));
    const ran = await here.run(['items', 'import', 'a.csv', '--map-file', 'm.json', '--yes']);
    expect(errorOf(ran)).toMatchObject({ exitCode: 2, message: expect.stringContaining(key) });
  });
});

describe('values that no person has meant', () => {
  it('reject their row, all reasons at once; --allow-odd sends them and the plan lists them', async () => {
    await given('pandas.csv');
    const { reasons } = await imported(['items', 'import', 'pandas.csv'], 8);
    const odd = (text: string) =>
      `"${text}" looks like the mistake of a program; --allow-odd sends it`;
    expect(reasons).toEqual({
      1: `row 1, line 2, column "code": ${odd('100423.0')}`,
      2: `row 2, line 3, column "code": ${odd('100424.0')}`,
      3: 'row 3, line 4, column "code": is required, but empty',
      4: `row 4, line 5, column "code": ${odd('100425.0')}`,
      5: `row 5, line 6, column "code": ${odd('100426.0')}`,
      6: `row 6, line 7, column "name": ${odd('<NA>')}; row 6, line 7, column "code": ${odd('100427.0')}`,
    });
    expect(sandbox.writes()).toEqual([]);
    const args = ['items', 'import', 'pandas.csv', '--allow-odd'];
    const { plan } = await planned(args, 8);
    expect(plan.warnings).toEqual([expect.objectContaining({ kind: 'odd_values', count: 6 })]);
    expect(plan.warnings[0].message).toMatch(
      /^6 odd values are sent: code "100423\.0" \(row 1, line 2\), .*, …$/,
    );
    await imported(args, 8);
    expect(sql('SELECT name FROM items ORDER BY code')).toEqual(
      ['Bolt', 'Nut', 'nan', 'None', '<NA>'].map((name) => ({ name })),
    );
  });

  it('as codes are these', async () => {
    const odd = [
      ...['1E+05', '1.2E+10', '100423.0', '#N/A', '#DIV/0!', '#####', 'Err:502', 'A\u200b-2'],
      ...['NaN', '<NA>', 'undefined', '[object Object]', 'A\u0007B'],
    ];
    await here.file('a.json', JSON.stringify(odd.map((code) => ({ code, name: 'Bolt' }))));
    const { summary } = await imported(['items', 'import', 'a.json'], 8);
    expect(summary).toMatchObject({ created: 0, rejected: odd.length });
  });

  it('as codes are not these, nor any in another field', async () => {
    const codes = [
      ...['nan', 'None', 'null', 'N/A', '-', '?', '1E5', '2E05', '100423', '1.5.0'],
      ...['Total', 'Suma', 'ÄÖ-1', 'Undefined', '0', '00012', '#1', '1.50'],
    ];
    const rows = codes.map((code) => ({ code, name: code, description: '#N/A' }));
    await here.file('a.json', JSON.stringify(rows));
    await imported(['items', 'import', 'a.json'], 0);
    const created = sql('SELECT code, name, description FROM items');
    expect(created).toHaveLength(rows.length);
    expect(created).toEqual(expect.arrayContaining(rows));
  });

  it('a repeated header rejects its row', async () => {
    await here.file('a.csv', 'code,name\nA-1,Bolt\nCode,NAME\nA-2,Nut\n');
    const { reasons } = await imported(['items', 'import', 'a.csv'], 8);
    expect(reasons).toEqual({ 2: 'repeats the header' });
  });

  it('words that a report could have are values', async () => {
    await given('two-columns.csv');
    await imported(['items', 'import', 'two-columns.csv'], 0);
    expect(sql('SELECT count(*) AS n FROM items')).toEqual([{ n: 8 }]);
  });
});

describe('required fields', () => {
  it('reject a row without them; --allow-missing names those that may lack', async () => {
    await here.file('a.csv', 'code,name\nA-1,\n,Nut\n');
    const { reasons } = await imported(['items', 'import', 'a.csv'], 8);
    expect(Object.keys(reasons)).toEqual(['1', '2']);
    const flags = ['--allow-missing', 'code,name'];
    const { summary } = await imported(['items', 'import', 'a.csv', ...flags], 0);
    expect(summary).toMatchObject({ created: 2 });
    expect(sql('SELECT code, name FROM items ORDER BY name')).toEqual([
      { code: 'A-1', name: null },
      { code: null, name: 'Nut' },
    ]);
    const wrong = await here.run(['items', 'import', 'a.csv', '--allow-missing', 'brand']);
    expect(errorOf(wrong)).toMatchObject({ exitCode: 2, hint: 'Use: name, code' });
  });

  it('of an imputation: amount, account, and an order or contract', async () => {
    await here.file('a.csv', 'reference,amount,account,contractId\nF-1,,,\nF-2,5,,c-1\n');
    const args = ['imputations', 'import', 'a.csv'];
    const { reasons } = await imported(args, 8);
    expect(reasons[1].split('; ')).toEqual([
      'row 1, line 2, column "account": is required, but empty',
      'row 1, line 2, column "amount": is required, but empty',
      'row 1, line 2, column "contractId": is required, but empty (or order, orderId)',
    ]);
    expect(reasons[2]).toBe('row 2, line 3, column "account": is required, but empty');
    const { summary } = await imported([...args, '--allow-missing', 'account', '--first-run'], 8);
    expect(summary).toMatchObject({ created: 1, rejected: 1 });
  });
});

const LINES = `SELECT r.title, g.deliveryMethod AS method, g.addressId AS address, l.quantity, i.name AS item
  FROM requisitions r JOIN groups g ON g.requisitionId = r.id JOIN lines l ON l.groupId = g.id
  JOIN items i ON i.id = l.itemId WHERE i.name IN ('Chair', 'Desk', 'Pen', 'Cup', 'Pot', 'Bolt', 'Nut')
  ORDER BY i.name`;

describe('requisitions', () => {
  const FLAT = ['requisition', 'import', 'requisitions-flat.csv'];

  it('of flat rows need --group-by, and columns by name or --map', async () => {
    await given('requisitions-flat.csv');
    const plain = await here.run([...FLAT, '--yes']);
    expect(errorOf(plain)).toMatchObject({
      exitCode: 2,
      details: {
        columns: ['Req', 'Title', 'Deliver', 'Part', 'Qty'],
        fields: expect.arrayContaining(['quantity', 'group.deliveryMethod']),
      },
    });
    const by = [...FLAT, '--group-by', 'Req'];
    const open = await here.run([...by, '--yes']);
    expect(errorOf(open)).toMatchObject({
      exitCode: 2,
      details: {
        missing: [['quantity'], ['item.name', 'item.code', 'item.id'], ['group.deliveryMethod']],
      },
    });
    const maps = ['group.deliveryMethod=Deliver', 'item.name=Part', 'quantity=Qty'];
    await imported([...by, ...maps.flatMap((one) => ['--map', one])], 0);
    expect(sql(LINES)).toEqual([
      { title: 'Office supplies', method: 'delivery', address: null, quantity: 2, item: 'Chair' },
      { title: 'Office supplies', method: 'delivery', address: null, quantity: 1, item: 'Desk' },
      { title: 'Office supplies', method: 'pickup', address: null, quantity: 5, item: 'Pen' },
    ]);
    expect(sql('SELECT count(*) AS n FROM requisitions')).toEqual([{ n: 2 }]);
  });

  const MAPS = [
    ...['--group-by', 'R', '--map', 'title=T', '--map', 'group.deliveryMethod=D'],
    ...['--map', 'group.address=A', '--map', 'item.name=P', '--map', 'quantity=Q'],
  ];

  it('are rejected if a header field differs in their rows; good lines carry no reason', async () => {
    await withRecords();
    await here.file(
      'a.csv',
      [
        'R,T,D,A,P,Q',
        ...['1,One,Delivery,adr-1,Chair,2', '1,Two,pickup,,Desk,x', '1,,,,Pen,0'],
        ...['2,Three,PICKUP,,Cup,"3.0"', '3,Four,walk,,Jar,1', '4,Five,delivery,id=adr-1,Pot,1'],
      ].join('\n'),
    );
    const { reasons } = await imported(['requisition', 'import', 'a.csv', ...MAPS], 8);
    expect(reasons[1].split('; ')).toEqual([
      'row 2, line 3, column "Q": must be a whole number like 12, got "x"',
      'row 2, line 3, column "T": differs: "One" in row 1, line 2, "Two" in row 2, line 3',
      'row 2, line 3, column "D": differs: "Delivery" in row 1, line 2, "pickup" in row 2, line 3',
      'row 3, line 4, column "Q": must be greater than 0, got 0',
    ]);
    expect(reasons[5]).toContain('column "D": must be one of pickup, delivery, got "walk"');
    const rejected = await readFile(join(here.cwd, 'a.rejected.csv'), 'utf8');
    expect(rejected.split('\n')[1]).toMatch(/^1,One,Delivery,adr-1,Chair,2,1,$/);
    expect(sql(LINES)).toEqual([
      { title: 'Three', method: 'pickup', address: null, quantity: 3, item: 'Cup' },
      { title: 'Five', method: 'delivery', address: 'adr-1', quantity: 1, item: 'Pot' },
    ]);
  });

  it('as payloads need lines, and accept what flat rows accept', async () => {
    await withRecords();
    await given('requisition-without-lines.json');
    const args = ['requisition', 'import', 'requisition-without-lines.json'];
    const { summary, reasons } = await imported(args, 8);
    expect(summary).toMatchObject({ created: 1, rejected: 1 });
    expect(reasons).toEqual({
      1: 'row 1, line 2: groups[0].items: must have at least 1 element, got an empty array',
    });
    const line = { quantity: '3', item: { name: 'Nut' } };
    const group = { deliveryMethod: 'Delivery', addressId: 'adr-1', items: [line] };
    await here.file('b.json', JSON.stringify([{ title: 'B', groups: [group] }]));
    await imported(['requisition', 'import', 'b.json'], 0);
    expect(sql(LINES)).toEqual([
      { title: 'Full', method: 'pickup', address: null, quantity: 1, item: 'Bolt' },
      { title: 'B', method: 'delivery', address: 'adr-1', quantity: 3, item: 'Nut' },
    ]);
  });
});
