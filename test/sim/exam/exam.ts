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
  for (const [name, { breaks }] of Object.entries(MUTANTS)) {
    const seed = await seedThatFinds(name as MutantName);
    if (seed === undefined) missed++;
    say(`${(seed ?? 'MISSED').padStart(6)}  ${name}: ${breaks}`);
  }
  const broken = new Set<string>(Object.values(MUTANTS).map(({ breaks }) => breaks));
  const others = PROMISES.filter((promise) => !broken.has(promise));
  say(`\nno mutant is aimed at:\n  ${others.join('\n  ')}`);
  return missed === 0 ? 0 : 1;
}

function seedThatFinds(name: MutantName): Promise<string | undefined> {
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
    child.once('close', () => resolve(/^seed (\d+) breaks: /m.exec(text)?.[1])),
  );
}
