import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { freshWorld, jsonLines } from '../support/run.ts';
import { loggedSandbox } from '../support/service.ts';
import { codes, rowsOf } from './import-service.ts';

/** At 8 rows a second, these rows take longer than the pause between two progress lines. */
const ROWS = 20;

it('a slow import without a terminal writes its progress regularly', async () => {
  await using sandbox = await loggedSandbox();
  const world = await freshWorld(sandbox.target);
  const file = await world.file('slow.csv', rowsOf(codes(ROWS)));
  const flags = ['--yes', '--rate', '8/s', '-o', 'table', '--progress', 'json'];
  const ran = await world.run(['items', 'import', file, ...flags]);
  expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
  const lines = jsonLines(ran.stderr).map((line) => {
    if (!('progress' in line)) throw new Error(`not progress: ${JSON.stringify(line)}`);
    return line.progress as { step?: string; created: number; pending: number };
  });
  // On a slow machine, planning has progress too.
  const told = lines.filter(({ step }) => step === undefined);
  expect(told.length).toBeGreaterThanOrEqual(1);
  for (const progress of told) {
    expect(progress).toMatchObject({ rows: ROWS, existing: 0, rejected: 0, unconfirmed: 0 });
    expect(progress).toHaveProperty('concurrency', expect.any(Number));
    expect(progress.created + progress.pending).toBe(ROWS);
  }
  expect(ran.stdout).toMatch(/^CREATED +\d/m);
  const created = told.map((progress) => progress.created);
  expect(created).toEqual(created.toSorted((a, b) => a - b));
  expect(created.at(-1)).toBeGreaterThan(0);
});

it('the space of a large import is said before it starts', async () => {
  await using sandbox = await loggedSandbox();
  const world = await freshWorld(sandbox.target);
  const row = (at: number, bytes: number) => `c-${at},n,${'x'.repeat(bytes)}`;
  const text = (rows: number) =>
    ['code,name,description', ...Array.from({ length: rows }, (_, at) => row(at, 1e6))].join('\n');
  await world.file('big.csv', text(30));
  await world.file('small.csv', text(25).slice(0, 25e6));
  await world.file('big.csv.gz', gzipSync(text(30)));
  const planned = async (file: string) => {
    const ran = await world.run(['items', 'import', file, '--dry-run']);
    return jsonLines(ran.stderr).flatMap(({ notice }) => (notice === undefined ? [] : [notice]));
  };
  expect(await planned('big.csv')).toContainEqual(
    expect.stringContaining('importing big.csv takes about 121 MB in '),
  );
  const packed = (await planned('big.csv.gz')).join();
  const [, size = ''] = /big\.csv\.gz \D+(\d+) MB /.exec(packed) ?? [];
  expect(Number(size), packed).toBeGreaterThan(100);
  expect(Number(size)).toBeLessThan(150);
  expect(await planned('small.csv')).not.toContainEqual(expect.stringContaining(' MB '));
});
