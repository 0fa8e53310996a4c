import { type EndpointSpec, nounOf } from '../core/endpoint.ts';
import type { Row } from '../core/result.ts';
import type { Sender, Target } from '../core/service.ts';
import { type Patience, patientRead } from '../http/call.ts';

/** The largest page that docs/service-contract.md §8 allows. */
export const MAX_PAGE = 100;

/** How long the reads before the first row of an import are tried. */
export const READ_PATIENCE_MS = 60_000;

export interface ListSource {
  readonly target: Pick<Target, 'dialect'>;
  /** Sends one read with the retries that the caller chooses. Throws ProcError. */
  readonly read: (
    endpoint: EndpointSpec,
    query: Readonly<Record<string, unknown>>,
  ) => Promise<readonly Row[]>;
}

/** Reads parts of lists through a sender, again after every temporary failure. */
export function patientReader(
  sender: Pick<Sender, 'target' | 'send'>,
  patience: Patience,
): ListSource['read'] {
  const read = patientRead(sender, patience);
  return async (endpoint, query) => (await read(endpoint, { query })) as readonly Row[];
}

/** The service uses page numbers, so a page can begin only at a multiple of the limit. */
export function byPageNumber(endpoint: EndpointSpec, target: ListSource['target']): boolean {
  return target.dialect(nounOf(endpoint)).page !== undefined;
}

/** A fuller table takes longer to search. */
const MOST_FULL = 0.75;

/** So many tables share the keys: while one grows, it is there twice. */
const TABLES = 64;

/**
 * Remembers up to millions of texts. It keeps only 64 bits of a hash of each, in 11 to 16 bytes: a quarter of the
 * memory of a `Set`. Among a million texts, two different ones count as equal with a chance of 1 in 40 million.
 */
export class SeenKeys {
  #tables = Array.from({ length: TABLES }, () => new Table());

  /** @returns false if the key was there already */
  add(key: string): boolean {
    const [place, mark] = hashesOf(key);
    return this.#tables[mark % TABLES]!.add(place, mark);
  }

  has(key: string): boolean {
    const [place, mark] = hashesOf(key);
    return this.#tables[mark % TABLES]!.has(place, mark);
  }

  /** Forgets all, and gives the memory back. */
  clear(): void {
    this.#tables = Array.from({ length: TABLES }, () => new Table());
  }
}

/** Linear probing. A slot has two words; the first is 0 if it is free. */
class Table {
  #size = 0;
  #words = new Uint32Array(16);

  add(place: number, mark: number): boolean {
    const at = this.#slotOf(place, mark);
    if (this.#words[at] !== 0) return false;
    this.#words[at] = place;
    this.#words[at + 1] = mark;
    if (++this.#size * 2 > this.#words.length * MOST_FULL) this.#grow();
    return true;
  }

  has(place: number, mark: number): boolean {
    return this.#words[this.#slotOf(place, mark)] !== 0;
  }

  /** Where these hashes are, or the free slot where they belong. */
  #slotOf(place: number, mark: number): number {
    const words = this.#words;
    let at = (place * 2) % words.length;
    while (words[at] !== 0 && (words[at] !== place || words[at + 1] !== mark))
      at = (at + 2) % words.length;
    return at;
  }

  #grow(): void {
    const before = this.#words;
    this.#words = new Uint32Array(2 * Math.ceil(before.length * 0.75));
    for (let from = 0; from < before.length; from += 2) {
      const [place, mark] = [before[from]!, before[from + 1]!];
      if (place === 0) continue;
      const at = this.#slotOf(place, mark);
      this.#words[at] = place;
      this.#words[at + 1] = mark;
    }
  }
}

function hashesOf(key: string): [place: number, mark: number] {
  return [hashOf(key, 0x811c9dc5) || 1, hashOf(key, 0x9e3779b9)];
}

function hashOf(text: string, seed: number): number {
  let value = seed;
  for (let at = 0; at < text.length; at++) {
    value = Math.imul(value ^ text.charCodeAt(at), 0x01000193) ^ (value >>> 15);
  }
  // Makes every bit of the result depend on every bit of the hash.
  value = Math.imul(value ^ (value >>> 16), 0x7feb352d);
  value = Math.imul(value ^ (value >>> 15), 0x846ca68b);
  return (value ^ (value >>> 16)) >>> 0;
}
