import type { ArgSpecs, FlagSpec, PairSpecs } from '../core/command-spec.ts';

/** What `proc __complete` can look up on this machine. */
type Lookup =
  | 'profiles'
  | 'environments'
  | 'orders'
  | 'items'
  | 'sectors'
  | 'addresses'
  | 'requisitions'
  | 'groups'
  | 'lines'
  | 'runs'
  | 'drafts'
  | 'history'
  | 'earlier';

/** What may stand somewhere: one of some words, something to look up, a file, or anything. */
export type Offer =
  | { readonly kind: 'words'; readonly words: readonly string[] }
  /** `lookup` may carry pairs: see {@link pairsOffer}. With `files`, a file will do as well. */
  | { readonly kind: 'lookup'; readonly lookup: string; readonly files?: boolean }
  | { readonly kind: 'file' }
  | { readonly kind: 'anything' };

/** Arguments and flags that name a thing, by their name. */
const NAMED: Readonly<Record<string, Lookup>> = {
  profile: 'profiles',
  env: 'environments',
  order: 'orders',
  item: 'items',
  sector: 'sectors',
  sectors: 'sectors',
  address: 'addresses',
  requisition: 'requisitions',
  group: 'groups',
  line: 'lines',
  run: 'runs',
  mapFrom: 'runs',
};

/** What the arguments `id`, `ids` and `name` stand for, by the words before them. */
const OWN: ReadonlyArray<readonly [string, Lookup]> = [
  ['requisition draft', 'drafts'],
  ['addresses', 'addresses'],
  ['history', 'history'],
  ['profile', 'profiles'],
];

export function offerOfFlag(key: string, spec: FlagSpec): Offer {
  if (spec.pairs !== undefined) return pairsOffer('pairs', spec.pairs);
  if (spec.value === 'earlier') return { kind: 'lookup', lookup: 'earlier', files: true };
  if (spec.kind === 'choice') return { kind: 'words', words: spec.choices };
  if (spec.value === 'file') return { kind: 'file' };
  // Repeatable ones (`--item code=…,quantity=…`) hold more than the name of a thing.
  if (spec.kind === 'string') return named(key) ?? { kind: 'anything' };
  return { kind: 'anything' };
}

export function offerOfArg(path: string, name: string, spec: ArgSpecs[string]): Offer {
  if (spec.choices !== undefined) return { kind: 'words', words: spec.choices };
  if (spec.suggest !== undefined) return { kind: 'words', words: spec.suggest };
  if (spec.suggestBy !== undefined) return pairsOffer('by', spec.suggestBy);
  if (spec.pairs !== undefined) return pairsOffer('pair', spec.pairs);
  if (name === 'file') return { kind: 'file' };
  const own = OWN.find(([words]) => path.startsWith(`${words} `));
  if (own !== undefined && ['id', 'ids', 'name'].includes(name) && path !== 'profile add') {
    return { kind: 'lookup', lookup: own[1] };
  }
  return named(name) ?? { kind: 'anything' };
}

/**
 * Pairs as a lookup, so that the scripts need no logic of their own for them:
 * `pairs:name,delivery=pickup|delivery,address=@addresses`; `pair:` where there is just one, `by:`
 * where the key is the word before.
 */
function pairsOffer(kind: 'pairs' | 'pair' | 'by', specs: PairSpecs): Offer {
  const keys = Object.entries(specs).map(([key, values]) => {
    if (typeof values === 'string') return `${key}=@${values}`;
    return values.length === 0 ? key : `${key}=${values.join('|')}`;
  });
  return { kind: 'lookup', lookup: `${kind}:${keys.join(',')}` };
}

function named(key: string): Offer | undefined {
  return Object.hasOwn(NAMED, key) ? { kind: 'lookup', lookup: NAMED[key]! } : undefined;
}
