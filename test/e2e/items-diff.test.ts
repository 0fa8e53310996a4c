import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readSheet } from 'read-excel-file/node';
import { describe, expect, it } from 'vitest';
import { randomFrom } from '../support/random.ts';
import { startReferenceService } from '../support/reference-service.ts';
import { errorOf, freshWorld, type World } from '../support/run.ts';
import { startTestSandbox } from '../support/sandbox.ts';
import { workbook } from '../support/workbook.ts';

const ITEMS = [
  { code: 'A-1', name: 'Bolt' },
  { code: 'A-2', name: 'Nut' },
  { code: 'A-3', name: 'Washer' },
  { code: 'A-4', name: 'Screw' },
  { name: 'Codeless' },
];

/** A file that differs from the catalogue once in each way. */
const FILE = `code,name,price
A-1,Bolt,1
A-2,Hex nut,x
A-9,Rivet,3
A-9,Rivet,3
,Codeless,1
#N/A,Broken,1
A-3,#N/A,1
`;

async function world(items: readonly { code?: string; name: string }[] = ITEMS): Promise<World> {
  const sandbox = await startTestSandbox({ seed: { items: [...items] } });
  return freshWorld({ PROC_BASE_URL: sandbox.baseUrl, PROC_API_KEY: 'proc-sandbox-key' });
}

const brief = ({ stdout }: { readonly stdout: string }): string[] =>
  (JSON.parse(stdout) as Record<string, unknown>[]).map(
    ({ change, row, code }) => `${change} ${row} ${code}`,
  );

const DIFFERENCES = [
  'new 3 A-9',
  'renamed 2 A-2',
  'gone null A-4',
  'duplicate 4 A-9',
  'invalid 6 #N/A',
  'invalid 7 A-3',
];

