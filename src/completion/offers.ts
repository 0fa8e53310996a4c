import type { ArgSpecs, CommandTree, FlagSpec, FlagSpecs, NounTree } from '../core/command-spec.ts';
import { sharedFlags } from '../core/global-flags.ts';
import { kebab } from '../core/wording.ts';

export type Candidate = readonly [text: string, doc: string];

/** Words, names that this machine has, or nothing, for which the shell offers files. */
export type Offer = readonly string[] | 'profiles' | 'environments' | undefined;

export interface FlagModel {
  readonly names: readonly string[];
  readonly doc: string;
  readonly hasValue: boolean;
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
  return {
    paths: {
      '': {
        children: tree.nouns.map(({ name, summary }) => [name, summary]),
        flags: [{ names: ['--version', '-V'], doc: 'print the version of proc', hasValue: false }],
      },
      ...Object.fromEntries(tree.nouns.flatMap((noun) => [...nounPaths(noun)])),
    },
    globals: [
      ...flagModels(tree.globals),
      { names: ['--help', '-h'], doc: 'help on the command', hasValue: false },
    ],
    aliases: Object.fromEntries(
      tree.nouns.flatMap(({ name, aliases }) => aliases.map((alias) => [alias, name])),
    ),
  };
}

function nounPaths({ name, groups, commands }: NounTree): Map<string, PathModel> {
  const paths = new Map<string, PathModel>([[name, {}]]);
  for (const spec of commands) {
    const { path: words, summary, args = {}, flags = {} } = spec;
    for (const [depth, word] of words.entries()) {
      const path = words.slice(0, depth + 1).join(' ');
      if (!paths.has(path)) paths.set(path, {});
      if (depth === 0) continue;
      const above = words.slice(0, depth).join(' ');
      const { children = [], ...rest } = paths.get(above)!;
      if (children.some(([known]) => known === word)) continue;
      const doc = depth === words.length - 1 ? summary : (groups[word] ?? word);
      paths.set(above, { ...rest, children: [...children, [word, doc]] });
    }
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

function flagModels(specs: FlagSpecs): FlagModel[] {
  return Object.entries(specs).map(([key, spec]) => ({
    names: [`--${kebab(key)}`, ...(spec.short === undefined ? [] : [`-${spec.short}`])],
    doc: spec.doc,
    hasValue: spec.kind !== 'boolean',
    value: offerOfFlag(key, spec),
  }));
}

/** Look-ups by the name of a flag or argument. */
const NAMED: Readonly<Record<string, Offer>> = { profile: 'profiles', env: 'environments' };

function offerOfFlag(key: string, spec: FlagSpec): Offer {
  if (spec.kind === 'choice') return spec.choices;
  return spec.kind === 'string' ? NAMED[key] : undefined;
}

function offerOfArg(name: string, spec: ArgSpecs[string]): Offer {
  const named = spec.from === 'proc profile list' ? 'profiles' : NAMED[name];
  return spec.choices ?? spec.suggest ?? named;
}
