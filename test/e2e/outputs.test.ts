import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { freshWorld, jsonLines } from '../support/run.ts';
import { loggedSandbox } from '../support/service.ts';

describe('--out FILE.gz', () => {
  it.each(['ndjson', 'csv', 'json'])('%s.gz is what the file without .gz has', async (ending) => {
    await using service = await loggedSandbox();
    const world = await freshWorld(service.target);
    const list = ['orders', 'list', '--all', '--out'];
    expect(await world.run([...list, `a.${ending}`])).toMatchObject({ exitCode: 0 });
    expect(await world.run([...list, `a.${ending}.gz`])).toMatchObject({
      exitCode: 0,
      stdout: '',
    });
    const packed = await readFile(join(world.cwd, `a.${ending}.gz`));
    const plain = await readFile(join(world.cwd, `a.${ending}`), 'utf8');
    expect(gunzipSync(packed).toString()).toBe(plain);
  });

  it('can be imported again; a workbook or report in it is refused', async () => {
    await using service = await loggedSandbox();
    const world = await freshWorld(service.target);
    await world.run(['items', 'create', '--name', 'Bolt', '--code', 'B-1']);
    await world.run(['items', 'list', '--out', 'items.csv.gz']);
    const again = await world.run(['items', 'import', 'items.csv.gz', '--dry-run', '-o', 'json']);
    expect(JSON.parse(again.stdout)).toMatchObject({ rows: 1, existing: 1 });
    const refused = await world.run(['items', 'list', '--out', 'items.xlsx.gz']);
    expect(refused).toMatchObject({ exitCode: 2 });
  });

  it('stays as it was if the list cannot be read to its end', async () => {
    const service = await loggedSandbox();
    const world = await freshWorld(service.target);
    await service.close();
    const file = await world.file('a.ndjson.gz', 'before');
    const ran = await world.run([
      'orders',
      'list',
      '--all',
      '--retries',
      '0',
      '--out',
      'a.ndjson.gz',
    ]);
    expect(ran.exitCode).toBe(7);
    expect(await readFile(file, 'utf8')).toBe('before');
  });
});

it('imports list --limit prints the latest runs', async () => {
  await using service = await loggedSandbox();
  const world = await freshWorld(service.target);
  for (const name of ['a', 'b']) {
    await world.file(`${name}.csv`, `name,code\nBolt,${name}-1\n`);
    await world.run(['items', 'import', `${name}.csv`, '--yes']);
  }
  const { stdout } = await world.run(['imports', 'list', '--limit', '1', '-o', 'json']);
  expect(JSON.parse(stdout)).toMatchObject([{ source: 'b.csv' }]);
});

it('doctor -v logs its requests', async () => {
  await using service = await loggedSandbox();
  const world = await freshWorld(service.target);
  const { stderr } = await world.run(['doctor', '-v', '-o', 'json']);
  const logged = jsonLines(stderr).flatMap((line) => ('http' in line ? [line.http] : []));
  expect(logged.length).toBeGreaterThanOrEqual(service.requests.length);
  expect(logged[0]).toMatchObject({ method: 'GET', status: 200 });
  expect(stderr).not.toContain(service.target.PROC_API_KEY);
});
