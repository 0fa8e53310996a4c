import type { Named, Problem } from '../../core/problem/row-problem.ts';
import { alikeText, storedCode } from '../../core/service/code-change.ts';
import type { Listed } from '../../listing/listing.ts';
import { keyOf, ShownRows } from '../store/looked-up-rows.ts';
import type { Key } from '../store/planned-rows.ts';
import type { Run } from '../store/run-file.ts';
import { covers, formOf, formsFor } from './witnesses.ts';

const NAMED = 3;

/** A code, or the name of a row without a code. */
export interface WantedKey {
  readonly key: Key;
  readonly value: string;
}

/**
 * One reading of the whole list, to look rows up. A service may change codes, leave them out, or
 * show new records late. So a missing key proves something only if the same reading shows the
 * created rows under their keys.
 *
 * @param sentUntil rows that were sent later need not be in the list yet, ms
 */
export function wholeReading(
  run: Run,
  wanted: readonly WantedKey[],
  sentUntil: number,
  baseline = run.get('baseline') ?? 'unproved',
) {
  const change = run.codeChange;
  const { catalogue } = run.rows;
  const rowsShown = new ShownRows(run.rows.sql, change);
  const keyText = ({ key, value }: WantedKey) =>
    `${key} ${key === 'name' ? value : storedCode(change, value)}`;
  const idsByKey = new Map<string, string[]>();
  const wantedForms = new Set<string>();
  /** Forms of the created rows that the list shows under their codes or names. */
  const forms: Readonly<Record<Key, Set<string>>> = { code: new Set(), name: new Set() };
  /** For each wanted key, a record with a similar key. */
  const alike = new Map<string, Named | undefined>();
  for (const one of wanted) {
    idsByKey.set(keyText(one), []);
    for (const form of formsFor(formOf(one.value))) wantedForms.add(form);
    if (baseline !== 'complete') alike.set(`${one.key} ${alikeText(one.value)}`, undefined);
  }
  const noteAlike = (key: Key, value: string | null, id: string): void => {
    if (value === null) return;
    const text = `${key} ${alikeText(value)}`;
    if (alike.has(text) && alike.get(text) === undefined) alike.set(text, { key: value, id });
  };
  const missing = new Map<Key, Problem | undefined>();
  const missingOf = (key: Key): Problem | undefined => {
    if (!missing.has(key)) {
      const { count, first: rows } = rowsShown.missing([key], NAMED, sentUntil);
      missing.set(
        key,
        count === 0 ? undefined : { code: 'created_missing', args: { count, key, rows } },
      );
    }
    return missing.get(key);
  };
  let strangers: Problem | undefined | false = false;
  const strangersFound = (): Problem | undefined => {
    if (strangers === false) {
      const { count, first: ids } = rowsShown.strangers(NAMED);
      strangers = count === 0 ? undefined : { code: 'strangers', args: { count, ids } };
    }
    return strangers;
  };
  return {
    add(rows: readonly Listed[]): void {
      const shown = rowsShown.add(rows);
      for (const listed of rows) {
        const { id, code, name } = listed;
        if (id === undefined) continue;
        const { key, value } = keyOf(listed);
        const ids = idsByKey.get(`${key} ${value}`);
        if (ids?.includes(id) === false) ids.push(id);
        const sent = shown.get(id);
        if (sent !== undefined) {
          const form = formOf(sent);
          if (wantedForms.has(form)) forms[key].add(form);
          continue;
        }
        if (catalogue.has(id)) continue;
        const isExplained = ids !== undefined || (value !== null && rowsShown.isOpen(key, value));
        rowsShown.addOther(id, isExplained);
        if (baseline === 'complete' || isExplained) continue;
        noteAlike('code', code, id);
        noteAlike('name', name, id);
      }
    },

    idsOf: (one: WantedKey): readonly string[] => idsByKey.get(keyText(one)) ?? [],

    /** The list shows created rows under other codes or names than were sent. */
    hasChanged: (key: Key): boolean => rowsShown.hasChanged(key),

    /** Why the list does not prove that no record was created with this key. */
    doubt({ key, value }: WantedKey): Problem | undefined {
      const isMissing = missingOf(key);
      if (isMissing !== undefined) return isMissing;
      if (covers(forms[key], formOf(value))) return undefined;
      // No created row shows how the service stores keys of this form. So the list proves something
      // only if none of its records may be this row.
      if (baseline === 'complete') return strangersFound();
      const record = alike.get(`${key} ${alikeText(value)}`);
      return record === undefined ? undefined : { code: 'similar_key', args: { key, record } };
    },
  };
}
