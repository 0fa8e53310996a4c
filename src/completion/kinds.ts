import type { ArgSpecs, FlagSpec } from '../core/command.ts';

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
  | 'history';

/** What may stand somewhere: one of some words, something to look up, a file, or anything. */
export type Offer =
  | { readonly kind: 'words'; readonly words: readonly string[] }
  | { readonly kind: 'lookup'; readonly lookup: Lookup }
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
  if (spec.kind === 'choice') return { kind: 'words', words: spec.choices };
  if (spec.value === 'file') return { kind: 'file' };
  // Repeatable ones (`--item code=…,quantity=…`) hold more than the name of a thing.
  if (spec.kind === 'string') return named(key) ?? { kind: 'anything' };
  return { kind: 'anything' };
}

export function offerOfArg(path: string, name: string, spec: ArgSpecs[string]): Offer {
  if (spec.choices !== undefined) return { kind: 'words', words: spec.choices };
  if (name === 'file') return { kind: 'file' };
  const own = OWN.find(([words]) => path.startsWith(`${words} `));
  if (own !== undefined && ['id', 'ids', 'name'].includes(name) && path !== 'profile add') {
    return { kind: 'lookup', lookup: own[1] };
  }
  return named(name) ?? { kind: 'anything' };
}

function named(key: string): Offer | undefined {
  return Object.hasOwn(NAMED, key) ? { kind: 'lookup', lookup: NAMED[key]! } : undefined;
}
