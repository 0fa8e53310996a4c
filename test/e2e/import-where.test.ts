import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { runHere } from '../support/in-process.ts';
import { errorOf, freshWorld, type World } from '../support/run.ts';
import { type LoggedSandbox, loggedSandbox } from '../support/service.ts';

const STOCK = `SKU;Model;Color;List Price
A-1;Frame; Black ;9
A-2;Frame;Red;10
A-3;Fork;Black;100.50
A-4;Fork;black;
`;
const MAP = ['--map', 'code=SKU', '--map', 'name={Model} {Color}', '--yes'];

let sandbox: LoggedSandbox;
let world: World;
let file: string;

beforeEach(async () => {
  sandbox = await loggedSandbox();
  onTestFinished(() => sandbox.close());
  world = await freshWorld(sandbox.target);
  file = await world.file('stock.csv', STOCK);
});

const run = (...args: string[]) => runHere(args, world.env);
const imported = async (...where: string[]) => {
  const ran = await run(
    'items',
    'import',
    file,
    ...MAP,
    ...where.flatMap((one) => (one.startsWith('--') ? [one] : ['--where', one])),
  );
  return { ...ran, summary: ran.stdout === '' ? undefined : JSON.parse(ran.stdout) };
};
const sent = async () =>
  JSON.parse((await run('items', 'list', '-o', 'json')).stdout)
    .map(({ code }: { code: string }) => code)
    .sort();

describe('--where on an import', () => {
  it('sends the rows that match and counts the others as filtered', async () => {
    const results = join(world.cwd, 'results.csv');
    const where = ['--where', 'Color=Black'];
    const flags = [...where, '--results', results];
    const plan = await run('items', 'import', file, ...MAP, ...where, '--dry-run');
    expect(JSON.parse(plan.stdout)).toMatchObject({ rows: 4, filtered: 2, create: 2, invalid: 0 });
    const ran = await run('items', 'import', file, ...MAP, ...flags);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    const summary = JSON.parse(ran.stdout);
    expect(summary).toMatchObject({ rows: 4, filtered: 2, created: 2, rejected: 0 });
    expect(await sent()).toEqual(['A-1', 'A-3']);
    const written = (await readFile(results, 'utf8')).trim().split('\n');
    expect(written.map((line) => line.split(',')[2])).toEqual([
      'state',
      'created',
      'filtered',
      'created',
      'filtered',
    ]);
    const shown = JSON.parse((await run('imports', 'show', summary.run)).stdout);
    expect(shown).toMatchObject({ filtered: 2, choices: { where: ['Color=Black'] } });
  });

  it.each([
    [['List Price>=10'], ['A-2', 'A-3']],
    [['List Price<10'], ['A-1']],
    [
      ['Color~black', 'Model=Fork'],
      ['A-3', 'A-4'],
    ],
    [['List Price='], ['A-4']],
    [
      ['Color!=Red', 'List Price!='],
      ['A-1', 'A-3'],
    ],
  ])('%j', async (where, codes) => {
    const { exitCode, summary } = await imported(...where);
    expect(exitCode).toBe(0);
    expect(await sent()).toEqual(codes);
    expect(summary.created + summary.filtered).toBe(summary.rows);
  });

  it.each([
    [['Colour=Black'], 'stock.csv has no such column', 'Did you mean "Color"?'],
    [
      ['Model>=10'],
      'row 1 has "Frame" in this column, expected a number',
      "--where 'Model!=Frame'",
    ],
    [['Color'], "--where 'Color' is not a condition", 'Use e.g.'],
  ])('%j is refused, and nothing is sent', async (where, message, hint) => {
    const ran = await imported(...where);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 2, stdout: '' });
    const error = errorOf(ran);
    expect(error.message).toContain(message);
    expect(error.hint).toContain(hint);
    expect(await sent()).toEqual([]);
  });

  it('compares numbers in the format that --decimal gives', async () => {
    file = await world.file(
      'erp.csv',
      'SKU;Model;Color;Qty\nQ-1;a;b;1.234,50\nQ-2;a;b;99,9\nQ-3;a;b;\n',
    );
    const plain = await imported('Qty>=100');
    expect(plain.exitCode).toBe(2);
    expect(errorOf(plain).message).toContain('row 1 has "1.234,50" in this column');
    expect(errorOf(plain).hint).toMatch(
      /^Choose the decimal separator, e\.g\. --decimal ,\. Or exclude/,
    );
    const { summary } = await imported('Qty>=100.5', '--decimal=,');
    expect(summary).toMatchObject({ rows: 3, created: 1, filtered: 2 });
    expect(await sent()).toEqual(['Q-1']);
  });

  it('filters flat rows before they are grouped', async () => {
    const flat = await world.file('flat.csv', 'Req,Part,Qty\nR-1,Bolt,2\nR-1,Nut,3\nR-2,Cog,1\n');
    const words = ['--group-by', 'Req', '--map', 'title=Req', '--map', 'item.name=Part'];
    const more = ['--map', 'quantity=Qty', '--set', 'group.deliveryMethod=pickup', '--yes'];
    const ran = await run('requisition', 'import', flat, ...words, ...more, '--where', 'Part!=Nut');
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(ran.stdout)).toMatchObject({ rows: 3, created: 2, filtered: 1 });
    expect(sandbox.writes()).toHaveLength(2);
  });
});
