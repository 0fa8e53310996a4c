import type { CommandSpec } from '../core/command-spec.ts';
import { type ErrorCode, ProcError } from '../core/errors.ts';
import { GLOBAL_FLAGS, sharedFlags } from '../core/global-flags.ts';
import { kebab } from '../core/text/kebab.ts';
import { nearest } from '../core/text/nearest.ts';
import { synonymsBelow } from '../core/text/synonyms.ts';
import { NOUNS } from './registry.ts';
import { loadTree } from './tree.ts';

/** Why a command line cannot be read, and where: after the noun and verb in `path`. */
export type Problem = {
  readonly path: readonly string[];
  /** The words after `proc`. */
  readonly argv: readonly string[];
} & (
  | { readonly kind: 'command'; readonly word: string }
  /** `word` may be `--flag=VALUE`. The error does not repeat the value, which may be a key. */
  | { readonly kind: 'flag'; readonly word: string }
  /** Too many arguments. */
  | { readonly kind: 'words'; readonly words: readonly string[] }
  /** The argument with this index is missing. */
  | { readonly kind: 'argument'; readonly index: number }
  /** The flag is the last word, and has no value. */
  | { readonly kind: 'value'; readonly flag: string }
);

/** The error for a command line that cannot be read. Slow: loads all commands. */
export async function refusal(problem: Problem): Promise<ProcError> {
  const commands = (await loadTree()).nouns.flatMap((noun) => noun.commands);
  const { code, message, hint } = explained(problem, commands);
  const help = `See the help: ${['proc', ...problem.path].join(' ')} --help`;
  const error = new ProcError(code, message, { hint: hint ?? help });
  return withoutStrayKeys(error, problem.argv) as ProcError;
}

interface Explained {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint?: string | undefined;
}

function explained(problem: Problem, commands: readonly CommandSpec[]): Explained {
  const { path } = problem;
  const name = ['proc', ...path].join(' ');
  const spec = commands.find((one) => one.path.join(' ') === path.join(' '));
  const code = 'invalid_usage';
  switch (problem.kind) {
    case 'command': {
      const words = wordsBelow(path, commands);
      const near = nearest(problem.word, words.keys());
      const verbs = [...new Set(words.values())].join(', ');
      // After `proc auth`, the word is often a key.
      const shown = isSecretPlace(path) && near === undefined ? '***' : `"${problem.word}"`;
      return {
        code: 'invalid_usage',
        message: `${name}: there is no command ${shown}`,
        hint:
          near !== undefined
            ? `Did you mean: ${name} ${near}`
            : path.length > 0
              ? `The commands of ${name}: ${verbs}`
              : undefined,
      };
    }
    case 'flag': {
      const flag = /^-[^=]+/.exec(problem.word)?.[0] ?? problem.word;
      const flags = {
        help: undefined,
        version: undefined,
        ...spec?.flags,
        ...(spec && sharedFlags(spec)),
        ...GLOBAL_FLAGS,
      };
      const names = Object.keys(flags).map((key) => `--${kebab(key)}`);
      // Commander refuses a value only if the flag takes none.
      if (flag !== problem.word && names.includes(flag)) {
        return {
          code: 'invalid_usage',
          message: `${flag} takes no value`,
          hint: `Write ${flag}, or leave it out`,
        };
      }
      const near = flag.startsWith('--') ? nearest(flag, names) : undefined;
      return {
        code: 'invalid_usage',
        message: `unknown option '${flag}'`,
        hint: near === undefined ? undefined : `Did you mean ${near}?`,
      };
    }
    case 'words': {
      const names = Object.keys(spec?.args ?? {}).map((one) => `<${kebab(one)}>`);
      const extra = problem.words.slice(names.length);
      const got = isSecretPlace(path)
        ? '***'
        : extra.map((word) => (mayBeKey(word) ? '***' : JSON.stringify(word))).join(', ');
      const taken = names.length === 0 ? 'no arguments' : `only ${names.join(' and ')}`;
      return {
        code,
        message: `${name} takes ${taken}, but ${names.length === 0 ? '' : 'also '}got ${got}`,
        hint: isSecretPlace(path)
          ? `Run it without arguments: ${name}. Other users can see arguments, so never give a key as an argument; pipe it: proc auth login --api-key-stdin < FILE`
          : undefined,
      };
    }
    case 'argument': {
      const [arg, { doc, from, hint }] = Object.entries(spec!.args!)[problem.index]!;
      return {
        code,
        message: `<${kebab(arg)}> is missing: ${doc}`,
        hint: hint ?? (from === undefined ? undefined : `To list them: ${from}`),
      };
    }
    case 'value': {
      const flag = problem.flag.replace(/^-\w, /, '').replace(/ .*/, '');
      return { code, message: `${flag} has no value, expected ${problem.flag.replace(/.* /, '')}` };
    }
  }
}

