import { foldCode } from '../../core/fold-code.ts';
import { isObject, parseResponse, valueText } from '../../core/json.ts';
import type { RunLedger } from '../../ledger/run-ledger.ts';
import type { Listed, Listing } from '../../listing/listing.ts';
import { scan } from '../../listing/scan.ts';
import { SEARCHABLE, Search } from '../../listing/search.ts';

/** A row that the run has created: a list proves the absence of others only if it shows this one. */
export interface Witness {
  readonly code: string;
  readonly id: string;
}

/**
 * Looks codes up in the service's list.
 *
 * @param codes as they were sent
 * @param witness the last row that the run has created; undefined: it has created none
 * @param fold the form in which codes are compared
 * @param mayReadAll false: only searches
 * @returns by folded code the id of a record; null: provably no record has the code. Codes about which nothing is
 * proved are missing
 * @throws ProcError if the list cannot be read
 */
export async function findByFold(
  listing: Listing,
  codes: readonly string[],
  witness: Witness | undefined,
  fold = foldCode,
  mayReadAll = true,
): Promise<ReadonlyMap<string, string | null>> {
  if (witness !== undefined && [...codes, witness.code].every((code) => SEARCHABLE.test(code))) {
    const found = await bySearch(new Search(listing), codes, witness, fold);
    if (found !== undefined) return found;
  }
  return mayReadAll ? inWholeList(listing, codes, witness, fold) : new Map();
}

/** Undefined if reading the list takes fewer requests, or if one of the searches proves nothing. */
async function bySearch(
  search: Search,
  codes: readonly string[],
  witness: Witness,
  fold: typeof foldCode,
): Promise<ReadonlyMap<string, string | null> | undefined> {
  if (!(await search.isCheaperFor(codes.length)) || !(await search.isUsable())) return undefined;
  if ((await search.find(witness.code))?.has(witness.id) !== true) return undefined;
  const found = new Map<string, string | null>();
  for (const code of codes) {
    const ids = (await search.findSpelling(code, fold))?.keys();
    if (ids === undefined) return undefined;
    found.set(fold(code), ids.next().value ?? null);
  }
  return found;
}

async function inWholeList(
  listing: Listing,
  codes: readonly string[],
  witness: Witness | undefined,
  fold = foldCode,
): Promise<ReadonlyMap<string, string | null>> {
  const wanted = new Set(codes.map((code) => fold(code)));
  const found = new Map<string, string | null>();
  let isShown = witness === undefined;
  const isComplete = await scan(listing, (rows: readonly Listed[]) => {
    for (const { id, code } of rows) {
      if (id === undefined || code === null) continue;
      const folded = fold(code);
      isShown ||= id === witness?.id && folded === fold(witness.code);
      if (wanted.has(folded) && !found.has(folded)) found.set(folded, id);
    }
  });
  if (!isComplete || !isShown) return found;
  for (const folded of wanted) if (!found.has(folded)) found.set(folded, null);
  return found;
}

/** How the rows of a run are looked up, by their keys. @param codeIn the code in a body, JSON text */
export function finderFor(
  ledger: RunLedger,
  number: number,
  listing: () => Listing,
  codeIn: (body: string) => string,
  fold = foldCode,
): (keys: readonly string[], mayReadAll: boolean) => Promise<ReadonlyMap<string, string | null>> {
  return async (keys, mayReadAll) => {
    const bodies = await ledger.bodiesOf(number, keys);
    const last = await ledger.lastCreated(number);
    const witness = last === undefined ? undefined : { id: last.id, code: codeIn(last.body) };
    const codes = [...bodies.values()].map(codeIn);
    const found = await findByFold(listing(), codes, witness, fold, mayReadAll);
    // Keys of rows are folded, however codes are compared with the list.
    return new Map([...found].map(([code, id]) => [foldCode(code), id]));
  };
}

/** Fields of a body that was sent, JSON text; null if they are empty. */
export function textsIn(body: string, ...fields: readonly string[]): readonly (string | null)[] {
  const value = parseResponse(body);
  return fields.map((field) => (isObject(value) && valueText(value[field])) || null);
}
