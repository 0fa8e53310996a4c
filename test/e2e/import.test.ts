import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openWorld, type Ran } from '../support/run.ts';
import { type LoggedSandbox, loggedSandbox } from '../support/service.ts';

const world = await openWorld();

const CATALOG = join(import.meta.dirname, '../../examples/catalog.csv');
const MAP = ['--map', 'code=SKU', '--map', 'name=Product', '--set', 'unitOfMeasure=EA'];

function importing(sandbox: LoggedSandbox, ...args: string[]): Promise<Ran> {
  return world.run(['items', 'import', ...args], { env: sandbox.target });
}

const csv = (...lines: string[]) => ['code,name', ...lines].map((line) => `${line}\n`).join('');

const itemsOf = ({ sql }: LoggedSandbox) => sql('SELECT code, name, id FROM items ORDER BY seq');

describe('a catalogue of another system', () => {
  it('is imported completely, from CSV and JSON alike; a second run creates nothing', async () => {
    await using sandbox = await loggedSandbox();
    const first = await importing(sandbox, CATALOG, ...MAP, '--yes');
    expect(first.exitCode).toBe(0);
    const summary = JSON.parse(first.stdout);
    expect(summary).toMatchObject({ rows: 397, created: 295, repeated: 102, pending: 0 });
    const items = itemsOf(sandbox);
    expect(items).toHaveLength(295);
    expect(new Set(items.map(({ code }) => code)).size).toBe(295);

    const again = await importing(sandbox, CATALOG, ...MAP, '--yes');
    expect(JSON.parse(again.stdout)).toMatchObject({ created: 0, existing: 295, repeated: 102 });
    expect(itemsOf(sandbox)).toEqual(items);

    await using other = await loggedSandbox();
    const rows = (await readFile(CATALOG, 'utf8')).trimEnd().split(/\r?\n/).map(cells);
    const records = rows
      .slice(1)
      .map((row) => Object.fromEntries(row.map((cell, at) => [rows[0]![at], cell])));
    const json = await world.file('catalog.json', JSON.stringify(records, null, 1));
    const fromJson = await importing(other, json, ...MAP, '--yes');
    expect(JSON.parse(fromJson.stdout)).toMatchObject({ rows: 397, created: 295, repeated: 102 });
    const bodies = (of: LoggedSandbox) =>
      itemsOf(of)
        .map(({ code, name }) => `${code} ${name}`)
        .sort();
    expect(bodies(other)).toEqual(bodies(sandbox));
  });
});

describe('the result', () => {
  it('has every row exactly once, also in --results; rejected rows are written to a file like the source', async () => {
    await using sandbox = await loggedSandbox();
    const file = await world.file(
      'mixed.csv',
      csv('R-1,"One, two"', ',"No ""code"""', 'R-1,"One, two"'),
    );
    const ran = await importing(sandbox, file, '--yes', '--results', 'results.csv');
    expect(ran.exitCode).toBe(8);
    const summary = JSON.parse(ran.stdout);
    expect(summary).toMatchObject({
      rows: 3,
      created: 1,
      repeated: 1,
      rejected: 1,
      unconfirmed: 0,
    });
    expect(summary.rejectedFile).toBe(join(world.cwd, 'mixed.rejected.csv'));
    const rejected = await readFile(summary.rejectedFile, 'utf8');
    expect(rejected.split('\n')).toEqual([
      'code,name,_row,_reason',
      ',"No ""code""",2,"row 2, line 3, column ""code"": is required, but empty"',
      '',
    ]);
    const [item] = itemsOf(sandbox);
    const results = await readFile(join(world.cwd, 'results.csv'), 'utf8');
    const withoutTimes = results.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME').split('\r\n');
    expect(withoutTimes).toEqual([
      'row,line,state,code,name,id,status,reason,sentAt',
      `1,2,created,R-1,"One, two",${item!.id},201,,TIME`,
      '2,3,rejected,,"No ""code""",,,"row 2, line 3, column ""code"": is required, but empty",',
      '3,4,repeated,R-1,"One, two",,,the same as row 1,',
      '',
    ]);
  });
});

/** One line of CSV; the fixture has no line breaks within cells. */
function cells(line: string): string[] {
  return [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)]
    .slice(0, line.endsWith(',') ? undefined : -1)
    .map(([, cell]) => (cell!.startsWith('"') ? cell!.slice(1, -1).replaceAll('""', '"') : cell!));
}
