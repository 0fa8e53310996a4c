import { hash } from 'node:crypto';

export { serviceOf } from '../client/service.ts';

/** What two writes have in common that do the same: method, path and body, whatever its key order. */
export function fingerprintOf(method: string, path: string, payload: unknown): string {
  return hash('sha256', `${method} ${path}\n${canonical(payload)}`, 'hex');
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? '';
  const pairs = Object.entries(value)
    .filter(([, inner]) => inner !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`);
  return `{${pairs.join(',')}}`;
}

// Without letters and digits that look alike, and without vowels: no words by chance.
const LETTERS = '23456789bcdfghjkmnpqrstvwxz';

/** A new id: random, so that a slip of the finger does not name another entry. */
export function newId(bytes: Uint8Array): string {
  return `h-${Array.from(bytes, (byte) => LETTERS[byte % LETTERS.length]).join('')}`;
}
