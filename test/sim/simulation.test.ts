import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { sim } from './play.ts';
import { PROMISES } from './promises/promises.ts';
import type { Fixed } from './stories/fixed.ts';
import { LIMITS } from './stories/limits.ts';

const REGRESSIONS = readdirSync(join(import.meta.dirname, 'regressions')).filter((name) =>
  name.endsWith('.json'),
);

describe('simulated imports and single writes', () => {
  let result: Fixed;
  beforeAll(async () => {
    const { stdout, stderr } = await sim('--fixed');
    expect(stderr).toBe('');
    result = JSON.parse(stdout) as Fixed;
  }, 300_000);

  it('depend only on the seed', () => {
    expect(result.traces[0]).toMatch(/^[0-9a-f]{16}$/);
    expect(result.traces[1]).toBe(result.traces[0]);
  });

  it.each(Object.entries(LIMITS))('break a promise beyond the limits: %s', (name, { breaks }) => {
    expect(result.limits[name]).toContain(breaks);
  });

  it.each(REGRESSIONS)('keep every promise in a story that once broke one: %s', (file) => {
    expect(result.regressions[file]).toEqual([]);
  });
});

describe('every promise', () => {
  const sources = ['stories', 'promises'].flatMap((folder) =>
    readdirSync(join(import.meta.dirname, folder)).map((name) =>
      readFileSync(join(import.meta.dirname, folder, name), 'utf8'),
    ),
  );
  // Without the lists of names.
  const checks = sources.join('').replaceAll(/^ {2}'[^']*',$/gm, '');

  it.each(PROMISES)('is checked: %s', (promise) => {
    expect(checks).toContain(`'${promise}'`);
  });
});

it('finds a write that leaves twice', async () => {
  const { exitCode, stdout } = await sim('--mutant', 'a write leaves twice', '--seeds', '1-10');
  expect(exitCode).toBe(1);
  expect(stdout).toContain('a second request has proof that the first had no effect');
});
