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

/** How to start a program: a file and the words before its own. */
interface Program {
  readonly file: string;
  readonly args: readonly string[];
}

/**
 * What tests start as a process: the built binary, or the artefact of a release that `PROC_UNDER_TEST` names,
 * e.g. the launcher of a portable archive.
 */
export function program(): Program {
  const artefact = artefactUnderTest();
  return artefact === undefined
    ? { file: process.execPath, args: [binary()] }
    : { file: artefact, args: [] };
}

export function artefactUnderTest(): string | undefined {
  const named = process.env.PROC_UNDER_TEST ?? '';
  return named === '' ? undefined : named;
}

/** The variables of a shell in which `"$NODE" "$PROC"` is the program. */
export function programVariables(): { readonly NODE: string; readonly PROC: string } {
  const artefact = artefactUnderTest();
  return artefact === undefined
    ? { NODE: process.execPath, PROC: binary() }
    : { NODE: '/usr/bin/env', PROC: artefact };
}

/** The program as words of sh. */
export function programWords(): string {
  const { NODE, PROC } = programVariables();
  return `'${NODE}' '${PROC}'`;
}

/** The module that the binary loads for these words: `main` as it is shipped. */
export function builtMain([first]: readonly string[] = []): typeof main {
  const program = first === '__complete' ? 'complete' : 'main';
  return createRequire(import.meta.url)(join(binary(), `../../dist/${program}.cjs`)).main;
}
