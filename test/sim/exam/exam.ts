import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { changed } from '../machine/loader.ts';
import { PROMISES } from '../stories/promises.ts';
import { isMutant, MOST_SEEDS, MUTANTS, type MutantName } from './mutants.ts';

interface Question {
  readonly mutant: MutantName;
  /** Undefined: any promise. */
  readonly promise?: string;
}

/**
 * Plays stories of each mutant until one breaks the promise that stands or falls with it. Returns 0 if all
 * promises break and all mutants are detected, else 1.
 */
export async function examine(say: (text: string) => void): Promise<number> {
  for (const mutant of Object.values(MUTANTS)) changed(mutant);
  const named = new Set<string>(Object.values(PROMISES));
  const others = Object.keys(MUTANTS).filter((name) => !named.has(name));
  const questions: Question[] = [
    ...Object.entries(PROMISES).map(([promise, mutant]) => ({ mutant, promise })),
    ...others.filter(isMutant).map((mutant) => ({ mutant })),
  ];
  let missed = 0;
  for (const question of questions) {
    const found = await tried(question);
    if (found === undefined) missed++;
    const promise = found?.promise ?? question.promise ?? '';
    say(`${(found?.seed ?? 'MISSED').padStart(6)}  ${promise}\n        ${question.mutant}`);
  }
  return missed === 0 ? 0 : 1;
}

function tried({
  mutant,
  promise,
}: Question): Promise<{ seed: string; promise: string } | undefined> {
  const { meetings, team } = MUTANTS[mutant];
  const which = meetings !== undefined ? ['--meetings'] : team ? ['--team'] : [];
  const seeds = [...which, '--seeds', meetings ?? `1-${MOST_SEEDS}`];
  const wanted = promise === undefined ? [] : ['--promise', promise];
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, '../main.ts'), '--mutant', mutant, ...wanted, ...seeds],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let text = '';
  child.stdout.on('data', (chunk) => {
    text += chunk;
  });
  return new Promise((resolve) =>
    child.once('close', () => {
      const [, seed, broken] = /^seed (\d+) breaks: (.*)$/m.exec(text) ?? [];
      resolve(seed === undefined || broken === undefined ? undefined : { seed, promise: broken });
    }),
  );
}