/** The words that may follow a path, with the names that they stand for: aliases and synonyms too. */
function wordsBelow(
  path: readonly string[],
  commands: readonly CommandSpec[],
): ReadonlyMap<string, string> {
  if (path.length === 0) {
    return new Map(
      NOUNS.flatMap(({ name, aliases = [] }) => [name, ...aliases].map((word) => [word, name])),
    );
  }
  const inside = commands.filter((one) => path.every((word, at) => one.path[at] === word));
  const next = inside.flatMap((one) => one.path[path.length] ?? []);
  return new Map([...next.map((word) => [word, word] as const), ...synonymsBelow(path, inside)]);
}

/** After these nouns, an extra word may be a key, which errors hide. */
function isSecretPlace([noun = '']: readonly string[]): boolean {
  return noun === 'auth' || noun === 'setup';
}

/** Files and runs look like keys, but are none. */
const NO_KEY = /\.(csv|tsv|txt|xlsx|json|ndjson|jsonl|gz|ya?ml)$|^\d{8}-\d{6}-\w+$/i;

/**
 * Whether an unknown word may be a key in the wrong place. Names of commands, flags and environments hardly ever
 * match.
 */
function mayBeKey(word: string): boolean {
  if (NO_KEY.test(word)) return false;
  return (
    /^(?=.*\d)(?=.*[A-Za-z])[\w+/=:.~-]{12,}$/.test(word) || /^[A-Za-z\d+/=_]{24,}$/.test(word)
  );
}

const OF_UNKNOWN_WORDS: ReadonlySet<ErrorCode> = new Set([
  'invalid_usage',
  'invalid_usage',
  'profile_not_found',
  'profile_not_found',
]);

/** Masks typed words that may be a key, because logs keep stderr. */
export function withoutStrayKeys(thrown: unknown, argv: readonly string[]): unknown {
  if (!(thrown instanceof ProcError) || !OF_UNKNOWN_WORDS.has(thrown.code)) return thrown;
  // A word similar to a known name is a typing mistake, not a key.
  if (thrown.hint?.startsWith('Did you mean')) return thrown;
  const secrets = argv.flatMap(valuesIn).filter(mayBeKey);
  // `mayBeKey` matches no character that JSON escapes, so a key can be replaced in JSON text.
  const hide = (text: string) => secrets.reduce((left, one) => left.replaceAll(one, '***'), text);
  const { code, message, hint, details, cause } = thrown;
  return new ProcError(code, hide(message), {
    hint: hint && hide(hint),
    details: details && JSON.parse(hide(JSON.stringify(details))),
    cause,
  });
}

/** Returns the word, or for `-kVALUE` and `--flag=VALUE` the value. */
function valuesIn(word: string): readonly string[] {
  if (!word.startsWith('-')) return [word];
  return [word.startsWith('--') ? word.replace(/^[^=]*=?/, '') : word.slice(2)];
}
