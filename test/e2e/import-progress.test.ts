import { expect, it } from 'vitest';
import { freshWorld, jsonLines } from '../support/run.ts';
import { loggedSandbox } from '../support/service.ts';
import { codes, rowsOf } from './import-service.ts';

/** So many rows take longer, at 8 a second, than the 10 s from one line to the next. */
const ROWS = 92;

async function importSlowly(...flags: readonly string[]): Promise<string> {
  await using sandbox = await loggedSandbox();
  const world = await freshWorld(sandbox.target);
  const file = await world.file('slow.csv', rowsOf(codes(ROWS)));
  const ran = await world.run(['items', 'import', file, '--yes', '--rate', '8/s', ...flags]);
  expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
  return ran.stderr;
}

/** What each line says of the run; a line that is no progress in JSON throws. */
function progressIn(stderr: string): { created: number; pending: number }[] {
  return jsonLines(stderr).map((line) => {
    if (!('progress' in line)) throw new Error(`is no progress: ${JSON.stringify(line)}`);
    return line.progress as { created: number; pending: number };
  });
}

it('a slow import tells now and then, off a terminal, how far it is', async () => {
  const [forScripts, text, json] = await Promise.all([
    importSlowly(),
    importSlowly('-o', 'table'),
    importSlowly('-o', 'table', '--progress', 'json'),
  ]);

  const lines = text.trimEnd().split('\n');
  for (const line of lines) {
    expect(line).toMatch(
      / \d+% \d+\/92 \d+ rows\/s.*, \d+ at once · 0 existing, 0 rejected, 0 in doubt$/,
    );
  }

  for (const stderr of [forScripts, json]) {
    const told = progressIn(stderr);
    expect(told.length).toBeGreaterThanOrEqual(1);
    for (const progress of told) {
      expect(progress).toMatchObject({ rows: ROWS, existing: 0, rejected: 0, unknown: 0 });
      expect(progress.created + progress.pending).toBe(ROWS);
    }
    const created = told.map((progress) => progress.created);
    expect(created).toEqual(created.toSorted((a, b) => a - b));
    expect(created.at(-1)).toBeGreaterThan(0);
  }
  // Every second where it is asked for, else every 10 s.
  expect(progressIn(json).length).toBeGreaterThan(progressIn(forScripts).length);
}, 120_000);
