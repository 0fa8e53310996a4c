import { describe, expect, it, onTestFinished } from 'vitest';
import { errorOf, freshWorld, type World } from '../support/run.ts';
import { loggedSandbox } from '../support/service.ts';
import { runTyped } from '../support/typed-line.ts';
import { workbook } from '../support/workbook.ts';

async function world(): Promise<World> {
  const sandbox = await loggedSandbox();
  onTestFinished(() => sandbox.close());
  return freshWorld(sandbox.target);
}

const TABLE = [
  ['SKU', 'Model', 'Unit'],
  ['H-1', 'Bolt', 'EA'],
  ['H-2', 'Nut', 'EA'],
];
const UNKNOWN = [
  ['Aa', 'Bb', 'Cc'],
  ['H-1', 'Bolt', 'EA'],
  ['H-2', 'Nut', 'EA'],
];
const csv = (rows: readonly (readonly string[])[]) => rows.map((row) => row.join(';')).join('\n');

describe('the hint names', () => {
  it.each([
    [
      'the row with the columns that are mapped',
      'a.csv',
      csv([['Stock'], [], ...TABLE]),
      ['--map', 'code=SKU', '--map', 'name=Model'],
      'Row 3 looks like the header',
      '--header-row 3',
    ],
    [
      'the row that matches fields',
      'a.csv',
      csv([['Stock, May'], ...TABLE]),
      [],
      'Row 2 looks like the header',
      '--header-row 2',
    ],
    [
      'the row with as many cells as the others',
      'a.csv',
      csv([['Stock'], ['by', 'May'], ...UNKNOWN]),
      [],
      'Row 3 looks like the header',
      '--header-row 3',
    ],
    [
      'the row of a sheet',
      'a.xlsx',
      workbook({ A: [['Stock'], [], ...TABLE] }),
      ['--map', 'code=SKU'],
      'Row 3 looks like the header',
      '--header-row 3',
    ],
    [
      'another sheet',
      'a.xlsx',
      workbook({ Notes: [['Read this']], 'My items': TABLE }),
      ['--map', 'code=SKU'],
      'The records seem to be in sheet "My items"',
      "--sheet 'My items'",
    ],
    [
      'the row of another sheet',
      'a.xlsx',
      workbook({ Notes: [['Read this']], Items: [['Stock'], ...TABLE] }),
      [],
      'Row 2 of sheet "Items" looks like the header',
      '--sheet Items --header-row 2',
    ],
    [
      'the path of nested records',
      'a.json',
      '{"status":"ok","data":{"products":[{"SKU":"H-1","Model":"Bolt"}]}}',
      ['--map', 'code=SKU'],
      'The records seem to be at data.products',
      '--path data.products',
    ],
  ])('%s', async (_, file, content, map, text, flags) => {
    const here = await world();
    await here.file(file, content);
    const ran = await here.run(['items', 'import', file, ...map, '--yes']);
    expect(ran.exitCode).toBe(2);
    const { hint, details } = errorOf(ran);
    const command = `proc items import ${file}${map.map((word) => ` ${word}`).join('')} --yes ${flags}`;
    expect(hint).toBe(`${text}. Try: ${command}`);
    expect(details).toMatchObject({ command });
    const again = errorOf(await runTyped(here, `${command} --max-create 0`));
    expect(again.message).not.toContain('there is no column');
    expect(again.message).not.toMatch(/^no column of .*: (?!Aa)/);
  });

  it.each([
    ['{"data":{"products":[{"code":"A"}]}}'],
    ['{"errors":[],"data":{"products":[{"code":"A"}]}}'],
  ])('the path in %s', async (content) => {
    const here = await world();
    await here.file('a.json', content);
    const ran = await here.run(['items', 'import', 'a.json', '--yes']);
    expect(ran.exitCode).toBe(2);
    expect(errorOf(ran).hint).toBe(
      'The records seem to be at data.products: use --path data.products',
    );
  });

  it('the other sheets if the first one is empty', async () => {
    const here = await world();
    await here.file('a.xlsx', workbook({ Empty: [], Items: TABLE }));
    const ran = await here.run(['items', 'import', 'a.xlsx', '--yes']);
    expect(errorOf(ran)).toMatchObject({
      message: 'a.xlsx is empty: its sheet has no cells',
      hint: 'Choose another sheet with --sheet: Items',
    });
  });

  it('no row if the header is where it should be', async () => {
    const here = await world();
    await here.file('a.csv', csv(TABLE));
    const ran = await here.run(['items', 'import', 'a.csv', '--map', 'code=Skuu', '--yes']);
    expect(errorOf(ran).hint).toBe('Did you mean "SKU"?');
  });
});
