import type { ArgSpecs, FlagSpec, FlagSpecs } from '../core/command-spec.ts';
import type { CommandTree, NounTree } from '../core/command-tree.ts';
import { sharedFlags } from '../core/global-flags.ts';
import { kebab } from '../core/text/kebab.ts';

export type Candidate = readonly [text: string, doc: string];

export type Offer =
  /** With `isList`, several words separated by commas. */
  | { readonly kind: 'words'; readonly words: readonly string[]; readonly isList?: true }
  | { readonly kind: 'lookup'; readonly lookup: LookUp }
  | { readonly kind: 'file' }
  | { readonly kind: 'anything' };

/** Names that this machine has. */
export type LookUp = 'profiles' | 'environments' | 'runs';

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
}

/** The command tree as plain data, which the build stores in the bundle. */
export interface Model {
  /** Keyed by command path, e.g. `requisition group add`; `''` for `proc` itself. */
  readonly paths: Readonly<Record<string, PathModel>>;
  readonly globals: readonly FlagModel[];
  /** Alias of a noun → its name: `order` → `orders`. */
  readonly aliases: Readonly<Record<string, string>>;
}

export function modelOf(tree: CommandTree): Model {
  const root: PathModel = {
    children: tree.nouns.map(({ name, summary }) => [name, summary]),
    flags: [{ names: ['--version', '-V'], doc: 'print the version of proc' }],
  };
  const nouns = new Map(tree.nouns.flatMap((noun) => [...nounPaths(noun)]));
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

function nounPaths({ name, groups, commands }: NounTree): Map<string, PathModel> {
  const paths = new Map<string, PathModel>([[name, {}]]);
  for (const spec of commands) {
    const { path: words, summary, args = {}, flags = {} } = spec;
    addChildren(paths, words, (word) => groups[word] ?? word, summary);
    const path = words.join(' ');
    paths.set(path, {
      ...paths.get(path),
      flags: flagModels({ ...flags, ...sharedFlags(spec) }),
      args: Object.entries(args).map(([arg, spec]) => offerOfArg(arg, spec)),
      variadic: Object.values(args).at(-1)?.variadic === true,
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

/** Look-ups by the name of a flag or argument. */
const NAMED: Readonly<Record<string, LookUp>> = {
  profile: 'profiles',
  env: 'environments',
  run: 'runs',
};

function offerOfFlag(key: string, spec: FlagSpec): Offer {
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
  if (name === 'file') return { kind: 'file' };
  return spec.from === 'proc profile list' ? { kind: 'lookup', lookup: 'profiles' } : named(name);
}

function named(key: string): Offer {
  return Object.hasOwn(NAMED, key) ? { kind: 'lookup', lookup: NAMED[key]! } : { kind: 'anything' };
}
