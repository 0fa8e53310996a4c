import type { FlagSpecs } from '../core/command-spec.ts';
import type { CommandTree, NounTree } from '../core/command-tree.ts';
import { kebab } from '../nouns/shared/body-flags.ts';
import { commandsWithFile } from '../schema/with-body.ts';
import { type Offer, offerOfArg, offerOfFlag } from './kinds.ts';

export interface Word {
  readonly name: string;
  readonly doc: string;
}

interface FlagModel {
  /** `--output`, `-o`. */
  readonly names: readonly string[];
  readonly doc: string;
  /** Undefined: takes no value. */
  readonly value: Offer | undefined;
}

/** What may follow some words of a command. */
interface PathModel {
  /** `requisition group add`; empty for `proc` itself. */
  readonly path: string;
  readonly children: readonly Word[];
  readonly flags: readonly FlagModel[];
  readonly args: readonly Offer[];
  /** The last argument may be repeated. */
  readonly variadic: boolean;
}

/** The command line as all completion scripts see it. */
export interface Model {
  readonly paths: readonly PathModel[];
  readonly globals: readonly FlagModel[];
  /** The other number of a noun → its name. */
  readonly aliases: Readonly<Record<string, string>>;
  readonly topics: readonly Word[];
}

export function modelOf(tree: CommandTree): Model {
  const root: PathModel = {
    path: '',
    children: tree.nouns.map(({ name, summary }) => ({ name, doc: summary })),
    flags: [{ names: ['--version', '-V'], doc: 'print the version of proc', value: undefined }],
    args: [],
    variadic: false,
  };
  const aliases = tree.nouns.flatMap(({ name, alias }) =>
    alias === undefined ? [] : [[alias, name]],
  );
  return {
    paths: [root, ...tree.nouns.flatMap(nounPaths), ...schemaPaths(tree)].filter(isLast),
    globals: [
      ...flagModels(tree.globals),
      { names: ['--help', '-h'], doc: 'help on the command', value: undefined },
    ],
    aliases: Object.fromEntries(aliases),
    topics: Object.entries(tree.topics).map(([name, doc]) => ({ name, doc })),
  };
}

/** `proc schema` takes the words of a command that has one: they follow it as verbs follow a noun. */
function schemaPaths(tree: CommandTree): PathModel[] {
  const own = tree.nouns.flatMap(nounPaths).find(({ path }) => path === 'schema');
  if (own === undefined) return [];
  const paths = new Map<string, PathModel & { readonly children: Word[] }>();
  const at = (path: string) => {
    const known = paths.get(path) ?? { ...own, path, children: [], args: [], variadic: false };
    paths.set(path, known);
    return known;
  };
  for (const { spec } of commandsWithFile(tree)) {
    for (const [depth, name] of spec.path.entries()) {
      const { children } = at(['schema', ...spec.path.slice(0, depth)].join(' '));
      const noun = tree.nouns.find((one) => one.name === spec.path[0])!;
      const group = depth === 0 ? noun.summary : (noun.groups[name] ?? name);
      const doc = depth === spec.path.length - 1 ? spec.summary : group;
      if (!children.some((child) => child.name === name)) children.push({ name, doc });
    }
    at(['schema', ...spec.path].join(' '));
  }
  return [...paths.values()];
}

/** Of two with the same path, the later is the fuller. */
function isLast({ path }: PathModel, index: number, all: readonly PathModel[]): boolean {
  return all.findLastIndex((one) => one.path === path) === index;
}

function nounPaths({ name, groups, commands }: NounTree): PathModel[] {
  const paths = new Map<string, { children: Word[] } & Omit<PathModel, 'children'>>();
  const at = (path: string) => {
    const known = paths.get(path);
    if (known !== undefined) return known;
    const made = { path, children: [] as Word[], flags: [], args: [], variadic: false };
    paths.set(path, made);
    return made;
  };
  at(name);
  for (const spec of commands) {
    const path = spec.path.join(' ');
    for (let depth = 1; depth < spec.path.length; depth++) {
      const parent = at(spec.path.slice(0, depth).join(' '));
      const word = spec.path[depth]!;
      const doc = depth === spec.path.length - 1 ? spec.summary : (groups[word] ?? word);
      if (!parent.children.some((child) => child.name === word))
        parent.children.push({ name: word, doc });
    }
    const args = Object.entries(spec.args ?? {});
    paths.set(path, {
      ...at(path),
      flags: flagModels(spec.flags ?? {}),
      args: args.map(([arg, argSpec]) => offerOfArg(path, arg, argSpec)),
      variadic: args.at(-1)?.[1].variadic === true,
    });
  }
  return [...paths.values()];
}

function flagModels(specs: FlagSpecs): FlagModel[] {
  return Object.entries(specs).map(([key, spec]) => ({
    names: [`--${kebab(key)}`, ...(spec.short === undefined ? [] : [`-${spec.short}`])],
    doc: spec.doc,
    value: spec.kind === 'boolean' ? undefined : offerOfFlag(key, spec),
  }));
}

/** An offer as the scripts write it: `=a b`, `@profiles`, `@earlier+file`, `file`, `-`. */
function offerText(offer: Offer): string {
  switch (offer.kind) {
    case 'words':
      return `=${offer.words.join(' ')}`;
    case 'lookup':
      return `@${offer.lookup}${offer.files === true ? '+file' : ''}`;
    case 'file':
      return 'file';
    case 'anything':
      return '-';
  }
}

/** Places with the same offer, together: `[offer, places]`. A place is `path --flag`, or `path 0`. */
export function valuesByOffer(model: Model): ReadonlyArray<readonly [string, readonly string[]]> {
  const groups = new Map<string, string[]>();
  const put = (offer: Offer, place: string): void => {
    const text = offerText(offer);
    groups.set(text, [...(groups.get(text) ?? []), place]);
  };
  for (const { path, flags } of model.paths) {
    for (const { names, value } of flags) {
      if (value !== undefined) for (const name of names) put(value, `${path} ${name}`);
    }
  }
  for (const { names, value } of model.globals) {
    if (value !== undefined) for (const name of names) put(value, `* ${name}`);
  }
  return [...groups];
}

/** The same for arguments, by their position; `+` marks one that may be repeated. */
export function argsByOffer(model: Model): ReadonlyArray<readonly [string, readonly string[]]> {
  const groups = new Map<string, string[]>();
  for (const { path, args, variadic } of model.paths) {
    for (const [index, offer] of args.entries()) {
      if (offer.kind === 'anything') continue;
      const isRepeated = variadic && index === args.length - 1;
      const text = offerText(offer);
      const place = `${path} ${isRepeated ? '+' : index}`;
      groups.set(text, [...(groups.get(text) ?? []), place]);
    }
  }
  return [...groups];
}
