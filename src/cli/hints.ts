import type { CommandSpec } from '../core/command-spec.ts';
import type { CommandTree } from '../core/command-tree.ts';
import { type ErrorCode, ProcError } from '../core/errors.ts';
import { GLOBAL_FLAGS, OUTPUT_FORMATS } from '../core/global-flags.ts';
import { kebab } from '../core/text/kebab.ts';
import { equallyNear, nearest } from '../core/text/nearest.ts';
import { closeVerbs, sameVerbs, synonymsBelow } from '../core/text/synonyms.ts';
import { inShell } from '../core/text/typed.ts';
import { EFFECTIVE } from './effects.ts';
import { cannot, flagGuess, guess } from './guesses.ts';
import { loadTree } from './tree.ts';

/** Why a command line cannot be read, and where: after the noun and verb in `path`. */
export type Problem = {
  readonly path: readonly string[];
  /** The words after `proc`. */
  readonly argv: readonly string[];
} & (
  | { readonly kind: 'command'; readonly word: string; readonly after: readonly string[] }
  /** `word` may be `--flag=VALUE`. The error does not repeat the value, which may be a key. */
  | { readonly kind: 'flag'; readonly word: string }
  /** Too many arguments. */
  | { readonly kind: 'words'; readonly words: readonly string[] }
  /** The argument with this index is missing. */
  | { readonly kind: 'argument'; readonly index: number; readonly words: readonly string[] }
  /** The flag is the last word, and has no value. */
  | { readonly kind: 'value'; readonly flag: string }
);

/** The error for a command line that cannot be read. Slow: loads all commands. */
export async function refusal(problem: Problem): Promise<ProcError> {
  const place = new Place(await loadTree(), problem.path);
  const hint = hintFor(problem, place);
  const error = new ProcError(codeOf(problem), messageOf(problem, place), {
    hint: hint ?? `See the help: ${place.isRoot ? 'proc help' : `${place.name} --help`}`,
  });
  return withoutStrayKeys(error, problem.argv) as ProcError;
}

function codeOf({ kind }: Problem): ErrorCode {
  if (kind === 'command') return 'unknown_command';
  return kind === 'flag' ? 'unknown_flag' : 'invalid_usage';
}

function messageOf(problem: Problem, place: Place): string {
  switch (problem.kind) {
    case 'command': {
      const sentence = cannot(problem.path[0] ?? '', problem.word)?.[0];
      if (sentence !== undefined && problem.path.length === 1) return sentence;
      // After `proc auth`, the word is often a key.
      const isSecret = place.name === 'proc auth' && hintFor(problem, place) === undefined;
      return `${place.name}: there is no command ${isSecret ? '***' : `"${problem.word}"`}`;
    }
    case 'flag': {
      const boolean = booleanGiven(problem, place);
      if (boolean !== undefined) return `${boolean.flag} takes no value`;
      return `unknown option '${flagOf(problem.word)}'`;
    }
    case 'words':
      return tooManyWords(place.spec!, problem).message;
    case 'argument': {
      const [name, { doc }] = Object.entries(place.spec!.args!)[problem.index]!;
      return `<${kebab(name)}> is missing: ${doc}`;
    }
    case 'value':
      return `${problem.flag.replace(/^-\w, /, '').replace(/ .*/, '')} has no value, expected ${problem.flag.replace(/.* /, '')}`;
  }
}

/** What the person or program may have meant, or what to do; undefined: see the help. */
function hintFor(problem: Problem, place: Place): string | undefined {
  switch (problem.kind) {
    case 'command':
      return commandHint(problem, place);
    case 'flag':
      return flagHint(problem, place);
    case 'words':
      return tooManyWords(place.spec!, problem).hint;
    case 'argument': {
      const { from, hint } = Object.values(place.spec!.args!)[problem.index]!;
      const meant = splitWords(place.name, problem.words);
      if (meant !== undefined) return `Did you mean: ${meant}`;
      return hint ?? (from === undefined ? undefined : `To list them: ${from}`);
    }
    case 'value': {
      const name = /--[\w-]+/.exec(problem.flag)![0];
      return GLOBAL_NAMES.includes(name) ? 'See the help: proc help flags' : undefined;
    }
  }
}

/** For words that need a space or another word: `proc config set KEY=VALUE`, `proc api /orders/`. */
function splitWords(call: string, [word = '', ...others]: readonly string[]): string | undefined {
  if (others.length > 0 || mayBeKey(word)) return undefined;
  if (call === 'proc api' && word.startsWith('/')) return `proc api GET ${inShell(word)}`;
  const [, key, value = ''] = /^([\w.-]+)=(.+)$/s.exec(word) ?? [];
  if (call === 'proc config set' && key !== undefined) return `${call} ${key} ${inShell(value)}`;
  return undefined;
}

