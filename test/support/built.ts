import { createRequire } from 'node:module';
import { join } from 'node:path';
import { inject } from 'vitest';
import type { main } from '../../src/main.ts';

export function binary(): string {
  const built = inject('built');
  if (built === undefined)
    throw new Error('test/unit has no built program: a test that runs it belongs into test/e2e');
  if ('failure' in built) throw new Error(`proc could not be built:\n${built.failure}`);
  return built.binary;
}

/** Shell variables: the words `"$NODE" "$PROC"` start the program. */
export function programVariables(): { readonly NODE: string; readonly PROC: string } {
  return { NODE: process.execPath, PROC: binary() };
}

/** The program as quoted words for sh. */
export function programWords(): string {
  return `'${process.execPath}' '${binary()}'`;
}

/** The built `main` for a command line. Completion (`__complete`) has its own. */
export function builtMain([first]: readonly string[] = []): typeof main {
  const program = first === '__complete' ? 'complete' : 'main';
  return createRequire(import.meta.url)(join(binary(), `../../dist/${program}.cjs`)).main;
}
