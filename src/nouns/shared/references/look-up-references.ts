import type { AnyInput, EndpointSpec } from '../../../core/endpoint.ts';
import { isSignalled, ProcError } from '../../../core/errors.ts';
import type { Row } from '../../../core/result.ts';
import type { Pages } from '../../../listing/list-pages.ts';
import {
  CandidateRows,
  isByCode,
  type Match,
  matchReference,
  parseReference,
  type Reference,
  type ReferenceKind,
} from '../../../listing/match-reference.ts';
import { type Near, NearRows } from '../../../listing/near-rows.ts';
import type { FoundRows } from '../../../listing/search-codes.ts';
import { getAddress } from '../../addresses/index.ts';
import { listItems } from '../../items/index.ts';
import { listOrders } from '../../orders/index.ts';
import { getSector, listSectors } from '../../sectors/index.ts';

/** The service cannot list the others. */
export type ListedKind = Exclude<ReferenceKind, 'address' | 'requisition'>;

const LISTS = { order: listOrders, item: listItems, sector: listSectors } as const satisfies Record<
  ListedKind,
  EndpointSpec
>;

/**
 * `unreadable`: the look-up failed with `error`. `near`: which records of the list are nearest, if none
 * matches.
 */
export type Meaning =
  | (Match & { readonly near?: Near | undefined })
  | { readonly kind: 'unreadable'; readonly error: ProcError };

interface WithCode extends FoundRows {
  readonly near: NearRows;
}

/** A list that is being read. After the last row, `complete()` tells whether its end was verified. */
type ListRead = Pick<Pages, 'rows' | 'complete'>;

export interface ReferenceSource {
  pages(list: EndpointSpec): ListRead;
  /**
   * Searches for rows with these codes. Undefined if reading the whole list takes fewer requests.
   */
  withCodes(list: EndpointSpec, codes: ReadonlySet<string>): Promise<WithCode | undefined>;
  read(endpoint: EndpointSpec, input: AnyInput): Promise<unknown>;
}

interface LookupOptions {
  /** Treat a bare word as a code first, because it comes from a column of codes. */
  readonly bareIsCode?: boolean;
  /** Fetch the record's fields even if its id is given. */
  readonly needsFields?: boolean;
}

/** Looks up all references of a command or import at once. */
export async function lookUpAll(
  kind: ListedKind,
  typed: Iterable<string>,
  source: ReferenceSource,
  options: LookupOptions = {},
): Promise<(typed: string) => Meaning> {
  const wanted = [...new Set(typed)].map((text) => parseReference(kind, text));
  const meanings: Meanings = new Map();
  const open = wanted.filter(({ typed: key, form, text }) => {
    if (form !== 'id' || options.needsFields === true) return true;
    meanings.set(key, { kind: 'found', row: { id: text } });
    return false;
  });
  if (open.length > 0) {
    const found = await (kind === 'sector'
      ? sectors(open, source)
      : listed(kind, open, source, options));
    for (const [key, meaning] of found) meanings.set(key, meaning);
  }
  return (key) => meanings.get(key) ?? { kind: 'none' };
}

type Meanings = Map<string, Meaning>;

/** Searches by code where possible, and reads the list once for all other references. */
async function listed(
  kind: Exclude<keyof typeof LISTS, 'sector'>,
  wanted: readonly Reference[],
  source: ReferenceSource,
  options: LookupOptions,
): Promise<Meanings> {
  const list = LISTS[kind];
  const meanings: Meanings = new Map();
  const byCode = wanted.filter((reference) => isByCode(reference, options));
  const searched = await searchedFor(kind, list, byCode, source);
  for (const reference of searched === undefined ? [] : byCode) {
    const meaning = meaningIn(searched!, { ...reference, form: 'code' }, options);
    const isFound = meaning.kind === 'found' || meaning.kind === 'ambiguous';
    if (isFound || meaning.kind === 'unreadable' || reference.form === 'code') {
      meanings.set(reference.typed, meaning);
    }
  }
  const open = wanted.filter(({ typed }) => !meanings.has(typed));
  if (open.length === 0) return meanings;
  const read = await failing(async (): Promise<ReadRows> => {
    const rows = new CandidateRows(kind, open);
    const near = new NearRows(`${kind}s`);
    const pages = source.pages(list);
    for await (const page of pages.rows) {
      rows.add(page);
      near.add(page);
    }
    return { rows, isWhole: pages.complete(), near };
  });
  for (const reference of open) meanings.set(reference.typed, meaningIn(read, reference, options));
  return meanings;
}

