import type { CommandSpec } from '../../../src/core/command-spec.ts';
import { ProcError } from '../../../src/core/errors.ts';
import { parse } from '../../../src/program.ts';
import { commandsOf, NOUNS } from '../../../src/registry.ts';

/** Every command. */
export const specs: readonly CommandSpec[] = (await Promise.all(NOUNS.map(commandsOf))).flat();

/** Why a command line is refused, with the hint. Undefined if it is read. */
export async function refusal(words: readonly string[]): Promise<string | undefined> {
  try {
    await parse(words);
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof ProcError)) throw thrown;
    return `${thrown.code}: ${thrown.message} → ${thrown.hint}`;
  }
}
