import type { Named, Problem } from '../../core/problem/row-problem.ts';
import { alikeText, type CodeChange, storedCode } from '../../core/service/code-change.ts';
import type { Listed } from '../../listing/listing.ts';
import type { Baseline } from '../store/facts.ts';
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
 */
export class WholeReading {
  readonly #shown: ShownRows;
  readonly #change: CodeChange | undefined;
  readonly #catalogue: Run['rows']['catalogue'];
  readonly #baseline: Baseline;
  readonly #sentUntil: number;
  readonly #wanted = new Map<string, string[]>();
  readonly #wantedForms = new Set<string>();
  /** Forms of the created rows that the list shows under their codes or names. */
  readonly #forms: Readonly<Record<Key, Set<string>>> = { code: new Set(), name: new Set() };
  /** For each wanted key, a record with a similar key. */
  readonly #alike = new Map<string, Named | undefined>();
  readonly #missing = new Map<Key, Problem | undefined>();
  #strangers: Problem | undefined | false = false;

  /** @param sentUntil rows that were sent later need not be in the list yet, ms */
  constructor(
    run: Run,
    wanted: readonly WantedKey[],
    sentUntil: number,
    baseline = run.get('baseline') ?? 'unproved',
  ) {
    this.#shown = new ShownRows(run.rows.sql, run.codeChange);
    this.#change = run.codeChange;
    this.#catalogue = run.rows.catalogue;
    this.#baseline = baseline;
    this.#sentUntil = sentUntil;
    for (const { key, value } of wanted) {
      this.#wanted.set(`${key} ${this.#stored(key, value)}`, []);
      for (const form of formsFor(formOf(value))) this.#wantedForms.add(form);
      if (baseline !== 'complete') this.#alike.set(`${key} ${alikeText(value)}`, undefined);
    }
  }

  add(rows: readonly Listed[]): void {
    const shown = this.#shown.add(rows);
    for (const listed of rows) {
      const { id, code, name } = listed;
      if (id === undefined) continue;
      const { key, value } = keyOf(listed);
      const ids = this.#wanted.get(`${key} ${value}`);
      if (ids?.includes(id) === false) ids.push(id);
      const sent = shown.get(id);
      if (sent !== undefined) {
        const form = formOf(sent);
        if (this.#wantedForms.has(form)) this.#forms[key].add(form);
        continue;
      }
      if (this.#catalogue.has(id)) continue;
      const isExplained = ids !== undefined || (value !== null && this.#shown.isOpen(key, value));
      this.#shown.addOther(id, isExplained);
      if (this.#baseline === 'complete' || isExplained) continue;
      this.#noteAlike('code', code, id);
      this.#noteAlike('name', name, id);
    }
  }

  idsOf({ key, value }: WantedKey): readonly string[] {
    return this.#wanted.get(`${key} ${this.#stored(key, value)}`) ?? [];
  }

  /** The list shows created rows under other codes or names than were sent. */
  hasChanged(key: Key): boolean {
    return this.#shown.hasChanged(key);
  }

  /** Why the list does not prove that no record was created with this key. */
  doubt({ key, value }: WantedKey): Problem | undefined {
    const missing = this.#missingOf(key);
    if (missing !== undefined) return missing;
    if (covers(this.#forms[key], formOf(value))) return undefined;
    // No created row shows how the service stores keys of this form. So the list proves something
    // only if none of its records may be this row.
    if (this.#baseline === 'complete') return this.#strangersFound();
    const record = this.#alike.get(`${key} ${alikeText(value)}`);
    return record === undefined ? undefined : { code: 'similar_key', args: { key, record } };
  }

  #stored(key: Key, value: string): string {
    return key === 'name' ? value : storedCode(this.#change, value);
  }

  #noteAlike(key: Key, value: string | null, id: string): void {
    if (value === null) return;
    const alike = `${key} ${alikeText(value)}`;
    if (this.#alike.has(alike) && this.#alike.get(alike) === undefined) {
      this.#alike.set(alike, { key: value, id });
    }
  }

  #missingOf(key: Key): Problem | undefined {
    if (!this.#missing.has(key)) {
      const { count, first: rows } = this.#shown.missing([key], NAMED, this.#sentUntil);
      this.#missing.set(
        key,
        count === 0 ? undefined : { code: 'created_missing', args: { count, key, rows } },
      );
    }
    return this.#missing.get(key);
  }

  #strangersFound(): Problem | undefined {
    if (this.#strangers === false) {
      const { count, first: ids } = this.#shown.strangers(NAMED);
      this.#strangers = count === 0 ? undefined : { code: 'strangers', args: { count, ids } };
    }
    return this.#strangers;
  }
}
