import type { Pages } from '../../../core/command.ts';
import type { AnyInput, EndpointSpec } from '../../../core/endpoint.ts';
import { ProcError } from '../../../core/errors.ts';
import type { Row } from '../../../core/result.ts';
import {
  meantBy,
  parseReference,
  type Reference,
  type ReferenceKind,
  textOf,
} from '../../../listing/match-reference.ts';
import { getAddress } from '../../addresses/api.ts';
import { listItems } from '../../items/api.ts';
import { listOrders } from '../../orders/api.ts';
import { getSector, listSectors } from '../../sectors/api.ts';

/** What the contract says that each has; an address is known by its id alone. */
const KNOWN_FIELDS: Readonly<Record<ReferenceKind, readonly string[]>> = {
  order: Object.keys(listOrders.response.schema.shape),
  item: Object.keys(listItems.response.schema.shape),
  sector: Object.keys(listSectors.response.schema.shape),
  address: ['id'],
};

/** Fields that rows can take over from what they refer to. */
export function fieldsOf(kind: ReferenceKind): readonly string[] {
  return KNOWN_FIELDS[kind];
}

/** What a reference turned out to mean. */
export type Meaning =
  | { readonly kind: 'one'; readonly row: Row }
  | { readonly kind: 'several'; readonly rows: readonly Row[] }
  /** Nothing has this name: the whole list was read. */
  | { readonly kind: 'none' }
  /** The list may be incomplete: what was seen is not enough to tell. */
  | { readonly kind: 'unproved'; readonly rows: readonly Row[] }
  /** The list could not be read. */
  | { readonly kind: 'unreadable'; readonly error: ProcError };

/** Rows with a code. Proved: there are no others. */
interface WithCode {
  readonly rows: readonly Row[];
  readonly isProved: boolean;
}

/** A list as it is read; `complete()` tells afterwards whether its end was verified. */
export type ListRead = Pick<Pages, 'rows' | 'complete'>;

/** Where references are looked up. */
export interface ReferenceSource {
  /** A list that is sorted by code, page by page. */
  pages(list: EndpointSpec): ListRead;
  /**
   * Rows with these codes, by searches, where that takes fewer requests than reading all; else
   * undefined.
   */
  withCodes(list: EndpointSpec, codes: ReadonlySet<string>): Promise<WithCode | undefined>;
  read(endpoint: EndpointSpec, input: AnyInput): Promise<unknown>;
  /** The id that an alias of this machine stands for. Throws for one of another organization. */
  aliasOf(alias: string): Promise<string | undefined>;
}

interface LookupOptions {
  /** A bare word is a code where there is one: the column it stands in is called so. */
  readonly bareIsCode?: boolean;
  /** The fields of what is meant are needed, also where its id was given. */
  readonly needsFields?: boolean;
}

/**
 * The one owner of what references mean: all that a command or an import refers to, looked up at
 * once. `id=` reads no list, `code=` needs no whole list; a bare word is compared with every field of
 * every row, because it may be one record's id and another's code.
 */
export async function lookUpAll(
  kind: ReferenceKind,
  typed: Iterable<string>,
  source: ReferenceSource,
  options: LookupOptions = {},
): Promise<(typed: string) => Meaning> {
  const wanted = [...new Set(typed)].map((text) => parseReference(kind, text));
  const meanings = new Map<string, Meaning>();
  const open = wanted.filter(({ typed: key, form, text }) => {
    if (form !== 'id' || (kind !== 'address' && options.needsFields === true)) return true;
    meanings.set(key, { kind: 'one', row: { id: text } });
    return false;
  });
  if (open.length > 0) {
    const found = await (kind === 'sector'
      ? sectors(open, source)
      : kind === 'address'
        ? addresses(open, source)
        : listed(kind === 'order' ? listOrders : listItems, open, source, options));
    for (const [key, meaning] of found) meanings.set(key, meaning);
  }
  return (key) => meanings.get(key) ?? { kind: 'none' };
}

type Meanings = Map<string, Meaning>;

