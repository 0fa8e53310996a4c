import type { CommandSpec } from '../../core/command-spec.ts';
import { kebab } from '../../core/text/kebab.ts';
import { nearest } from '../../core/text/nearest.ts';
import { looksLikeKey } from './key-like.ts';

/** After these nouns, an extra word may be a key. Errors hide the word, unless it is similar to a flag. */
const SECRET: ReadonlySet<string> = new Set(['auth', 'setup']);

/** If a command has more flags, the hint does not list them. */
const MOST_LISTED = 4;

export interface TooManyWords {
  readonly message: string;
  readonly hint: string;
}

export function tooManyWords(
  { path, args = {}, flags = {} }: CommandSpec,
  words: readonly string[],
): TooManyWords {
  const names = Object.keys(args).map((name) => `<${kebab(name)}>`);
  const extra = words.slice(names.length);
  const call = `proc ${path.join(' ')}`;
  const taken = names.length === 0 ? 'no arguments' : `only ${names.join(' and ')}`;
  const own = Object.keys(flags).map((key) => `--${kebab(key)}`);
  // Finds `--quick` for `proc doctor quick`.
  const meant = nearest(`--${extra[0]?.replace(/^-+/, '')}`, [...own, '--help']);
  const help = `${call} --help`;
  const isSecret = SECRET.has(path[0]!) && meant === undefined;
  const shown = (word: string) => (looksLikeKey(word) ? '***' : JSON.stringify(word));
  const got = isSecret ? '***' : extra.map(shown).join(', ');
  return {
    message: `${call} takes ${taken}, but ${names.length === 0 ? '' : 'also '}got ${got}`,
    hint: isSecret
      ? `Run it without arguments: ${call}. Other users can see arguments, so never give a key as an argument; pipe it: proc auth login --api-key-stdin < FILE`
      : meant !== undefined
        ? `Did you mean: ${call} ${meant}`
        : own.length === 0
          ? 'It takes only the global flags: proc help flags'
          : own.length > MOST_LISTED
            ? `See the flags that it takes: ${help}`
            : own.length === 1
              ? `Its flag is ${own[0]}. See what it does: ${help}`
              : `Its flags are ${own.join(', ')}. See what they do: ${help}`,
  };
}