/** Where the words of a command line lead: the root, a noun, a group or a command. */
class Place {
  readonly tree: CommandTree;
  readonly path: readonly string[];
  readonly spec: CommandSpec | undefined;

  constructor(tree: CommandTree, path: readonly string[]) {
    this.tree = tree;
    this.path = path;
    this.spec = this.specs.find((spec) => spec.path.join(' ') === path.join(' '));
  }

  get isRoot(): boolean {
    return this.path.length === 0;
  }

  get name(): string {
    return ['proc', ...this.path].join(' ');
  }

  /** All commands of proc. */
  get specs(): readonly CommandSpec[] {
    return this.tree.nouns.flatMap(({ commands }) => commands);
  }

  /** The words that may follow, aliases and synonyms too, with the words that they stand for. */
  get below(): ReadonlyMap<string, string> {
    if (this.isRoot) {
      return new Map(
        this.tree.nouns.flatMap(({ name, aliases }) =>
          [name, ...aliases].map((word) => [word, name] as const),
        ),
      );
    }
    const inside = this.specs.filter(({ path }) =>
      this.path.every((word, at) => path[at] === word),
    );
    const next = inside.flatMap(({ path }) => path[this.path.length] ?? []);
    return new Map([
      ...next.map((word) => [word, word] as const),
      ...synonymsBelow(this.path, inside),
    ]);
  }

  /** @param word a word of `below` */
  to(word: string): Place | undefined {
    const next = this.below.get(word);
    return next === undefined ? undefined : new Place(this.tree, [...this.path, next]);
  }
}

type Command = Extract<Problem, { kind: 'command' }>;

function commandHint({ path, word, after }: Command, place: Place): string | undefined {
  const way = path.length === 1 ? cannot(path[0]!, word)?.[1] : undefined;
  if (way !== undefined) return way;
  const flag = after.findIndex((one) => one.startsWith('-'));
  const words = [...path, word, ...(flag < 0 ? after : after.slice(0, flag))];
  const meant =
    (words.some(mayBeKey) ? undefined : guess(words)) ??
    (place.isRoot ? place.to(after[0] ?? '')?.to(word)?.name : undefined) ??
    withNext(meantBy(word, place), after, place) ??
    closeTo(place, word) ??
    near(place, word, after) ??
    (place.isRoot ? byVerb(word, after, place) : elsewhere(word, place));
  return meant === undefined ? undefined : `Did you mean: ${meant}`;
}

/** For `proc odrers list`: the command `proc orders list`. */
function near(place: Place, word: string, [next = '']: readonly string[]): string | undefined {
  // If several nouns are similar, prefers a noun that has the next word as a verb.
  const known = [...place.below.keys()].filter((one) => nearest(word, [one]) !== undefined);
  const withVerb = known.filter((one) => place.to(one)!.below.has(next));
  const found = nearest(word, withVerb.length > 0 ? withVerb : place.below.keys());
  if (found === undefined) return undefined;
  const inside = place.to(found)!;
  return inside.to(next)?.name ?? inside.name;
}

/** For `proc history ls`: the command `proc history list`. */
function closeTo(place: Place, word: string): string | undefined {
  const verb = closeVerbs(word).find((one) => place.below.has(one));
  return verb === undefined ? undefined : place.to(verb)!.name;
}

/** For `proc group add`: adds `add` to `proc requisition group`. */
function withNext(
  meant: string | undefined,
  [next = '']: readonly string[],
  { tree }: Place,
): string | undefined {
  if (meant === undefined) return undefined;
  return new Place(tree, meant.split(' ').slice(1)).to(next)?.name ?? meant;
}

/** The command with this verb, if only one command has it. */
function byVerb(
  noun: string,
  [verb = '']: readonly string[],
  { specs }: Place,
): string | undefined {
  // Errors with a suggestion are not masked.
  if (mayBeKey(noun)) return undefined;
  const found = specs.filter(({ path }) => sameVerbs(verb).includes(path.at(-1)!));
  return found.length === 1 ? `proc ${found[0]!.path.join(' ')}` : undefined;
}

/** A command of another noun, if it changes nothing: nobody asked for a write there. */
function elsewhere(word: string, { tree, specs }: Place): string | undefined {
  const meant = meantBy(word, new Place(tree, []));
  const found = specs.find(({ path }) => `proc ${path.join(' ')}` === meant);
  return found?.changes === 'nothing' ? meant : undefined;
}

