import { expect, it } from 'vitest';
import { freshWorld, jsonLines } from '../support/run.ts';
import { loggedSandbox } from '../support/service.ts';
import { codes, rowsOf } from './import-service.ts';

/** So many rows take longer, at 8 a second, than the second from one line to the next. */
const ROWS = 20;

it('a slow import tells now and then, off a terminal, how far it is', async () => {
  await using sandbox = await loggedSandbox();
  const world = await freshWorld(sandbox.target);
  const file = await world.file('slow.csv', rowsOf(codes(ROWS)));
  const flags = ['--yes', '--rate', '8/s', '-o', 'table', '--progress', 'json'];
  const ran = await world.run(['items', 'import', file, ...flags]);
  expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
  const told = jsonLines(ran.stderr).map((line) => {
    if (!('progress' in line)) throw new Error(`is no progress: ${JSON.stringify(line)}`);
    return line.progress as { created: number; pending: number };
  });
  expect(told.length).toBeGreaterThanOrEqual(1);
  for (const progress of told) {
    expect(progress).toMatchObject({ rows: ROWS, existing: 0, rejected: 0, unknown: 0 });
    expect(progress.created + progress.pending).toBe(ROWS);
  }
  const created = told.map((progress) => progress.created);
  expect(created).toEqual(created.toSorted((a, b) => a - b));
  expect(created.at(-1)).toBeGreaterThan(0);
});
