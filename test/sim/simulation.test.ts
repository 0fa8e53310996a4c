import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { beforeAll, describe, expect, it } from 'vitest';
import { MUTANTS } from './exam/mutants.ts';
import { changed } from './machine/loader.ts';
import type { Fixed } from './stories/fixed.ts';
import { LIMITS } from './stories/limits.ts';

const MAIN = join(import.meta.dirname, 'main.ts');
const REGRESSIONS = readdirSync(join(import.meta.dirname, 'regressions')).filter((name) =>
  name.endsWith('.json'),
);

// Runs in a process of its own, because the simulation replaces clocks, timers and SQLite.
const run = (...args: string[]) => execa(process.execPath, [MAIN, ...args], { reject: false });

describe('simulated imports and single writes', () => {
  let result: Fixed;
  beforeAll(async () => {
    const { stdout, stderr } = await run('--fixed');
    expect(stderr).toBe('');
    result = JSON.parse(stdout) as Fixed;
  });

  it('keep every promise within the documented limits', () => {
    const broken = Object.entries(result.seeds).filter(([, promises]) => promises.length > 0);
    expect(broken).toEqual([]);
    expect(Object.keys(result.seeds).length).toBeGreaterThan(20);
  });

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

it.each(Object.entries(MUTANTS))(
  'the source still has the line that a broken program changes: %s',
  (_, mutant) => {
    expect(changed(mutant)).toContain(mutant.becomes);
  },
);

it('finds a program that repeats a create blindly', async () => {
  const { exitCode, stdout } = await run('--mutant', 'repeats a POST blindly', '--seeds', '1-10');
  expect(exitCode).toBe(1);
  expect(stdout).toContain('a second request has proof that the first had no effect');
});
