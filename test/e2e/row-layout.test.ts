import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { freshWorld, jsonLines, type World } from '../support/run.ts';
import { type LoggedSandbox, loggedSandbox } from '../support/service.ts';

type Row = Readonly<Record<string, unknown>>;

let sandbox: LoggedSandbox;
let world: World;

beforeEach(async () => {
  sandbox = await loggedSandbox();
  world = await freshWorld(sandbox.target);
});
afterEach(() => sandbox.close());

async function done(args: readonly string[], exitCode = 0) {
  const ran = await world.run(args);
  expect(ran, ran.stderr).toMatchObject({ exitCode });
  return JSON.parse(ran.stdout);
}

async function rowsIn(file: string): Promise<Row[]> {
  const text = await readFile(join(world.cwd, file), 'utf8');
  return (file.endsWith('.ndjson') ? jsonLines(text) : JSON.parse(text)) as Row[];
}

const ITEMS = [
  'Code,Name,Brand',
  '12-Mar,Bolt,Acme',
  'A-2,VÃ¡lvula,Acme',
  'A-3,V&aacute;lvula,',
  'A-4,&amp; VÃ¡lvula,',
  'A-5,VÃ¡lvula 5,Acme',
  'A-6,VÃ¡lvula 6,Acme',
  ',Nameless,Acme',
  'A-9,VÃ¡lvula 9',
].join('\n');

const FLAGS = ['--map', 'code=Code', '--map', 'name=Name', '--map', 'brand=Brand'];

it('is the same in the plan, in imports rows and in the results; every finding of every row is there', async () => {
  await world.file('items.csv', ITEMS);
  const args = ['items', 'import', 'items.csv', ...FLAGS, '--yes', '--plan', 'plan.ndjson'];
  const { run } = await done([...args, '--results', 'results.json'], 8);
  const plan = await rowsIn('plan.ndjson');
  const results = await rowsIn('results.json');
  const listed: Row[] = await done(['imports', 'rows', run]);
  expect(results).toEqual(listed);
  expect(plan.map((row) => Object.keys(row))).toEqual(listed.map((row) => Object.keys(row)));
  const same = ({ row, line, code, name, brand, findings, record }: Row) => {
    return { row, line, code, name, brand, findings, record };
  };
  expect(plan.map(same)).toEqual(listed.map(same));
  expect(Object.keys(plan[0]!)).toEqual([
    ...['row', 'line', 'state', 'code', 'name', 'id', 'status', 'reason', 'findings', 'sentAt'],
    ...['brand', 'record'],
  ]);
  expect(plan.map(({ findings }) => findings)).toEqual([
    'code 12-Mar looks like a date',
    'text was probably read in a wrong encoding: VÃ¡lvula',
    'HTML entities instead of characters: V&aacute;lvula',
    'HTML entities instead of characters: &amp; VÃ¡lvula; text was probably read in a wrong encoding: &amp; VÃ¡lvula',
    'text was probably read in a wrong encoding: VÃ¡lvula 5',
    'text was probably read in a wrong encoding: VÃ¡lvula 6',
    null,
    null,
  ]);
  expect(listed[6]).toMatchObject({ state: 'rejected', name: 'Nameless', brand: 'Acme' });
  expect(listed[7]).toMatchObject({ state: 'rejected', record: { Code: 'A-9' } });
});

it('is seen by the reviewer of a staged run, also in its statement', async () => {
  await world.file('items.csv', ITEMS);
  const args = ['items', 'import', 'items.csv', ...FLAGS, '--stage', '--plan', 'plan.json'];
  const { run } = await done(args, 8);
  const listed: Row[] = await done(['imports', 'rows', run]);
  expect(await rowsIn('plan.json')).toEqual(listed);
  await done(['imports', 'show', run, '--statement', 'items.statement']);
  expect(await done(['imports', 'rows', 'items.statement'])).toEqual(listed);
  const table = await world.run(['imports', 'rows', run, '-o', 'table']);
  expect(table.stdout).toMatch(/^ROW +LINE +STATE +CODE .*FINDINGS +BRAND/);
});

it('of lines of requisitions has the findings of each line; the rejected file has them beside the source', async () => {
  await world.file(
    'lines.csv',
    [
      'title,group.deliveryMethod,item.name,quantity',
      'One,pickup,Bolt,1',
      'One,pickup,VÃ¡lvula,2',
      'Two,pickup,VÃ¡lvula,2',
      'Two,pickup,Nut,x',
    ].join('\n'),
  );
  const args = ['requisition', 'import', 'lines.csv', '--group-by', 'title', '--yes'];
  const { run, rejectedFile } = await done(args, 8);
  expect(await done(['imports', 'rows', run])).toMatchObject([
    { row: 1, title: 'One', findings: expect.stringContaining('VÃ¡lvula') },
    { row: 3, title: 'Two', findings: expect.stringContaining('VÃ¡lvula') },
  ]);
  const [header, first] = (await readFile(rejectedFile, 'utf8')).split(/\r?\n/);
  expect(header).toMatch(/,_run,_row,_reason,_status,_findings$/);
  expect(first).toMatch(/,text was probably read in a wrong encoding: VÃ¡lvula$/);
});

it('names each code that may have lost zeros, and each twin', async () => {
  const codes = Array.from({ length: 12 }, (_, at) => `0${1000 + at}`);
  await world.file(
    'zeros.csv',
    ['code,name', ...codes.map((code) => `${code},N`), '77,Short', 'x-1,A', 'X-1,B'].join('\n'),
  );
  const dry = ['items', 'import', 'zeros.csv', '--dry-run', '--plan', 'plan.json'];
  await done(dry);
  const found = (await rowsIn('plan.json')).filter(({ findings }) => findings !== null);
  expect(found).toMatchObject([
    { code: '77', findings: 'code 77 may have lost leading zeros' },
    { code: 'X-1', findings: expect.stringContaining('differs from another only in case') },
  ]);
});