interface ReadRows {
  readonly rows: CandidateRows;
  readonly isWhole: boolean;
  readonly near: NearRows;
}

async function searchedFor(
  kind: ReferenceKind,
  list: EndpointSpec,
  wanted: readonly Reference[],
  source: ReferenceSource,
): Promise<ReadRows | ProcError | undefined> {
  if (wanted.length === 0) return undefined;
  return failing(async (): Promise<ReadRows | undefined> => {
    const found = await source.withCodes(list, new Set(wanted.map(({ text }) => text)));
    if (found === undefined) return undefined;
    const { isProved, near } = found;
    const rows = new CandidateRows(kind, wanted).add(found.rows);
    return { rows, isWhole: isProved, near };
  });
}

function meaningIn(
  read: ReadRows | ProcError,
  reference: Reference,
  { bareIsCode }: LookupOptions,
): Meaning {
  if (read instanceof ProcError) return { kind: 'unreadable', error: read };
  const match = matchReference(reference, read.rows, { isWhole: read.isWhole, bareIsCode });
  const isNone = match.kind === 'none' || (match.kind === 'unproved' && match.rows.length === 0);
  return isNone ? { ...match, near: read.near.describe(reference.text) } : match;
}

async function sectors(wanted: readonly Reference[], source: ReferenceSource): Promise<Meanings> {
  const meanings: Meanings = new Map();
  const named = wanted.filter(({ form }) => form !== 'id');
  if (named.length > 0) {
    // This list has no paging: one request returns all of it.
    const read = await failing(async () => {
      const all = (await source.read(listSectors, {})) as readonly Row[];
      const near = new NearRows('sectors').add(all);
      const rows = new CandidateRows('sector', named).add(all);
      return { rows, isWhole: true, near };
    });
    for (const reference of named) meanings.set(reference.typed, meaningIn(read, reference, {}));
  }
  for (const { typed, text } of wanted.filter(({ form }) => form === 'id')) {
    const row = await failing(() => source.read(getSector, { params: { id: text } }));
    if (!(row instanceof ProcError)) meanings.set(typed, { kind: 'found', row: row as Row });
    else if (row.code === 'not_found') meanings.set(typed, { kind: 'none' });
    else meanings.set(typed, { kind: 'unreadable', error: row });
  }
  return meanings;
}

/** Returns an error of the service as a value, but throws errors that end the whole command. */
async function failing<T>(work: () => Promise<T>): Promise<T | ProcError> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof ProcError && !isSignalled(thrown)) return thrown;
    throw thrown;
  }
}

/** `invalid_usage`: no id has a slash. */
const NOT_THERE: ReadonlySet<string> = new Set([
  'not_found',
  'forbidden',
  'refused',
  'invalid_usage',
]);

/**
 * The service cannot list addresses. One is found by its id, or by its exact name among those that were used before.
 *
 * @param used returns the ids of these
 */
export async function lookUpAddresses(
  typed: Iterable<string>,
  { read }: Pick<ReferenceSource, 'read'>,
  used: () => Promise<readonly string[]>,
): Promise<(typed: string) => Meaning> {
  const byId = async (id: string): Promise<Row | undefined> => {
    const row = await failing(async () => (await read(getAddress, { params: { id } })) as Row);
    if (!(row instanceof ProcError)) return row;
    if (NOT_THERE.has(row.code)) return undefined;
    throw row;
  };
  const meanings: Meanings = new Map();
  const named: Reference[] = [];
  for (const reference of [...typed].map((text) => parseReference('address', text))) {
    const { form, text } = reference;
    const row = form === 'id' ? { id: text } : form === undefined ? await byId(text) : undefined;
    if (row === undefined) named.push(reference);
    else meanings.set(reference.typed, { kind: 'found', row });
  }
  const rows = new CandidateRows('address', named);
  for (const id of named.length === 0 ? [] : await used()) {
    const { name, formattedAddress } = (await byId(id)) ?? {};
    rows.add([name, formattedAddress].map((text) => ({ id, name: text })));
  }
  for (const reference of named)
    meanings.set(reference.typed, matchReference(reference, rows, { isWhole: true }));
  return (key) => meanings.get(key) ?? { kind: 'none' };
}
