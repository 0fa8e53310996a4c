import type { Search } from '../../listing/search.ts';
import type { CreatedRow } from '../store/looked-up-rows.ts';

const NUMBER = /^[\d.+-]+(e[\d+-]+)?$/i;
const CHANGED_AS_NUMBER = '0';

/**
 * `AB-27` has the form `AA-99`. proc assumes: if a service stores one text unchanged, it stores every
 * text of the same form unchanged.
 *
 * A service may also read digits as a number, and store `007` as `7`. So if the digits of a text
 * could change in this way, its form ends with `0`. The form of `007` is `9990`.
 */
export function formOf(text: string): string {
  const form = text.replace(/\d/g, '9').replace(/[a-z]/g, 'a').replace(/[A-Z]/g, 'A');
  const isNumber = NUMBER.test(text) && String(Number(text)) !== text;
  return isNumber || /(^|\D)0\d/.test(text) ? form + CHANGED_AS_NUMBER : form;
}

/**
 * If the service stores a text of one of these forms unchanged, it also stores every text of `form`
 * unchanged.
 */
export function formsFor(form: string): readonly string[] {
  return [form, form + CHANGED_AS_NUMBER];
}

/** @param shown forms of texts that the service stores unchanged */
export function covers(shown: ReadonlySet<string>, form: string): boolean {
  return formsFor(form).some((one) => shown.has(one));
}

/** At most this many witnesses are searched for. */
const MOST = 6;

export interface Witnesses {
  readonly rows: readonly CreatedRow[];
  readonly forms: ReadonlySet<string>;
}

/**
 * Chooses created rows whose codes have the same forms as the given codes. If a search finds these
 * rows with their ids, the service does not change codes of these forms.
 */
export function witnessesAmong(created: Iterable<CreatedRow>, codes: readonly string[]): Witnesses {
  const missing = new Set(codes.map(formOf));
  const rows: CreatedRow[] = [];
  const forms = new Set<string>();
  for (const one of created) {
    const own = formOf(one.key);
    const covered = [...missing].filter((form) => covers(new Set([own]), form));
    if (covered.length === 0) continue;
    rows.push(one);
    forms.add(own);
    for (const form of covered) missing.delete(form);
    if (missing.size === 0 || rows.length === MOST) break;
  }
  return { rows, forms };
}

/** @throws ProcError if the list cannot be read */
export async function areShown(rows: readonly CreatedRow[], search: Search): Promise<boolean> {
  for (const { key, id } of rows) {
    const found = await search.find(key);
    if (found.kind === 'unproved' || !found.ids.includes(id)) return false;
  }
  return rows.length > 0;
}
