import { createRequire } from 'node:module';
import { join } from 'node:path';
import { inject } from 'vitest';
import type { main } from '../../src/main.ts';

/** The built binary (see `build.ts`). */
export function binary(): string {
  const built = inject('built');
  if ('failure' in built) throw new Error(`proc could not be built:\n${built.failure}`);
  return built.binary;
}

/** The module that the binary loads for these words: `main` as it is shipped. */
export function builtMain([first]: readonly string[] = []): typeof main {
  const program = first === '__complete' ? 'complete' : 'main';
  return createRequire(import.meta.url)(join(binary(), `../../dist/${program}.cjs`)).main;
}