describe('items diff', () => {
  it('lists what differs, and counts everything', async () => {
    const here = await world();
    const file = await here.file('items.csv', FILE);
    const ran = await here.run(['items', 'diff', file, '-o', 'json']);
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(brief(ran)).toEqual(DIFFERENCES);
    expect(JSON.parse(ran.stdout)[1]).toEqual({
      change: 'renamed',
      row: 2,
      line: 3,
      code: 'A-2',
      name: 'Hex nut',
      catalogueName: 'Nut',
      id: 'itm-2',
      reason: null,
    });
    expect(ran.stderr).toContain(
      '(7 rows) and the catalogue (5 items): 1 new, 1 renamed, 1 gone, 2 the same; in the file 1 duplicate, 2 invalid',
    );
    expect(ran.stderr).toMatch(/Columns not compared.*: price/);
    expect(ran.stderr).not.toContain('error');
  });

  it('finds no difference to its own export', async () => {
    const here = await world([
      { code: '=A', name: " 'Bolt' " },
      { code: '007', name: '1e5' },
      { code: 'a\tb', name: 'x\ny\r\nz' },
      { code: 'back\\slash', name: 'C:\\temp\\new' },
      { code: "'=q", name: '12" "pipe", 3; |' },
      ...ITEMS,
    ]);
    for (const name of ['items.csv', 'items.tsv', 'items.xlsx', 'items.json']) {
      const out = join(here.cwd, name);
      expect(await here.run(['items', 'list', '--all', '--out', out])).toMatchObject({
        exitCode: 0,
      });
      const ran = await here.run(['items', 'diff', out, '--exit-code', '-o', 'json']);
      expect(ran, `${name}: ${ran.stdout}`).toMatchObject({ exitCode: 0, stdout: '[]\n' });
    }
  });

  it('has the same rows in every format', async () => {
    const here = await world();
    const file = await here.file('items.csv', FILE);
    const run = (...flags: string[]) => here.run(['items', 'diff', file, ...flags]);
    const table = (await run('-o', 'table')).stdout.trimEnd().split('\n').slice(2);
    expect(table.map((line) => line.split(/ +/)[0])).toEqual(
      DIFFERENCES.map((one) => one.split(' ')[0]),
    );
    const ndjson = (await run('-o', 'ndjson')).stdout.trimEnd().split('\n');
    expect(brief({ stdout: `[${ndjson.join(',')}]` })).toEqual(DIFFERENCES);
    const csv = (await run('-o', 'csv')).stdout.trimEnd().split(/\r?\n/);
    expect(csv[0]).toBe('change,row,line,code,name,catalogueName,id,reason');
    expect(csv).toHaveLength(DIFFERENCES.length + 1);
    const out = join(here.cwd, 'differences.xlsx');
    await run('--out', out);
    const sheet = await readSheet(out);
    expect(sheet.slice(1).map((row) => row.slice(0, 2).concat(row[3]!).join(' '))).toEqual(
      DIFFERENCES.map((one) => one.replace('null', '')),
    );
  });

  it('does not report an item as gone if --where leaves out its row', async () => {
    const here = await world();
    const file = await here.file('items.csv', FILE);
    const ran = await here.run(['items', 'diff', file, '--where', 'price=3', '-o', 'json']);
    expect(brief(ran)).toEqual(['new 3 A-9', 'gone null A-4', 'duplicate 4 A-9']);
    expect(ran.stderr).toContain('5 filtered');
  });

  it('reads workbooks and other headers as an import does', async () => {
    const here = await world();
    const book = workbook({
      Notes: [['x']],
      Stock: [['Stock of May'], ['SKU', 'Label'], ['A-1', 'Bolt'], ['A-2', 'Nut']],
    });
    const file = await here.file('stock.xlsx', book);
    const flags = ['--sheet', 'Stock', '--header-row', '2', '--map', 'code=SKU'];
    const named = await here.run([
      'items',
      'diff',
      file,
      ...flags,
      '--map',
      'name=Label',
      '--only',
      'renamed',
    ]);
    expect(named, named.stderr).toMatchObject({ exitCode: 0, stdout: '[]\n' });
    const unnamed = await here.run(['items', 'diff', file, ...flags, '--summary']);
    expect(JSON.parse(unnamed.stdout)).toMatchObject({
      same: 2,
      renamed: 0,
      notCompared: ['Label'],
    });
    expect(unnamed.stderr).toContain('Names were not compared');
  });

  it('refuses a file without codes, and a file that ends too early', async () => {
    const here = await world();
    const names = await here.file('names.csv', 'name\nBolt\n');
    expect(errorOf(await here.run(['items', 'diff', names, '-o', 'json']))).toMatchObject({
      code: 'invalid_usage',
      hint: expect.stringContaining('--map code='),
    });
    const cut = await here.file('cut.json', '[{"code":"A-1","name":"Bolt"},{"code":"A-');
    const ran = await here.run(['items', 'diff', cut, '-o', 'json']);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(errorOf(ran)).toMatchObject({ code: 'invalid_input' });
  });

  it('compares nothing if the catalogue may be incomplete', async () => {
    await using service = await startReferenceService();
    service.state.lists = 'unverified';
    const here = await freshWorld({ PROC_BASE_URL: service.baseUrl, PROC_API_KEY: 'k' });
    const file = await here.file('items.csv', FILE);
    const ran = await here.run(['items', 'diff', file, '--exit-code', '-o', 'json']);
    expect(ran).toMatchObject({ exitCode: 10, stdout: '' });
    expect(errorOf(ran)).toMatchObject({
      code: 'incomplete',
      hint: expect.stringContaining('doctor'),
    });
  });

  it('names codes that several items have', async () => {
    const here = await world([...ITEMS, { code: 'A-1', name: 'Bolt, long' }]);
    const file = await here.file('items.csv', 'code,name\nA-1,Bolt\n');
    const ran = await here.run(['items', 'diff', file, '-o', 'json']);
    expect(brief(ran)).not.toContain('gone null A-1');
    expect(ran.stderr).toContain('1 code exists more than once in the catalogue');
  });

  it('equals a comparison in memory, for random edits', async () => {
    const random = randomFrom(7);
    const catalogue = Array.from({ length: 3_000 }, (_, n) => ({
      code: `K-${n}`,
      name: `Part ${Math.floor(random() * 900)}`,
    }));
    const here = await world(catalogue);
    const rows = edited(catalogue, random);
    const file = await here.file(
      'rows.ndjson',
      rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
    );
    const ran = await here.run(['items', 'diff', file, '-o', 'json']);
    expect(brief(ran)).toEqual(reference(rows, catalogue));
    expect(new Set(brief(ran).map((one) => one.split(' ')[0])).size).toBe(4);
  });

  it('leaves no file behind', async () => {
    const here = await world();
    const file = await here.file('items.csv', FILE);
    const env = { TMPDIR: join(here.folder, 'work') };
    const ran = await here.spawn(['items', 'diff', '-', '-o', 'json'], {
      env,
      input: await readFile(file),
    });
    expect(ran.exitCode, ran.stderr).toBe(0);
    const left = await here.shell('ls -A');
    expect(left.stdout.trim()).toBe('items.csv');
  });
});

interface Named {
  readonly code: string;
  readonly name: string;
}

function edited(catalogue: readonly Named[], random: () => number): readonly Named[] {
  const rows = catalogue.flatMap((item) => {
    const chance = random();
    if (chance < 0.05) return [];
    if (chance < 0.1) return [{ ...item, name: `${item.name} new` }];
    if (chance < 0.13) return [item, { ...item, name: `${item.name} again` }];
    if (chance < 0.18) return [item, { code: `N-${item.code}`, name: item.name }];
    return [item];
  });
  return rows
    .map((row) => [random(), row] as const)
    .sort(([a], [b]) => a - b)
    .map(([, row]) => row);
}

/** The expected lines, computed by a simple function in memory. */
function reference(rows: readonly Named[], catalogue: readonly Named[]): string[] {
  const names = new Map(catalogue.map(({ code, name }) => [code, name]));
  const seen = new Set<string>();
  const found: Record<'new' | 'renamed' | 'gone' | 'duplicate', string[]> = {
    new: [],
    renamed: [],
    gone: [],
    duplicate: [],
  };
  for (const [index, { code, name }] of rows.entries()) {
    const kind = seen.has(code)
      ? 'duplicate'
      : !names.has(code)
        ? 'new'
        : names.get(code) === name
          ? undefined
          : 'renamed';
    seen.add(code);
    if (kind !== undefined) found[kind].push(`${kind} ${index + 1} ${code}`);
  }
  const codes = [...names.keys()].sort();
  for (const code of codes) if (!seen.has(code)) found.gone.push(`gone null ${code}`);
  return [...found.new, ...found.renamed, ...found.gone, ...found.duplicate];
}
