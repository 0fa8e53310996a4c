import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { assumeFirstRuns } from '../support/in-process.ts';
import { errorOf, freshWorld, type World } from '../support/run.ts';
import { loggedSandbox } from '../support/service.ts';
import { workbook } from '../support/workbook.ts';

assumeFirstRuns();

async function world(): Promise<World> {
  const sandbox = await loggedSandbox();
  onTestFinished(() => sandbox.close());
  return freshWorld(sandbox.target);
}

const saved = async (here: World) => JSON.parse(await readFile(join(here.cwd, 'm.json'), 'utf8'));
async function both(
  here: World,
  noun: string,
  [last, now]: readonly [string, string],
  flags: readonly string[],
) {
  const first = await here.run([noun, 'import', last, ...flags, '--save-map', 'm.json', '--yes']);
  const second = await here.run([noun, 'import', now, '--map-file', 'm.json', '--yes']);
  return { first, second, summary: JSON.parse(second.stdout || 'null') };
}

describe('--save-map keeps how the file is read', () => {
  it('of a CSV file: header, decimals, encoding', async () => {
    const here = await world();
    const month = (name: string) =>
      Buffer.from(
        `Stock ${name}\nSKU;Stock\n${name}-1;Tuber\xeda\n${name}-1;Tuber\xeda\n`,
        'latin1',
      );
    await here.file('may.csv', month('May'));
    await here.file('june.csv', month('June'));
    const header = ['--header-row', '2', '--delimiter', ';', '--map', 'code=SKU'];
    const more = ['--map', 'name=Stock', '--decimal', ',', '--encoding', 'windows-1252'];
    const flags = [...header, ...more];
    const { first, second, summary } = await both(here, 'items', ['may.csv', 'june.csv'], flags);
    expect(first, first.stderr).toMatchObject({ exitCode: 0 });
    expect(await saved(here)).toEqual({
      map: { name: 'Stock', code: 'SKU' },
      decimal: ',',
      headerRow: 2,
      delimiter: ';',
      encoding: 'windows-1252',
    });
    expect(second, second.stderr).toMatchObject({ exitCode: 0 });
    expect(summary).toMatchObject({ rows: 2, created: 1, repeated: 1 });
    const listed = await here.run(['items', 'list', '-o', 'json']);
    expect(JSON.parse(listed.stdout)).toMatchObject([
      { code: 'June-1', name: 'Tubería' },
      { code: 'May-1', name: 'Tubería' },
    ]);
  });

  it('of a workbook: the sheet; of JSON: the path', async () => {
    const here = await world();
    const book = (code: string) =>
      workbook({ Notes: [['x']], Items: [['Title'], ['code', 'name'], [code, 'Bolt']] });
    await here.file('a.xlsx', book('A-1'));
    await here.file('b.xlsx', book('B-1'));
    const sheet = ['--sheet', 'Items', '--header-row', '2'];
    const books = await both(here, 'items', ['a.xlsx', 'b.xlsx'], sheet);
    expect(books.summary, books.second.stderr).toMatchObject({ rows: 1, created: 1 });
    expect(await saved(here)).toMatchObject({ sheet: 'Items', headerRow: 2 });
    const json = (code: string) => JSON.stringify({ data: { products: [{ code, name: 'Bolt' }] } });
    await here.file('a.json', json('A-2'));
    await here.file('b.json', json('B-2'));
    const files = await both(here, 'items', ['a.json', 'b.json'], ['--path', 'data.products']);
    expect(files.summary, files.second.stderr).toMatchObject({ rows: 1, created: 1 });
    expect(await saved(here)).toMatchObject({ path: 'data.products' });
    // proc ignores settings of other formats: this file has no sheet.
    await here.file('c.csv', 'Title\ncode,name\nC-1,Bolt\n');
    await here.file(
      'm.json',
      JSON.stringify({
        sheet: 'Items',
        headerRow: 2,
        path: 'a',
        map: { code: 'code', name: 'name' },
      }),
    );
    const other = await here.run(['items', 'import', 'c.csv', '--map-file', 'm.json', '--yes']);
    expect(other, other.stderr).toMatchObject({ exitCode: 0 });
  });

  it('a flag wins over the map, and UTF-8 is never read as Windows-1252', async () => {
    const here = await world();
    await here.file('a.csv', 'Title\nNotes\ncode,name\nA-1,Tubería\n');
    const map = { map: { code: 'code' }, headerRow: 2, encoding: 'windows-1252' };
    await here.file('m.json', JSON.stringify(map));
    const flags = ['--map-file', 'm.json', '--header-row', '3', '--yes'];
    const wrong = await here.run(['items', 'import', 'a.csv', ...flags]);
    expect(errorOf(wrong)).toMatchObject({ code: 'invalid_usage', exitCode: 2 });
    const ran = await here.run(['items', 'import', 'a.csv', ...flags, '--encoding', 'utf-8']);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    const listed = await here.run(['items', 'list', '-o', 'json']);
    expect(JSON.parse(listed.stdout)).toMatchObject([{ code: 'A-1', name: 'Tubería' }]);
  });

  it.each([
    [{ headerRow: -1 }, '--map-file m.json: headerRow must be at least 1, got -1'],
    [{ decimal: ';' }, '--map-file m.json: decimal must be one of ,, .'],
    [
      { sheets: 'A' },
      '--map-file m.json: unknown key "sheets", expected one of map, set, values, decimal, path',
    ],
  ])('%j is refused', async (wrong, message) => {
    const here = await world();
    await here.file('a.csv', 'code,name\nA-1,Bolt\n');
    await here.file('m.json', JSON.stringify(wrong));
    const ran = await here.run(['items', 'import', 'a.csv', '--map-file', 'm.json', '--yes']);
    expect(ran.exitCode).toBe(2);
    expect(errorOf(ran).message).toContain(message);
  });
});
