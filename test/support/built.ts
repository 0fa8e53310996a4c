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

/** What to start, e.g. `node` with the path of `bin/proc.js` as its first argument. */
interface Program {
  readonly file: string;
  readonly args: readonly string[];
}

/** What tests start as a process: the built binary, or the release artefact that `PROC_UNDER_TEST` names. */
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

/** Shell variables: the words `"$NODE" "$PROC"` start the program. */
export function programVariables(): { readonly NODE: string; readonly PROC: string } {
  const artefact = artefactUnderTest();
  return artefact === undefined
    ? { NODE: process.execPath, PROC: binary() }
    : { NODE: '/usr/bin/env', PROC: artefact };
}

/** The program as quoted words for sh. */
export function programWords(): string {
  const { NODE, PROC } = programVariables();
  return `'${NODE}' '${PROC}'`;
}

/** The built `main` for a command line. Completion (`__complete`) has its own. */
export function builtMain([first]: readonly string[] = []): typeof main {
  const program = first === '__complete' ? 'complete' : 'main';
  return createRequire(import.meta.url)(join(binary(), `../../dist/${program}.cjs`)).main;
}
