import type { CommandSpec } from '../../core/command-spec.ts';
import { ProcError } from '../../core/errors.ts';
import { asksForHelp, refuseHelp } from '../help/refused-help.ts';
import { ROOT } from './command-place.ts';
import { missingHint } from './missing-argument.ts';
import { takeFlags } from './take-flags.ts';
import { tooManyWords } from './too-many-words.ts';
import { unknownCommand } from './unknown-command.ts';
import { unknownFlag } from './unknown-flag.ts';

/**
 * Checks the words of a command line against the command tree, before commander parses them: nouns, verbs,
 * flags, missing values of flags, and the number of arguments. The values themselves are checked where they
 * are parsed.
 *
 * @param argv the words after `proc`
 * @throws ProcError `unknown_command`, `unknown_flag`, `invalid_usage`
 */
export async function checkWords(argv: readonly string[]): Promise<void> {
  let place = ROOT;
  const global = takeFlags(argv, place);
  let { operands, rest } = global;
  for (;;) {
    const next = place.below.get(operands[0] ?? '');
    if (next === undefined) break;
    place = await next();
    const left = takeFlags(rest, place);
    operands = [...operands.slice(1), ...left.operands];
    rest = left.rest;
  }
  const words = [...operands, ...rest];
  const isHelp = asksForHelp(rest);
  if (rest[0] !== undefined && !isHelp) throw await unknownFlag(rest[0], place, argv);
  const [word] = words;
  const isWord = word !== undefined && !word.startsWith('-');
  // `--version` works with any other words.
  const isVersion = global.taken.has('--version') && !isHelp;
  if (place.below.size > 0 && isWord && !isVersion) throw await unknownCommand(place, word);
  if (place.spec === undefined) return;
  if (isHelp) await refuseHelp(place.spec, words);
  else checkCount(place.spec, words);
}

function checkCount(spec: CommandSpec, words: readonly string[]): void {
  const args = Object.entries(spec.args ?? {});
  for (const [index, [name, { optional }]] of args.entries()) {
    if (optional === true || words[index] !== undefined) continue;
    throw new ProcError('invalid_usage', `missing required argument '${name}'`, {
      hint: missingHint(spec, name),
    });
  }
  if (words.length <= args.length || args.at(-1)?.[1].variadic === true) return;
  const { message, hint } = tooManyWords(spec, words);
  throw new ProcError('invalid_usage', message, { hint });
}
