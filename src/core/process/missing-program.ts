import { delimiter, join } from 'node:path';
import { systemCode } from '../errors.ts';
import type { Env } from '../io.ts';
import { nodeModule } from './node-module.ts';

/**
 * Whether a program could not be started because no folder of PATH has it. If one of these folders may not be
 * read, the system says `EACCES` then, too.
 *
 * @param thrown the error of `spawn`
 * @param env the environment that the program was given
 */
export function isMissingProgram(program: string, thrown: unknown, { PATH = '' }: Env): boolean {
  if (systemCode(thrown) !== 'EACCES' || program.includes('/')) {
    return systemCode(thrown) === 'ENOENT';
  }
  const { existsSync } = nodeModule('node:fs');
  return !PATH.split(delimiter).some((folder) => existsSync(join(folder, program)));
}