const MOST_NAMED = 4;

/**
 * Finds commands below a place by a word or its synonym: `proc requisition group` for `proc groups`. Undefined if
 * no command has the word, or too many have it.
 */
function meantBy(word: string, { path: above, specs }: Place): string | undefined {
  const search = (words: readonly string[]): readonly string[] => {
    const found = new Set<string>();
    for (const { path } of specs) {
      const at = path.findIndex((one) => words.includes(one));
      const isBelow = above.every((one, index) => path[index] === one);
      if (at > 0 && at >= above.length && isBelow) found.add(path.slice(0, at + 1).join(' '));
    }
    return [...found];
  };
  for (const words of [[word], [word.replace(/s$/, '')], sameVerbs(word)]) {
    const [first, ...others] = search(words);
    if (first === undefined) continue;
    if (others.length >= MOST_NAMED) return undefined;
    return others.length === 0 ? `proc ${first}` : `proc ${first} (or ${others.join(', ')})`;
  }
  return undefined;
}

/** The command that is meant by words after `proc help`, for a hint. */
export async function helpMeant(
  path: readonly string[],
  word: string,
  topics: readonly string[],
): Promise<string | undefined> {
  const place = new Place(await loadTree(), path);
  const candidates = [...place.below.keys(), ...(place.isRoot ? topics : [])];
  const close = nearest(word, candidates);
  const meant =
    meantBy(word, place) ?? (close === undefined ? undefined : `${place.name} ${close}`);
  return meant?.replace('proc', 'proc help');
}

type FlagProblem = Extract<Problem, { kind: 'flag' }>;

function flagHint(problem: FlagProblem, place: Place): string | undefined {
  const { argv, word } = problem;
  const boolean = booleanGiven(problem, place);
  if (boolean !== undefined) {
    return boolean.isYes ? `Write ${boolean.flag}` : `Leave ${boolean.flag} out`;
  }
  if (place.name === 'proc sandbox exec') return separated(argv);
  const flag = flagOf(word);
  const command = place.spec ?? commandIn(argv, place.tree);
  return (
    (place.spec === undefined && command !== undefined ? moved(argv, flag, command) : undefined) ??
    meantFlag(problem, command, place) ??
    nearFlag(flag, place)
  );
}

/** `--limit` for `--limit=3`. */
function flagOf(word: string): string {
  return /^-[^=]+/.exec(word)?.[0] ?? word;
}

/** For `--dry-run=true` and `-y=1`: the flag, which has no value. Commander gives `-=1` for the latter. */
function booleanGiven(
  { word, argv }: FlagProblem,
  { spec }: Place,
): { readonly flag: string; readonly isYes: boolean } | undefined {
  const typed = word.startsWith('-=')
    ? argv.find((one) => /^-\w=/.test(one) && one.endsWith(word.slice(1)))
    : word;
  const [, flag, value = ''] = /^(--?[\w-]+)=(.*)$/s.exec(typed ?? '') ?? [];
  if (flag === undefined) return undefined;
  return isBoolean(flag, spec) ? { flag, isYes: !NO.test(value) } : undefined;
}

const NO = /^(false|0|no|off|)$/i;
const YES = /^(true|1|yes|on)$/i;

/** @param flag as typed: `--yes` or `-y` */
function isBoolean(flag: string, spec: CommandSpec | undefined): boolean {
  const flags = [
    ['help', { kind: 'boolean', short: 'h' }] as const,
    ['version', { kind: 'boolean', short: 'V' }] as const,
    ...Object.entries({ ...GLOBAL_FLAGS, ...spec?.flags } as NonNullable<CommandSpec['flags']>),
  ];
  return flags.some(
    ([key, { kind, short }]) =>
      kind === 'boolean' && (flag === `--${kebab(key)}` || flag === `-${short}`),
  );
}

/**
 * For `sandbox exec CMD --flag`: the hint to put `--` before CMD. If a flag comes before CMD, there is no hint,
 * because the flag may be meant for `sandbox exec`.
 */
function separated(argv: readonly string[]): string | undefined {
  const first = argv.indexOf('exec') + 1;
  if (argv[first] === undefined || argv[first].startsWith('-')) return undefined;
  const line = [...argv.slice(0, first), '--', ...argv.slice(first)].map(inShell).join(' ');
  return `Put -- before the command: proc ${line}`;
}

