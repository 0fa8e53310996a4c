import { alikeText, type CodeChange, storedCode } from '../../core/service/code-change.ts';
import type { Listed } from '../../listing/page.ts';
import type { Baseline } from '../ledger/header.ts';
import type { Journal } from '../ledger/journal.ts';
import type { Key } from '../ledger/rows/catalogue-before.ts';
import type { ShownRows } from '../ledger/rows/shown-rows.ts';
import { rowsIn } from '../report/words.ts';
import { covers, formOf, formsFor } from './key-form.ts';
import { missingText } from './seen-after.ts';

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
  readonly #catalogue: Journal['catalogue'];
  readonly #baseline: Baseline;
  readonly #sentUntil: number;
  readonly #wanted = new Map<string, string[]>();
  readonly #wantedForms = new Set<string>();
  /** Forms of the created rows that the list shows under their codes or names. */
  readonly #forms: Readonly<Record<Key, Set<string>>> = { code: new Set(), name: new Set() };
  /** For each wanted key, a record with a similar key; empty text if there is none. */
  readonly #alike = new Map<string, string>();
  readonly #missing = new Map<Key, string | undefined>();
  #strangers: string | undefined | false = false;

  /** @param sentUntil rows that were sent later need not be in the list yet, ms */
  constructor(
    journal: Journal,
    wanted: readonly WantedKey[],
    sentUntil: number,
    baseline = journal.get('baseline') ?? 'unproved',
  ) {
    this.#shown = journal.shownRows();
    this.#change = journal.get('codesChanged');
    this.#catalogue = journal.catalogue;
    this.#baseline = baseline;
    this.#sentUntil = sentUntil;
    for (const { key, value } of wanted) {
      this.#wanted.set(`${key} ${this.#stored(key, value)}`, []);
      for (const form of formsFor(formOf(value))) this.#wantedForms.add(form);
      if (baseline !== 'complete') this.#alike.set(`${key} ${alikeText(value)}`, '');
    }
  }

  add(rows: readonly Listed[]): void {
    for (const { id, code, name } of rows) {
      if (id === undefined) continue;
      const key = code === null || code === '' ? 'name' : 'code';
      const value = key === 'code' ? code : name;
      const ids = this.#wanted.get(`${key} ${value}`);
      if (ids?.includes(id) === false) ids.push(id);
      const sent = value === null ? undefined : this.#shown.sentAs(key, value, id);
      if (sent !== undefined) {
        this.#shown.add(id);
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
  doubt({ key, value }: WantedKey): string | undefined {
    const missing = this.#missingOf(key);
    if (missing !== undefined) return missing;
    if (covers(this.#forms[key], formOf(value))) return undefined;
    // No created row shows how the service stores keys of this form. So the list proves something
    // only if none of its records may be this row.
    if (this.#baseline === 'complete') return this.#strangersText();
    const alike = this.#alike.get(`${key} ${alikeText(value)}`);
    return alike === undefined || alike === ''
      ? undefined
      : `a record has a similar ${key}: ${alike}`;
  }

  #stored(key: Key, value: string): string {
    return key === 'name' ? value : storedCode(this.#change, value);
  }

  #noteAlike(key: Key, value: string | null, id: string): void {
    if (value === null) return;
    const alike = `${key} ${alikeText(value)}`;
    if (this.#alike.get(alike) === '') this.#alike.set(alike, `${value} (${id})`);
  }

  #missingOf(key: Key): string | undefined {
    if (!this.#missing.has(key)) {
      const { count, first } = this.#shown.missing([key], NAMED, this.#sentUntil);
      this.#missing.set(key, count === 0 ? undefined : missingText(first, count, key));
    }
    return this.#missing.get(key);
  }

  #strangersText(): string | undefined {
    if (this.#strangers === false) {
      const { count, first } = this.#shown.strangers(NAMED);
      const have = rowsIn(count, 'new record', 'new records');
      const ids = first.join(', ') + (count > NAMED ? ', …' : '');
      this.#strangers =
        count === 0
          ? undefined
          : `the list has ${have} of unknown origin (${ids}), ${count === 1 ? 'which' : 'one of which'} may be this row with a changed code or name`;
    }
    return this.#strangers;
  }
}

export function changedText(field: string): string {
  return `the service stores a ${field} that differs from the one sent`;
}
