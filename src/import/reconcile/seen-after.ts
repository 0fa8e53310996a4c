import { sentence } from '../../core/problem/sentence.ts';
import { grouped } from '../../core/text/decimal.ts';
import { someOf } from '../../core/text/listed.ts';
import type { Listed } from '../../listing/listing.ts';
import type { Verified } from '../store/facts.ts';
import { keyOf, ShownRows } from '../store/looked-up-rows.ts';
import type { Key } from '../store/planned-rows.ts';
import type { Run } from '../store/run-file.ts';

/** Maximum number of codes in the result. */
const NAMED = 10;

/** A code or name of created rows that other new records have too. */
export interface Duplicated {
  readonly key: Key;
  readonly value: string;
  readonly ours: readonly string[];
  readonly others: readonly string[];
}

/**
 * What the list shows after a run: its created rows, and duplicates. A duplicate is a new record
 * that has the code of a created row, but that somebody else created.
 */
export type Seen = ReturnType<typeof seenAfter>;

export function seenAfter(run: Run) {
  const { catalogue, unconfirmed } = run.rows;
  const rowsShown = new ShownRows(run.rows.sql, run.codeChange);
  const found = new Map<string, Duplicated & { readonly others: string[] }>();
  const refused: { readonly code: string; readonly id: string }[] = [];
  const note = (key: Key, value: string, id: string, ours: readonly string[]): void => {
    const known = found.get(`${key} ${value}`);
    if (known === undefined) found.set(`${key} ${value}`, { key, value, ours, others: [id] });
    else if (!known.others.includes(id)) known.others.push(id);
  };
  const noteRefused = (value: string, id: string): void => {
    const code = rowsShown.refusedAs(value);
    if (code !== undefined && refused.length < NAMED) refused.push({ code, id });
  };
  const duplicates = (): Duplicated[] =>
    [...found.values()].filter(({ key, value, ours, others }) => {
      // If the list does not show ours, it may show it under another id.
      if (others.length === 1 && !rowsShown.hasOneOf(ours)) return false;
      const open = unconfirmed.members(key, value).filter(({ state }) => state === 'unconfirmed');
      // Each unconfirmed row with this key may have created one of the other records.
      return others.length > open.length;
    });
  return {
    /** @returns whether all these rows are created rows of the run, under their ids */
    add(rows: readonly Listed[]): boolean {
      const shown = rowsShown.add(rows);
      if (shown.size === rows.length) return true;
      for (const listed of rows) {
        const { id } = listed;
        const { key, value } = keyOf(listed);
        if (value === null || id === undefined || shown.has(id) || catalogue.has(id)) continue;
        const ours = rowsShown.createdWith(key, value);
        if (ours.includes(id)) continue;
        if (ours.length > 0) note(key, value, id, ours);
        else if (key === 'code') noteRefused(value, id);
      }
      return false;
    },

    duplicates,

    /** @param isComplete whether the list is provably complete; only then can a row be missing */
    verdict(isComplete: boolean): Verified {
      const doubled = duplicates();
      const named = doubled
        .slice(0, NAMED)
        .map(({ value, ours, others }) => ({ code: value, ids: [...ours, ...others] }));
      const known = {
        ...{ isComplete, twice: doubled.length, named },
        ...(doubled.some(({ key }) => key === 'name') ? { byName: true } : {}),
        ...(refused.length > 0 ? { refused } : {}),
      };
      if (!isComplete) return known;
      const { count, first } = rowsShown.missing(['code', 'name'], NAMED);
      if (count === 0) return known;
      const areNames = rowsShown.missing(['name'], 0).count > 0 ? { byName: true } : {};
      const notListed = first.map(({ key, id }) => ({ code: key, id }));
      return { ...known, ...areNames, isComplete: false, hidden: count, notListed };
    },
  };
}

export function twiceText({ twice, twiceHere = 0, named, byName }: Verified): string | undefined {
  if (twice === 0) return undefined;
  const shown = (named ?? []).slice(0, 3).map(({ code, ids }) => `${code} (${ids.join(', ')})`);
  const some = shown.join(', ') + (twice > shown.length ? ', …' : '');
  const codes =
    byName === true
      ? twice === 1
        ? 'code or name now exists'
        : 'codes or names now exist'
      : twice === 1
        ? 'code now exists'
        : 'codes now exist';
  return `${twice} ${codes} more than once: ${some}. ${twiceCause(twice, twiceHere)}`;
}

/** Who created codes that exist twice: `here` of them were created again from this machine. */
function twiceCause(twice: number, here: number): string {
  const rest = twice - here;
  const isOne = twice === 1;
  if (here === 0) {
    return `${isOne ? 'It was' : 'They were'} also created elsewhere at the same time`;
  }
  if (rest === 0) {
    return `Other runs or commands of this machine created ${isOne ? 'it' : 'them'} too`;
  }
  return `Other runs or commands of this machine created ${grouped(here)} of them too. The other ${grouped(rest)} ${rest === 1 ? 'was' : 'were'} also created elsewhere`;
}

export function refusedText({ refused = [] }: Verified): string | undefined {
  if (refused.length === 0) return undefined;
  return `rejected, but the list has ${refused.length === 1 ? 'it' : 'them'}: ${someCodes(refused, refused.length)}`;
}

export function hiddenText({ hidden = 0, notListed = [], byName }: Verified): string | undefined {
  if (hidden === 0) return undefined;
  const rows = notListed.slice(0, 3).map(({ code, id }) => ({ key: code, id }));
  const key = byName === true ? 'code or name' : 'code';
  return sentence({ code: 'created_missing', args: { count: hidden, key, rows } });
}

/** `AR-1 (itm-1), AR-2 (itm-2), …` */
export function someCodes(
  rows: readonly { readonly code: string; readonly id: string }[],
  count: number,
): string {
  return someOf(
    rows.slice(0, 3).map(({ code, id }) => `${code} (${id})`),
    count,
  );
}
