import { hash } from 'node:crypto';

/** Equal for two writes with the same method, path and body. The order of keys does not matter. */
export function fingerprintOf(method: string, path: string, payload: unknown): string {
  return hash('sha256', `${method} ${path}\n${canonical(payload)}`, 'hex');
}

/**
 * The digest of rows and single writes: as {@link fingerprintOf}, but the order of values in lists does not matter
 * either. E.g. a requisition with the same lines in another order requests the same goods.
 *
 * @param path relative to the base URL, as sent
 */
export function digestOf(method: string, path: string, payload: unknown): string {
  return hash('sha256', `${method} ${path}\n${canonical(payload, true)}`, 'hex');
}

/** The same text for values that differ only in the order of keys, with `sortsLists` also of list values. */
export function canonical(value: unknown, sortsLists = false): string {
  if (Array.isArray(value)) {
    const values = value.map((inner) => canonical(inner, sortsLists));
    return `[${(sortsLists ? values.sort() : values).join(',')}]`;
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? '';
  const pairs = Object.entries(value)
    .filter(([, inner]) => inner !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner, sortsLists)}`);
  return `{${pairs.join(',')}}`;
}