/** The longest command whose words occur in `argv` in the same order. */
function commandIn(argv: readonly string[], { nouns }: CommandTree): CommandSpec | undefined {
  let found: CommandSpec | undefined;
  for (const { name, aliases, commands } of nouns) {
    const words = argv.map((word) => (aliases.includes(word) ? name : word));
    for (const spec of commands) {
      if (spec.path.length > (found?.path.length ?? 0) && follow(spec.path, words)) found = spec;
    }
  }
  return found;
}

function follow(path: readonly string[], words: readonly string[]): boolean {
  let from = 0;
  for (const word of path) {
    const at = words.indexOf(word, from);
    if (at < 0) return false;
    from = at + 1;
  }
  return true;
}

/** For `proc orders --limit 3 list`: the hint to put the flag after the verb. */
function moved(
  argv: readonly string[],
  flag: string,
  { path, flags = {} }: CommandSpec,
): string | undefined {
  const own = Object.entries(flags).find(
    ([key, { short }]) => flag === `--${kebab(key)}` || flag === `-${short}`,
  );
  if (own === undefined) return undefined;
  const at = argv.findIndex((word) => word === flag || word.startsWith(`${flag}=`));
  const takesNext = own[1].kind !== 'boolean' && argv[at] === flag;
  const words = argv.slice(at, at + (takesNext ? 2 : 1));
  const rest = argv.filter((_, index) => index < at || index >= at + words.length);
  const verb = rest.lastIndexOf(path.at(-1)!) + 1;
  const line = [...rest.slice(0, verb), ...words, ...rest.slice(verb)].map(inShell).join(' ');
  return `Put the flag after the verb: proc ${line}`;
}

/** For flags of other programs. */
function meantFlag(
  { word, argv, path }: FlagProblem,
  spec: CommandSpec | undefined,
  place: Place,
): string | undefined {
  const flag = flagOf(word);
  const after = argv[argv.indexOf(word) + 1];
  const joined = word === flag ? undefined : word.slice(flag.length + 1);
  const given = joined ?? (after?.startsWith('-') === false ? after : undefined);
  const value = given !== undefined && mayBeKey(given) ? undefined : given;
  const [noun = path[0]] = spec?.path ?? [];
  const own = new Set(Object.keys(place.spec?.flags ?? {}).map((key) => `--${kebab(key)}`));
  const meant =
    flagGuess({ noun, verb: spec?.path.at(-1), flag, value, argv }) ??
    shapingFlag(flag, value, spec);
  // What stands for a flag that the command has is this flag.
  if (meant === undefined || own.has(flag)) return undefined;
  return /^(proc|echo) /.test(meant) ? `Did you mean: ${meant}` : `Did you mean ${meant}?`;
}

const SHAPING: Readonly<Record<string, 'where' | 'query' | 'fields' | 'output'>> = {
  '--format': 'output',
  '-f': 'output',
  '--fmt': 'output',
  '--type': 'output',
  '--filter': 'where',
  '--jq': 'query',
  '--jmespath': 'query',
  '--columns': 'fields',
  '--select': 'fields',
};

/** Flags that shape output, if they have an effect: `-o json` for `--json`. */
function shapingFlag(
  flag: string,
  value: string | undefined,
  spec: CommandSpec | undefined,
): string | undefined {
  const isFormat = OUTPUT_FORMATS.some((format) => flag === `--${format}`);
  const key = isFormat ? 'output' : Object.hasOwn(SHAPING, flag) ? SHAPING[flag] : undefined;
  if (key === undefined || (spec !== undefined && !EFFECTIVE[spec.prints].includes(key))) {
    return undefined;
  }
  switch (key) {
    case 'output': {
      const format = isFormat ? flag.slice(2) : OUTPUT_FORMATS.find((one) => one === value);
      if (flag === '-f' && format === undefined) return undefined;
      return `-o ${format ?? OUTPUT_FORMATS.join('|')}`;
    }
    case 'where':
      return `--where ${value?.includes('=') ? inShell(value) : "'FIELD=VALUE'"}`;
    default:
      return `--${key} ${value === undefined ? 'VALUE' : inShell(value)}`;
  }
}

const GLOBAL_NAMES = Object.keys(GLOBAL_FLAGS).map((key) => `--${kebab(key)}`);

/** A flag with a similar name: the command's own first. */
function nearFlag(flag: string, { spec }: Place): string | undefined {
  if (!flag.startsWith('--')) return undefined;
  const own = [...Object.keys(spec?.flags ?? {}).map(kebab), 'help', 'version'];
  const found = equallyNear(flag.slice(2), own).map((name) => `--${name}`);
  const [first, ...others] = found;
  const near = nearest(flag, [...(others.length === 0 ? found : []), ...GLOBAL_NAMES]);
  const meant = near ?? (others.length === 0 ? first : `one of ${found.join(', ')}`);
  return meant === undefined ? undefined : `Did you mean ${meant}?`;
}

