import type { Ports } from '../../../core/ports.ts';
import type { Problem } from '../../../core/problem/row-problem.ts';
import { type CodeChange, storedCode } from '../../../core/service/code-change.ts';
import type { Listed } from '../../../listing/listing.ts';
import { scan } from '../../../listing/scan.ts';
import { Search } from '../../../listing/search.ts';
import { listingFor } from '../../plan/catalogue/open-listing.ts';
import type { Unconfirmed } from '../../store/looked-up-rows.ts';
import type { Run } from '../../store/run-file.ts';
import type { ImportTarget } from '../../targets/import-target.ts';
import { type WantedKey, wholeReading } from '../whole-reading.ts';
import { areShown, covers, formOf, witnessesAmong } from '../witnesses.ts';

type Wanted = Pick<Unconfirmed, 'row' | 'code' | 'body'>;

export interface Seen {
  /** The record with a wanted id or key; undefined if the list does not contain it. */
  record(id: string): Listed | undefined;
  /** Ids of all records with the code of the row; if the row has no code, with its name. */
  alike(row: Wanted): readonly string[];
  readonly isComplete: boolean;
  /** Why the list does not prove that a row that it does not show was not created. */
  doubt(row: Wanted): Problem | undefined;
}

interface Place {
  readonly target: ImportTarget;
  readonly run: Run;
  /** Created rows that were sent until this time must be in the list, ms. */
  readonly sentUntil: number;
}

/**
 * Looks up a single row with a search for its code, if possible. Otherwise reads the whole list.
 *
 * @param ids also look for the records with these ids
 * @throws ProcError if the list cannot be read
 */
export async function lookUp(
  rows: readonly Wanted[],
  ids: readonly string[],
  place: Place,
  ports: Ports<'io' | 'api' | 'self'>,
): Promise<Seen> {
  const { target, run, sentUntil } = place;
  const listing = await listingFor(target, run, ports);
  const change = run.codeChange;
  const { keyField } = target;
  const altered: Problem | undefined =
    run.get('codesAltered') === true
      ? { code: 'stored_otherwise', args: { key: keyField } }
      : undefined;
  const sent = rows.length === 1 ? rows[0]!.code : null;
  if (sent !== null) {
    const code = storedCode(change, sent);
    const search = new Search(listing);
    const found = (await search.isUsable()) ? await search.find(code) : undefined;
    // To adopt, it is enough to find the id. To prove that a row is absent, searches must also find
    // created rows.
    const isProof = async () =>
      ids.length > 0 || (await isWitnessed({ row: rows[0]!.row, code: sent }, place, search));
    const hasIds = found?.kind === 'proved' && ids.every((id) => found.ids.includes(id));
    if (hasIds && (await isProof())) {
      return {
        record: (id) => (found.ids.includes(id) ? { id, code, name: null } : undefined),
        alike: () => found.ids,
        isComplete: true,
        doubt: () => altered,
      };
    }
  }
  const found = new Map<string, Set<string>>();
  const wantedKeys: WantedKey[] = [];
  for (const row of rows) {
    const one = wantedOf(row, target);
    if (one === undefined) continue;
    found.set(keyText(one, change), new Set());
    wantedKeys.push(one);
  }
  const reading = wholeReading(run, wantedKeys, sentUntil);
  const wanted = new Set(ids);
  const records = new Map<string, Listed>();
  const isComplete = await scan(listing, (page) => {
    reading.add(page);
    for (const row of page) {
      if (row.id === undefined) continue;
      const keys = [found.get(`code ${row.code}`), found.get(`name ${row.name}`)];
      for (const key of keys) key?.add(row.id);
      if (wanted.has(row.id) || keys.some(Boolean)) records.set(row.id, row);
    }
  });
  const alike = (row: Wanted) => {
    const one = wantedOf(row, target);
    return one === undefined ? [] : [...(found.get(keyText(one, change)) ?? [])];
  };
  const doubt = (row: Wanted): Problem | undefined => {
    if (!isComplete) return { code: 'list_incomplete', args: {} };
    if (altered !== undefined) return altered;
    const one = wantedOf(row, target);
    if (one === undefined) return { code: 'nothing_to_look_up', args: { key: keyField } };
    if (!reading.hasChanged(one.key)) return reading.doubt(one);
    const key = one.key === 'code' ? keyField : target.listing!.nameField;
    return { code: 'stored_otherwise', args: { key } };
  };
  return { record: (id) => records.get(id), alike, isComplete, doubt };
}

async function isWitnessed(
  { row, code }: { readonly row: number; readonly code: string },
  { run, sentUntil }: Place,
  search: Search,
): Promise<boolean> {
  const { rows, forms } = witnessesAmong(run.rows.unconfirmed.createdNear(row, sentUntil), [code]);
  const change = run.codeChange;
  const shown = rows.map(({ key, id }) => ({ key: storedCode(change, key), id }));
  return covers(forms, formOf(code)) && (await areShown(shown, search));
}

/** The key under which the list shows the row. */
function keyText({ key, value }: WantedKey, change: CodeChange | undefined): string {
  return `${key} ${key === 'code' ? storedCode(change, value) : value}`;
}

/**
 * The key that finds the row in the list: its code, or its name if it has no code. Undefined if it has no
 * name either.
 */
function wantedOf({ code, body }: Wanted, { listing }: ImportTarget): WantedKey | undefined {
  if (code !== null) return { key: 'code', value: code };
  const name = (JSON.parse(body) as Record<string, unknown>)[listing!.nameField];
  return typeof name === 'string' ? { key: 'name', value: name } : undefined;
}
