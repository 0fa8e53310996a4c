import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readSheet } from 'read-excel-file/node';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { errorOf, freshWorld, type World } from '../support/run.ts';
import { type LoggedSandbox, loggedSandbox } from '../support/service.ts';
import { workbook } from '../support/workbook.ts';

let sandbox: LoggedSandbox;
let here: World;

beforeEach(async () => {
  sandbox = await loggedSandbox();
  here = await freshWorld(sandbox.target);
});
afterEach(() => sandbox.close());

const items = () =>
  sandbox.sql('SELECT code, name FROM items ORDER BY code').map(({ code, name }) => [code, name]);

const ROWS = [
  ['Stock at the end of May'],
  [],
  ['SKU', 'Name', 'Name', 'Unit'],
  ['H-1', 'Bolt', 'Perno', 'EA'],
  ['', 'Nut', 'Tuerca', 'EA'],
  ['H-3', 'Washer', 'Arandela', 'EA'],
];
const csv = ROWS.map((cells) => cells.join(';')).join('\r\n');
const MAP = ['--map', 'code=SKU', '--map', 'name=Name (column 3)'];

describe.each([
  ['CSV', 'stock.csv', csv],
  ['a workbook', 'stock.xlsx', workbook({ Stock: ROWS })],
])('%s with titles and a header that two columns share', (_, file, content) => {
  it('is imported with --header-row; rejected rows have their header in the first row', async () => {
    await here.file(file, content);
    const ran = await here.run(['items', 'import', file, '--header-row', '3', ...MAP, '--yes']);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 8 });
    expect(JSON.parse(ran.stdout)).toMatchObject({ rows: 3, created: 2, rejected: 1 });
    const listed = await here.run(['imports', 'rows', JSON.parse(ran.stdout).run, '-o', 'json']);
    expect(JSON.parse(listed.stdout)).toMatchObject([
      { row: 1, line: 4, state: 'created' },
      { row: 3, line: 6, state: 'created' },
    ]);
    const rejected = file.replace('.', '.rejected.');
    if (file.endsWith('.xlsx')) {
      const [header = [], row = []] = await readSheet(join(here.cwd, rejected));
      expect(header).toEqual(['code', 'name', '_row', '_reason']);
      await here.file(
        rejected,
        workbook({ Stock: [header, ['H-2', ...row.slice(1)]].map((cells) => cells.map(String)) }),
      );
    } else {
      const text = await readFile(join(here.cwd, rejected), 'utf8');
      await here.file(rejected, text.replace(/^;Tuerca/m, 'H-2;Tuerca'));
    }
    const again = await here.run(['items', 'import', rejected, '--yes']);
    expect(again, again.stderr).toMatchObject({ exitCode: 0 });
    expect(items()).toEqual([
      ['H-1', 'Perno'],
      ['H-2', 'Tuerca'],
      ['H-3', 'Arandela'],
    ]);
  });
});

it('a header that columns share must be resolved if it is the name of a field', async () => {
  await here.file('same.csv', 'code,name,brand,brand\nS-1,Bolt,A,B\n');
  const ran = await here.run(['items', 'import', 'same.csv', '--yes']);
  expect(errorOf(ran)).toMatchObject({
    message: '--map brand=COLUMN: brand may be any of "brand (column 3)", "brand (column 4)"',
    hint: 'Name one of them exactly',
  });
  const none = await here.run(['items', 'import', 'same.csv', '--map', 'brand=', '--yes']);
  expect(none, none.stderr).toMatchObject({ exitCode: 0 });
  expect(items()).toEqual([['S-1', 'Bolt']]);
});
