import type { CommandSpec } from '../../core/command-spec.ts';
import { ProcError } from '../../core/errors.ts';
import { nearest } from '../../core/text/nearest.ts';
import { notOneOf } from '../flags/flag-options.ts';
import { loadTree } from '../tree.ts';
import { tooManyWords } from '../words/too-many-words.ts';

/**
 * Checks WORD in `proc doctor WORD --help`. Without this check, a typo would show help and exit
 * with 0.
 *
 * @param words the words after the noun
 */
export async function refuseHelp(spec: CommandSpec, words: readonly string[]): Promise<void> {
  if (spec.path.length > 1) return;
  const typed = wordsBeforeFlags(words);
  await refuseNoCommand(spec, typed);
  const args = Object.entries(spec.args ?? {});
  for (const [index, word] of typed.entries()) {
    const [name, arg] = args[index] ?? [];
    if (name === undefined && args.at(-1)?.[1].variadic !== true) {
      const { message, hint } = tooManyWords(spec, typed);
      throw new ProcError('invalid_usage', message, { hint });
    }
    const known = arg?.choices ?? arg?.suggest;
    if (known !== undefined && !known.includes(word) && !known.includes(word.toUpperCase())) {
      throw notOneOf(`<${name}>`, word, known);
    }
  }
}

export function asksForHelp(words: readonly string[]): boolean {
  return words.some((word) => word === '--help' || word === '-h');
}

export function wordsBeforeFlags(words: readonly string[]): readonly string[] {
  const flag = words.findIndex((word) => word.startsWith('-'));
  return flag < 0 ? words : words.slice(0, flag);
}

async function refuseNoCommand(spec: CommandSpec, words: readonly string[]): Promise<void> {
  const isCommand = Object.values(spec.args ?? {}).some((arg) => arg.isCommand === true);
  const [first, ...rest] = words;
  if (!isCommand || first === undefined) return;
  const { nouns } = await loadTree();
  const noun = nouns.find(({ name, alias }) => name === first || alias === first);
  const typed = [noun?.name ?? first, ...rest].join(' ');
  const known = new Set(
    nouns.flatMap(({ commands }) =>
      commands.flatMap(({ path }) => path.map((_, at) => path.slice(0, at + 1).join(' '))),
    ),
  );
  if (known.has(typed)) return;
  const near = nearest(typed, known);
  const list = noun === undefined ? 'proc help' : `proc ${noun.name} --help`;
  throw new ProcError('unknown_command', `"${words.join(' ')}" is not a command`, {
    hint:
      near === undefined
        ? `See the help: ${list}`
        : `Did you mean: proc ${spec.path.join(' ')} ${near}`,
  });
}
