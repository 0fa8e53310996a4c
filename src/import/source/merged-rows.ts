import { textOf } from '../map/convert.ts';
import type { Source } from './record.ts';

export interface MergedRows {
  readonly key: string;
  readonly rows: readonly [number, number];
  readonly column: string;
}

/**
 * Matches amounts, counts, dates and times. Without `isExact` these are not compared: even rows that
 * belong together usually differ in them.
 */
const FIGURE = /^[\d\s.,:/%$€£+-]*$/;

/**
 * Finds two rows that have the same value in the key column and differ in other columns.
 *
 * @param columns the columns to compare
 * @param isExact compare amounts, counts, dates and times too
 * @returns the first two rows that differ; undefined if there are none
 */
export async function mergedRows(
  source: Source,
  keyColumn: string,
  columns: readonly string[],
  isExact = false,
): Promise<MergedRows | undefined> {
  const seen = new SeenRows();
  const textIn = (fields: Fields, column: string): string => {
    const text = textOf(fields[column])?.trim() ?? '';
    return isExact || !FIGURE.test(text) ? text : '';
  };
  for await (const batch of source.records()) {
    for (const { row, fields } of batch) {
      const key = fields === undefined ? '' : (textOf(fields[keyColumn])?.trim() ?? '');
      if (fields === undefined || key === '') continue;
      const rest = columns.map((column) => textIn(fields, column)).join('\0');
      if (seen.add(key, rest)) continue;
      const first = await firstWith(source, keyColumn, key);
      const column = columns.find((one) => textIn(first.fields, one) !== textIn(fields, one));
      if (column !== undefined) return { key, rows: [first.row, row], column };
    }
  }
  return undefined;
}

type Fields = Readonly<Record<string, unknown>>;

async function firstWith(source: Source, keyColumn: string, key: string) {
  for await (const batch of source.records()) {
    for (const { row, fields } of batch) {
      if (fields !== undefined && textOf(fields[keyColumn])?.trim() === key) return { row, fields };
    }
  }
  return { row: 0, fields: {} };
}

/** Keeps hashes instead of texts: two of the key, and one of the cells that are compared. */
class SeenRows {
  #size = 0;
  #place = new Uint32Array(1 << 14);
  #mark = new Uint32Array(1 << 14);
  #rest = new Uint32Array(1 << 14);

  /** @returns false if the key was added before with another `rest` */
  add(key: string, rest: string): boolean {
    if (this.#size * 4 > this.#mark.length * 3) this.#grow();
    const place = hash(key, 0x811c9dc5);
    const mark = hash(key, 0x9e3779b9) || 1;
    const found = this.#find(place, mark);
    if (this.#mark[found] === mark) return this.#rest[found] === hash(rest, 0x2545f491);
    this.#put(found, place, mark, hash(rest, 0x2545f491));
    this.#size++;
    return true;
  }

  #find(place: number, mark: number): number {
    const last = this.#mark.length - 1;
    let at = place & last;
    while (this.#mark[at] !== 0 && (this.#mark[at] !== mark || this.#place[at] !== place)) {
      at = (at + 1) & last;
    }
    return at;
  }

  #put(at: number, place: number, mark: number, rest: number): void {
    this.#place[at] = place;
    this.#mark[at] = mark;
    this.#rest[at] = rest;
  }

  #grow(): void {
    const [places, marks, rests] = [this.#place, this.#mark, this.#rest];
    this.#place = new Uint32Array(places.length * 2);
    this.#mark = new Uint32Array(places.length * 2);
    this.#rest = new Uint32Array(places.length * 2);
    for (const [at, mark] of marks.entries()) {
      if (mark !== 0) this.#put(this.#find(places[at]!, mark), places[at]!, mark, rests[at]!);
    }
  }
}

function hash(text: string, seed: number): number {
  let value = seed;
  for (let at = 0; at < text.length; at++) {
    value = Math.imul(value ^ text.charCodeAt(at), 0x01000193) ^ (value >>> 15);
  }
  value = Math.imul(value ^ (value >>> 16), 0x7feb352d);
  return (value ^ (value >>> 15)) >>> 0;
}
