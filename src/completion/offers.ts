import type {
  ArgSpecs,
  CommandSpec,
  FlagSpec,
  FlagSpecs,
  PairSpecs,
} from '../core/command-spec.ts';
import type { CommandTree, NounTree } from '../core/command-tree.ts';
import { kebab } from '../core/text/kebab.ts';

export type Candidate = readonly [text: string, doc: string];

export type Offer =
  /** With `isList`, several words separated by commas. */
  | { readonly kind: 'words'; readonly words: readonly string[]; readonly isList?: true }
  /** Stored values; with `files`, file names too; with `isList`, several separated by commas. */
  | {
      readonly kind: 'lookup';
      readonly lookup: string;
      readonly files?: boolean;
      readonly isList?: true;
    }
  /**
   * `key=value`. `pairs`: several, separated by commas. `pair`: one. `by`: the key is the previous
   * word, and only the value is typed.
   */
  | { readonly kind: 'pairs' | 'pair' | 'by'; readonly pairs: PairSpecs }
  /** `field=value`, with the fields and statuses that lists of the noun showed. */
  | { readonly kind: 'condition' }
  | { readonly kind: 'file' }
  | { readonly kind: 'anything' };

export interface FlagModel {
  readonly names: readonly string[];
  readonly doc: string;
  readonly value?: Offer;
}

interface PathModel {
  readonly children?: readonly Candidate[];
  readonly flags?: readonly FlagModel[];
  readonly args?: readonly Offer[];
  readonly variadic?: boolean;
  /** Positions of global flags without effect here, e.g. flags for writes. They are not offered. */
  readonly hides?: readonly number[];
}

/** The command tree as plain data, which the build stores in the bundle. */
export interface Model {
  /** Keyed by command path, e.g. `requisition group add`; `''` for `proc` itself. */
  readonly paths: Readonly<Record<string, PathModel>>;
  readonly globals: readonly FlagModel[];
  /** Alias of a noun → its name: `order` → `orders`. */
  readonly aliases: Readonly<Record<string, string>>;
}

/** @param isIdle whether a global flag has no effect on a command */
export function modelOf(
  tree: CommandTree,
  isIdle: (spec: CommandSpec, flag: string) => boolean,
): Model {
  const globals = Object.keys(tree.globals);
  const hides = (spec: CommandSpec) =>
    globals.flatMap((key, at) => (isIdle(spec, key) ? [at] : []));
  const root: PathModel = {
    children: tree.nouns.map(({ name, summary }) => [name, summary]),
    flags: [{ names: ['--version', '-V'], doc: 'print the version of proc' }],
  };
  const nouns = new Map(tree.nouns.flatMap((noun) => [...nounPaths(noun, hides)]));
  return {
    paths: {
      '': root,
      ...Object.fromEntries(nouns),
    },
    globals: [...flagModels(tree.globals), { names: ['--help', '-h'], doc: 'help on the command' }],
    aliases: Object.fromEntries(
      tree.nouns.flatMap(({ name, aliases }) => aliases.map((alias) => [alias, name])),
    ),
  };
}

function nounPaths(
  { name, groups, commands }: NounTree,
  hides: (spec: CommandSpec) => readonly number[],
): Map<string, PathModel> {
  const paths = new Map<string, PathModel>([[name, {}]]);
  for (const spec of commands) {
    const { path: words, summary, args = {}, flags = {} } = spec;
    addChildren(paths, words, (word) => groups[word] ?? word, summary);
    const path = words.join(' ');
    paths.set(path, {
      ...paths.get(path),
      flags: flagModels(flags),
      args: Object.entries(args).map(([arg, spec]) => offerOfArg(arg, spec)),
      variadic: Object.values(args).at(-1)?.variadic === true,
      hides: hides(spec),
    });
  }
  return paths;
}

function addChildren(
  paths: Map<string, PathModel>,
  words: readonly string[],
  docOf: (word: string) => string,
  doc: string,
): void {
  for (const [depth, word] of words.entries()) {
    const path = words.slice(0, depth + 1).join(' ');
    if (!paths.has(path)) paths.set(path, {});
    if (depth === 0) continue;
    const above = words.slice(0, depth).join(' ');
    const { children = [], ...rest } = paths.get(above)!;
    if (children.some(([name]) => name === word)) continue;
    const own = depth === words.length - 1 ? doc : docOf(word);
    paths.set(above, { ...rest, children: [...children, [word, own]] });
  }
}

function flagModels(specs: FlagSpecs): FlagModel[] {
  return Object.entries(specs).map(([key, spec]) => ({
    names: [`--${kebab(key)}`, ...(spec.short === undefined ? [] : [`-${spec.short}`])],
    doc: spec.doc,
    ...(spec.kind === 'boolean' ? {} : { value: offerOfFlag(key, spec) }),
  }));
}

/** Look-ups by the name of a flag, or by the name of an argument that has no `from`. */
const NAMED: Readonly<Record<string, string>> = {
  profile: 'profiles',
  env: 'environments',
  order: 'orders',
  item: 'items',
  sector: 'sectors',
  address: 'addresses',
  deliverTo: 'addresses',
  requisition: 'requisitions',
  group: 'groups',
  line: 'lines',
  run: 'runs',
};

/**
 * Look-ups by the `from` of an argument. For any other `from`, the look-up has the name of its noun: `orders`
 * for `proc orders list`.
 */
const LISTED: Readonly<Record<string, string>> = {
  'proc imports list': 'runs',
  'proc requisition list': 'earlier',
  'proc profile list': 'profiles',
};

/** Flags whose values are fields or statuses that a list showed, by name. */
const SEEN: Readonly<Record<string, Offer>> = {
  status: { kind: 'lookup', lookup: 'statuses', isList: true },
  fields: { kind: 'lookup', lookup: 'fields', isList: true },
  orderBy: { kind: 'lookup', lookup: 'fields' },
  where: { kind: 'condition' },
  for: { kind: 'condition' },
};

function offerOfFlag(key: string, spec: FlagSpec): Offer {
  if (Object.hasOwn(SEEN, key)) return SEEN[key]!;
  if (spec.pairs !== undefined) return { kind: 'pairs', pairs: spec.pairs };
  if (spec.value === 'earlier') return { kind: 'lookup', lookup: 'earlier', files: true };
  if (spec.kind === 'choice') return { kind: 'words', words: spec.choices };
  if (spec.kind === 'strings' && spec.choices !== undefined) {
    return { kind: 'words', words: Object.keys(spec.choices), isList: true };
  }
  if (spec.value === 'file') return { kind: 'file' };
  return spec.kind === 'string' ? named(key) : { kind: 'anything' };
}

function offerOfArg(name: string, spec: ArgSpecs[string]): Offer {
  const words = spec.choices ?? spec.suggest;
  if (words !== undefined) return { kind: 'words', words };
  if (spec.suggestBy !== undefined) return { kind: 'by', pairs: spec.suggestBy };
  if (spec.pairs !== undefined) return { kind: 'pair', pairs: spec.pairs };
  if (name === 'file') return { kind: 'file' };
  if (spec.from === undefined) return named(name);
  return { kind: 'lookup', lookup: LISTED[spec.from] ?? spec.from.split(' ')[1]! };
}

function named(key: string): Offer {
  return Object.hasOwn(NAMED, key) ? { kind: 'lookup', lookup: NAMED[key]! } : { kind: 'anything' };
}
