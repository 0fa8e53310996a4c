import { flagValues } from '../../../src/cli/flags/flag-options.ts';
import { parse } from '../../../src/cli/parse.ts';
import { NOUNS } from '../../../src/cli/registry.ts';
import type { CommandSpec } from '../../../src/core/command-spec.ts';
import { ProcError } from '../../../src/core/errors.ts';
import { GLOBAL_FLAGS } from '../../../src/core/global-flags.ts';

/** Every command. */
export const specs: readonly CommandSpec[] = (
  await Promise.all(NOUNS.map((noun) => noun.load()))
).flat();

/** Why a command line is refused, with the hint. Undefined if it is read. */
export async function refusal(words: readonly string[]): Promise<string | undefined> {
  try {
    const parsed = await parse(words);
    if (parsed.kind !== 'run') return undefined;
    flagValues(GLOBAL_FLAGS, parsed.globals);
    flagValues(parsed.command.flags ?? {}, parsed.flags);
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof ProcError)) throw thrown;
    return `${thrown.code}: ${thrown.message} → ${thrown.hint}`;
  }
}
