import { hash } from 'node:crypto';

/** What two writes have in common that do the same: method, path and body, whatever its key order. */
export function fingerprintOf(method: string, path: string, payload: unknown): string {
  return hash('sha256', `${method} ${path}\n${canonical(payload)}`, 'hex');
}

/**
 * The same, whatever the order of lists too: a requisition whose lines were sorted anew asks for the same
 * things once more. Without a list of several values both are one.
 */
export function looseFingerprintOf(method: string, path: string, payload: unknown): string {
  return hash('sha256', `${method} ${path}\n${canonical(payload, true)}`, 'hex');
}

function canonical(value: unknown, sortsLists = false): string {
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

// Without letters and digits that look alike, and without vowels: no words by chance.
const LETTERS = '23456789bcdfghjkmnpqrstvwxz';

/** A new id: random, so that a slip of the finger does not name another entry. */
export function newId(bytes: Uint8Array): string {
  return `h-${Array.from(bytes, (byte) => LETTERS[byte % LETTERS.length]).join('')}`;
}
