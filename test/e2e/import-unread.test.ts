import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { freshWorld, type World } from '../support/run.ts';
import { type ItemService, itemService } from './import-service.ts';

const BROKEN = [
  'code,name,unitOfMeasure',
  'A-1,Bolt,EA',
  'A-2,Short',
  'A-3,Nut, M8,EA',
  'A-4,"Said "so",EA',
  'A-5,Cut\0off,EA',
  'A-6,"Never closed,EA',
  '',
].join('\n');

async function importing(here: World, service: ItemService, file: string) {
  const ran = await here.run(['items', 'import', file, '--yes'], { env: service.target });
  return { ...ran, summary: JSON.parse(ran.stdout) };
}

async function table(file: string): Promise<Record<string, string>[]> {
  return parse(await readFile(file), { bom: true, columns: true });
}

describe('unreadable records', () => {
  it('are rejected; the reason contains the file and line', async () => {
    const here = await freshWorld();
    await using service = await itemService(() => undefined);
    await here.file('cat.csv', BROKEN);
    const { exitCode, summary } = await importing(here, service, 'cat.csv');
    expect(exitCode).toBe(8);
    expect(summary).toMatchObject({ rows: 6, created: 1, rejected: 5 });
    const rows = await table(summary.rejectedFile);
    expect(rows.map(({ _row }) => _row)).toEqual(['2', '3', '4', '5', '6']);
    expect(rows.map(({ _reason }) => _reason)).toEqual([
      expect.stringMatching(/^cat\.csv, line 3: has 2 cells, but the header has 3; it reads: ./),
      expect.stringMatching(/^cat\.csv, line 4: has 4 cells, but the header has 3; it reads: ./),
      expect.stringMatching(/^cat\.csv, line 5: text follows a closing quote/),
      expect.stringMatching(/line 6, column "name": .*--allow-odd/),
      expect.stringMatching(/^cat\.csv, line 7: a quote is opened but never closed; it reads: ./),
    ]);
  });

  it('keep the digits of every number that is text or not sent; a number that would be rounded is not sent', async () => {
    const here = await freshWorld();
    await using service = await itemService(() => undefined);
    const number = '12345678901234567890.10';
    const [code, unsent, attributes] = [
      `{"code":${number},"name":"x"}`,
      `{"code":"L-2","name":"x","id":${number}}`,
      `{"code":"L-3","name":"x","attributes":{"list":[{"n":${number}}]}}`,
    ];
    await here.file('long.json', `[${code},${unsent},${attributes}]`);
    const { summary } = await importing(here, service, 'long.json');
    expect(summary).toMatchObject({ created: 2, rejected: 1 });
    expect(service.codes()).toEqual([number, 'L-2']);
    expect(await readFile(summary.rejectedFile, 'utf8')).toContain(`"n": ${number}`);
  });

  it('from tab-separated text are written to a .tsv file', async () => {
    const here = await freshWorld();
    await using service = await itemService(() => undefined);
    await here.file('cat.tsv', 'code\tname\nT-1\tx\ty\n');
    const { summary } = await importing(here, service, 'cat.tsv');
    expect(summary.rejectedFile).toBe(join(here.cwd, 'cat.rejected.tsv'));
    expect((await readFile(summary.rejectedFile, 'utf8')).split('\n')[1]).toMatch(/^\t\t?1\t/);
  });
});
