import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { beforeAll, describe, expect, it } from 'vitest';
import { MUTANTS } from './exam/mutants.ts';
import { changed } from './machine/loader.ts';
import type { Fixed } from './stories/fixed.ts';
import { LIMITS } from './stories/limits.ts';
import { PROMISES } from './stories/promises.ts';

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
  }, 300_000);

  it('keep every promise within the documented limits', () => {
    const broken = Object.entries(result.seeds).filter(([, promises]) => promises.length > 0);
    expect(broken).toEqual([]);
    expect(Object.keys(result.seeds).length).toBeGreaterThan(20);
  });

  it('depend only on the seed', () => {
    expect(result.traces[0]).toMatch(/^[0-9a-f]{16}$/);
    expect(result.traces[1]).toBe(result.traces[0]);
    expect(result.traces[3]).toBe(result.traces[2]);
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

describe('every promise', () => {
  const stories = join(import.meta.dirname, 'stories');
  const sources = readdirSync(stories).map((name) => readFileSync(join(stories, name), 'utf8'));
  const checks = sources.join('').replaceAll(/^ {2}'[^']*':\s/gm, '');

  it.each(Object.keys(PROMISES))('is checked: %s', (promise) => {
    expect(checks).toContain(`'${promise}'`);
  });

  it('has a program that breaks it, among those that --mutants plays', () => {
    const unknown = Object.values(PROMISES).filter((mutant) => !(mutant in MUTANTS));
    expect(unknown).toEqual([]);
  });
});

it('finds a program that repeats a create blindly', async () => {
  const { exitCode, stdout } = await run('--mutant', 'repeats a POST blindly', '--seeds', '1-10');
  expect(exitCode).toBe(1);
  expect(stdout).toContain('a second request has proof that the first had no effect');
});
