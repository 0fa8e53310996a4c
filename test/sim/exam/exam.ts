import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { PROMISES } from '../promises/promises.ts';
import { MUTANTS, type MutantName } from './mutants.ts';

/** The most stories to play for a mutant. */
const MOST_SEEDS = 400;

/**
 * Plays stories with each mutant until one breaks the promise that it should break. Returns 0 if all mutants are
 * found, else 1.
 */
export async function examine(say: (text: string) => void): Promise<number> {
  let missed = 0;
  const broken = new Set<string>();
  for (const [name, { breaks }] of Object.entries(MUTANTS)) {
    const { seed, all } = await tried(name as MutantName);
    for (const promise of all) broken.add(promise);
    if (seed === undefined) missed++;
    say(`${(seed ?? 'MISSED').padStart(6)}  ${name}: ${breaks}`);
  }
  const others = PROMISES.filter((promise) => !broken.has(promise));
  say(`\nno mutant breaks:\n  ${others.join('\n  ')}`);
  return missed === 0 ? 0 : 1;
}

interface Tried {
  /** Of the story that breaks the promise that the mutant should break. */
  readonly seed: string | undefined;
  /** Every promise that broke until then. */
  readonly all: readonly string[];
}

function tried(name: MutantName): Promise<Tried> {
  const { breaks, which } = MUTANTS[name];
  const stories = which === undefined ? [] : [`--${which}`];
  const child = spawn(
    process.execPath,
    [
      join(import.meta.dirname, '../main.ts'),
      ...['--mutant', name, '--promise', breaks, ...stories, '--seeds', `1-${MOST_SEEDS}`],
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let text = '';
  child.stdout.on('data', (chunk) => {
    text += chunk;
  });
  return new Promise((resolve) =>
    child.once('close', () => {
      const [, seed] = /^seed (\d+) breaks: /m.exec(text) ?? [];
      const [, all = ''] = /^breaks in all: (.*)$/m.exec(text) ?? [];
      resolve({ seed, all: all.split('; ') });
    }),
  );
}
