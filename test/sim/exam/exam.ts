import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { changed } from '../machine/loader.ts';
import { MOST_SEEDS, MUTANTS } from './mutants.ts';

/** Runs each mutant until a story breaks a promise. Returns 0 if stories detect all mutants, else 1. */
export async function examine(say: (text: string) => void): Promise<number> {
  for (const mutant of Object.values(MUTANTS)) changed(mutant);
  let missed = 0;
  for (const name of Object.keys(MUTANTS)) {
    const found = await tried(name);
    if (found === undefined) missed++;
    say(
      `${(found?.seed ?? 'MISSED').padStart(6)}  ${name}${found === undefined ? '' : `: ${found.promise}`}`,
    );
  }
  return missed === 0 ? 0 : 1;
}

function tried(name: string): Promise<{ seed: string; promise: string } | undefined> {
  const meetings = MUTANTS[name]?.meetings;
  const seeds =
    meetings === undefined ? ['--seeds', `1-${MOST_SEEDS}`] : ['--meetings', '--seeds', meetings];
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, '../main.ts'), '--mutant', name, ...seeds],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let text = '';
  child.stdout.on('data', (chunk) => {
    text += chunk;
  });
  return new Promise((resolve) =>
    child.once('close', () => {
      const [, seed, promise] = /^seed (\d+) breaks: (.*)$/m.exec(text) ?? [];
      resolve(seed === undefined || promise === undefined ? undefined : { seed, promise });
    }),
  );
}
