import type { CommandSpec } from '../../core/command-spec.ts';
import { ProcError } from '../../core/errors.ts';
import { asksForHelp, refuseHelp } from '../help/refused-help.ts';
import { type Place, ROOT } from './command-place.ts';
import { missingHint } from './missing-argument.ts';
import { takeFlags, type WithoutFlags } from './take-flags.ts';
import { tooManyWords } from './too-many-words.ts';
import { unknownCommand } from './unknown-command.ts';
import { unknownFlag } from './unknown-flag.ts';

interface CheckedWords {
  /** For commander: `--help` comes last, so that it applies to all words before it. */
  readonly argv: readonly string[];
  /** The noun and verb, with aliases replaced. */
  readonly path: readonly string[];
}

/**
 * Checks nouns, verbs, flags and the number of arguments, before commander parses them. Does not
 * check the values of flags.
 *
 * @param argv the words after `proc`
 * @throws ProcError `unknown_command`, `unknown_flag`, `invalid_usage`
 */
export async function checkWords(argv: readonly string[]): Promise<CheckedWords> {
  let place = ROOT;
  const global = takeHelp(argv, place);
  let { operands, rest, asksHelp } = global;
  for (;;) {
    const next = place.below.get(operands[0] ?? '');
    if (next === undefined) break;
    place = await next();
    const left = takeHelp(rest, place);
    operands = [...operands.slice(1), ...left.operands];
    rest = left.rest;
    asksHelp ||= left.asksHelp;
  }
  const words = [...operands, ...rest];
  const isHelp = asksHelp || asksForHelp(rest);
  const [word] = words;
  const isWord = word !== undefined && !word.startsWith('-');
  // With `--version`, an unknown word is not reported.
  const isVersion = global.taken.has('--version') && !isHelp;
  const takesWords = place.below.size === 0 || Object.keys(place.spec?.args ?? {}).length > 0;
  // Reports an unknown word before an unknown flag: the flag may belong to the command that was meant.
  if (!takesWords && isWord && !isVersion) {
    throw await unknownCommand(place, word, operands.slice(1));
  }
  if (rest[0] !== undefined && !isHelp) throw await unknownFlag(rest[0], place, argv);
  if (place.spec !== undefined) {
    if (isHelp) await refuseHelp(place.spec, words);
    else checkCount(place.spec, words);
  }
  const path = place.name.split(' ').slice(1);
  if (!asksHelp) return { path, argv };
  const color = global.taken.get('--color');
  return {
    path,
    argv: [
      ...(color === undefined ? [] : [`--color=${color}`]),
      ...path,
      ...(place.name === 'proc help' ? words : []),
      '--help',
    ],
  };
}

/** Takes the flags of `place`. Also takes `--help` and `-h`, if no unknown flag is before them. */
function takeHelp(
  words: readonly string[],
  place: Place,
): WithoutFlags & { readonly asksHelp: boolean } {
  const left = takeFlags(words, place);
  if (!asksForHelp(left.rest.slice(0, 1))) return { ...left, asksHelp: false };
  const next = takeHelp(left.rest.slice(1), place);
  return {
    operands: [...left.operands, ...next.operands],
    rest: next.rest,
    taken: new Map([...left.taken, ...next.taken]),
    asksHelp: true,
  };
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