/** After these nouns, an extra word may be a key. Errors hide the word, unless it is similar to a flag. */
const SECRET: ReadonlySet<string> = new Set(['auth', 'setup']);

/** If a command has more flags, the hint does not list them. */
const MOST_LISTED = 4;

function tooManyWords(
  spec: CommandSpec,
  { words, argv }: Extract<Problem, { kind: 'words' }>,
): { readonly message: string; readonly hint: string } {
  const { path, args = {}, flags = {} } = spec;
  const names = Object.keys(args).map((name) => `<${kebab(name)}>`);
  const extra = words.slice(names.length);
  const call = `proc ${path.join(' ')}`;
  // For `--dry-run true`.
  const before = argv[argv.indexOf(extra[0]!) - 1];
  if (
    before !== undefined &&
    isBoolean(before, spec) &&
    (YES.test(extra[0]!) || NO.test(extra[0]!))
  ) {
    const hint = NO.test(extra[0]!) ? `Leave ${before} out` : `Write ${before}`;
    return { message: `${before} takes no value, but got "${extra[0]}"`, hint };
  }
  const taken = names.length === 0 ? 'no arguments' : `only ${names.join(' and ')}`;
  const own = Object.keys(flags).map((key) => `--${kebab(key)}`);
  // Finds `--quick` for `proc doctor quick`.
  const flag = nearest(`--${extra[0]?.replace(/^-+/, '')}`, [...own, '--help']);
  const isSecret = SECRET.has(path[0]!) && flag === undefined;
  const shown = (word: string) => (mayBeKey(word) ? '***' : JSON.stringify(word));
  const got = isSecret ? '***' : extra.map(shown).join(', ');
  return {
    message: `${call} takes ${taken}, but ${names.length === 0 ? '' : 'also '}got ${got}`,
    hint: isSecret
      ? `Run it without arguments: ${call}. Other users can see arguments, so never give a key as an argument; pipe it: proc auth login --api-key-stdin < FILE`
      : flag !== undefined
        ? `Did you mean: ${call} ${flag}`
        : (wordsMeant(spec, words) ?? ownFlags(call, own)),
  };
}

/** For words that belong to another command, or together: `items list "hex bolt"`. */
function wordsMeant(
  { path, args = {}, flags = {} }: CommandSpec,
  words: readonly string[],
): string | undefined {
  if (words.some(mayBeKey) || words.includes('')) return undefined;
  const call = `Did you mean: proc ${path.join(' ')}`;
  const fields = words.map((word) => /^([\w-]+)=(.*)$/s.exec(word));
  const isField = (key: string) =>
    Object.keys(flags).some((one) => key === one || key === kebab(one));
  if (fields.every((field) => field !== null && isField(field[1]!))) {
    const typed = fields.map((field) => `--${kebab(field![1]!)} ${inShell(field![2]!)}`);
    return `${call} ${typed.join(' ')}`;
  }
  const count = /^-(\d+)$/.exec(words[0]!)?.[1];
  if (count !== undefined && 'limit' in flags) return `${call} --limit ${count}`;
  const text = words.join(' ');
  const first = words[0]!;
  switch (path.join(' ')) {
    case 'items list':
    case 'orders list':
    case 'sectors list':
    case 'history list':
      return `Did you mean: ${call} ${inShell(text)}`;
    case 'api':
      return words.slice(Object.keys(args).length).every((word) => word.includes('='))
        ? `${call} ${words.map((word, at) => `${at < 2 ? '' : '-f '}${inShell(word)}`).join(' ')}`
        : undefined;
    case 'items import':
    case 'requisition import':
    case 'imputations import':
      return `Import one file at a time: proc ${path[0]} import ${inShell(first)}`;
    case 'items create':
      return `Did you mean: proc items create --name ${inShell(text)}`;
    case 'requisition create':
      return `Did you mean: proc requisition create --file ${inShell(first)}`;
    default:
      return undefined;
  }
}

function ownFlags(call: string, own: readonly string[]): string {
  const help = `${call} --help`;
  if (own.length === 0) return 'It takes only the global flags: proc help flags';
  if (own.length > MOST_LISTED) return `See the flags that it takes: ${help}`;
  if (own.length === 1) return `Its flag is ${own[0]}. See what it does: ${help}`;
  return `Its flags are ${own.join(', ')}. See what they do: ${help}`;
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
  'unknown_command',
  'unknown_flag',
  'profile_not_found',
  'environment_not_found',
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