async function listed(
  list: EndpointSpec,
  wanted: readonly Reference[],
  source: ReferenceSource,
  { bareIsCode = false }: LookupOptions,
): Promise<Meanings> {
  const meanings: Meanings = new Map();
  const isCode = ({ form }: Reference) => form === 'code' || (bareIsCode && form === undefined);
  const codes = new Set(wanted.filter(isCode).map(({ text }) => text));
  const byCode = await searched(list, codes, source);
  for (const reference of wanted.filter(isCode)) {
    if (byCode instanceof ProcError) {
      meanings.set(reference.typed, { kind: 'unreadable', error: byCode });
      continue;
    }
    const rows = meantBy({ ...reference, form: 'code' }, byCode?.rows ?? []);
    if (rows.length > 0) meanings.set(reference.typed, meaningOf(rows));
    else if (byCode !== undefined && reference.form === 'code') {
      meanings.set(
        reference.typed,
        byCode.isProved ? { kind: 'none' } : { kind: 'unproved', rows },
      );
    }
  }
  const open = wanted.filter(({ typed }) => !meanings.has(typed));
  if (open.length === 0) return meanings;
  const walk = await walked(list, open, source);
  for (const reference of open) {
    const { typed, form } = reference;
    if (walk instanceof ProcError) {
      meanings.set(typed, { kind: 'unreadable', error: walk });
      continue;
    }
    const codeRows = isCode(reference) ? meantBy({ ...reference, form: 'code' }, walk.rows) : [];
    const other =
      isCode(reference) && form === undefined ? ({ ...reference, form: 'id' } as const) : reference;
    const rows = codeRows.length > 0 ? codeRows : meantBy(other, walk.rows);
    // An id or code that was seen as such is enough; any other word may be another row's too.
    const isSeen = codeRows.length > 0 || (form === 'id' && rows.length > 0);
    const isEnough = walk.isProved || rows.length > 1 || isSeen;
    meanings.set(typed, isEnough ? meaningOf(rows) : { kind: 'unproved', rows });
  }
  return meanings;
}

/** Undefined where nothing was searched for. */
async function searched(
  list: EndpointSpec,
  codes: ReadonlySet<string>,
  source: ReferenceSource,
): Promise<WithCode | ProcError | undefined> {
  if (codes.size === 0) return undefined;
  return failing(() => source.withCodes(list, codes));
}

/** Of a list, only what is wanted is kept, however long it is. */
async function walked(
  list: EndpointSpec,
  wanted: readonly Reference[],
  source: ReferenceSource,
): Promise<WithCode | ProcError> {
  const texts = new Set(wanted.map(({ text }) => text));
  return failing(async () => {
    const pages = source.pages(list);
    const rows: Row[] = [];
    for await (const page of pages.rows) {
      for (const row of page) {
        const isWanted = [row.id, row.code, row.name].some((one) => texts.has(textOf(one) ?? ''));
        if (isWanted) rows.push(row);
      }
    }
    return { rows, isProved: pages.complete() };
  });
}

async function sectors(wanted: readonly Reference[], source: ReferenceSource): Promise<Meanings> {
  const meanings: Meanings = new Map();
  const named = wanted.filter(({ form }) => form !== 'id');
  if (named.length > 0) {
    const all = await failing(() => source.read(listSectors, {}) as Promise<readonly Row[]>);
    for (const reference of named) {
      const meaning: Meaning =
        all instanceof ProcError
          ? { kind: 'unreadable', error: all }
          : meaningOf(meantBy(reference, all));
      meanings.set(reference.typed, meaning);
    }
  }
  for (const { typed, text } of wanted.filter(({ form }) => form === 'id')) {
    const row = await failing(() => source.read(getSector, { params: { id: text } }));
    if (!(row instanceof ProcError)) meanings.set(typed, { kind: 'one', row: row as Row });
    else if (row.code === 'not_found') meanings.set(typed, { kind: 'none' });
    else meanings.set(typed, { kind: 'unreadable', error: row });
  }
  return meanings;
}

/** An alias is of this machine, so only the service can tell that it is an address's id as well. */
async function addresses(wanted: readonly Reference[], source: ReferenceSource): Promise<Meanings> {
  const meanings: Meanings = new Map();
  for (const { typed, form, text } of wanted) {
    const id = await failing(() => source.aliasOf(text));
    if (id instanceof ProcError) meanings.set(typed, { kind: 'unreadable', error: id });
    else if (id === undefined) meanings.set(typed, { kind: 'none' });
    else if (form === 'alias' || id === text) meanings.set(typed, { kind: 'one', row: { id } });
    else {
      const row = await failing(() => source.read(getAddress, { params: { id: text } }));
      const rows = [{ id: text }, { id, alias: text }];
      if (!(row instanceof ProcError)) meanings.set(typed, { kind: 'several', rows });
      else if (NOT_THERE.has(row.code)) meanings.set(typed, { kind: 'one', row: { id } });
      else meanings.set(typed, { kind: 'unreadable', error: row });
    }
  }
  return meanings;
}

/** An address that the service does not show to this organization is no address of it. */
const NOT_THERE: ReadonlySet<string> = new Set(['not_found', 'forbidden', 'refused']);

function meaningOf(rows: readonly Row[]): Meaning {
  const [first] = rows;
  if (first === undefined) return { kind: 'none' };
  return rows.length === 1 ? { kind: 'one', row: first } : { kind: 'several', rows };
}

/** The error of the service as a value. What ends the command as a whole is thrown. */
async function failing<T>(work: () => Promise<T>): Promise<T | ProcError> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof ProcError && thrown.exitCode < 130) return thrown;
    throw thrown;
  }
}
