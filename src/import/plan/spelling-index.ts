/** Slots per code: a fuller table takes longer to search. */
const SPARE = 1.35;

/** `known`: the same spelling was added before. `twin`: only another spelling was added before. */
export type Spelling = 'new' | 'known' | 'twin';

/**
 * Finds codes that differ only in spelling, among up to a million. It keeps no texts, only hashes of
 * the folded and of the exact spelling.
 */
export class SpellingIndex {
  readonly #slots: number;
  readonly #folded: Uint32Array;
  readonly #exact: Uint32Array;

  constructor(codes: number) {
    this.#slots = Math.ceil(codes * SPARE) + 8;
    this.#folded = new Uint32Array(this.#slots);
    this.#exact = new Uint32Array(this.#slots);
  }

  add(code: string): Spelling {
    return this.#find(code, true);
  }

  look(code: string): Spelling {
    return this.#find(code, false);
  }

  #find(code: string, isAdded: boolean): Spelling {
    hashFolded(code);
    // Position and mark come from different hashes. If both are equal, so are the folded spellings,
    // with very rare exceptions.
    let at = Math.floor((placeHash / 2 ** 32) * this.#slots);
    const mark = markHash === 0 ? 1 : markHash;
    const exact = hashExact(code);
    let isTwin = false;
    for (; this.#folded[at] !== 0; at = at + 1 === this.#slots ? 0 : at + 1) {
      if (this.#folded[at] !== mark) continue;
      if (this.#exact[at] === exact) return 'known';
      isTwin = true;
    }
    if (isAdded) {
      this.#folded[at] = mark;
      this.#exact[at] = exact;
    }
    return isTwin ? 'twin' : 'new';
  }
}

/**
 * The same text for codes that differ only in case, spaces, dashes, Unicode form or invisible
 * characters.
 */
export function foldSpelling(code: string): string {
  return code
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replace(/[\p{Pd}\u2212\u02d7\u2043]/gu, '-')
    .replace(/\s+/g, ' ')
    .trim();
}

let placeHash = 0;
let markHash = 0;

/** Sets `placeHash` and `markHash`. For ASCII it builds no folded text, which is faster. */
function hashFolded(code: string): void {
  let place = 0x811c9dc5;
  let mark = 0x9e3779b9;
  // Several spaces in a row count as one; spaces at the beginning and the end do not count.
  let isAfterSpace = false;
  let isFirst = true;
  for (let at = 0; at < code.length; at++) {
    let unit = code.charCodeAt(at);
    if (unit > 127) {
      hashPlain(foldSpelling(code));
      return;
    }
    if (unit === 32 || (unit >= 9 && unit <= 13)) {
      isAfterSpace = !isFirst;
      continue;
    }
    if (unit >= 65 && unit <= 90) unit += 32;
    if (isAfterSpace) {
      place = Math.imul(place ^ 32, 0x01000193);
      mark = Math.imul(mark ^ 32, 0x85ebca6b) ^ (mark >>> 15);
    }
    isAfterSpace = false;
    isFirst = false;
    place = Math.imul(place ^ unit, 0x01000193);
    mark = Math.imul(mark ^ unit, 0x85ebca6b) ^ (mark >>> 15);
  }
  finish(place, mark);
}

function hashPlain(text: string): void {
  let place = 0x811c9dc5;
  let mark = 0x9e3779b9;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    place = Math.imul(place ^ unit, 0x01000193);
    mark = Math.imul(mark ^ unit, 0x85ebca6b) ^ (mark >>> 15);
  }
  finish(place, mark);
}

function finish(place: number, mark: number): void {
  placeHash = mixed(place);
  markHash = mixed(mark);
}

function hashExact(text: string): number {
  let hash = 0x2545f491;
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0xc2b2ae35) ^ (hash >>> 13);
  }
  return mixed(hash);
}

/** Makes every bit of the result depend on every bit of the hash. */
function mixed(hash: number): number {
  let value = hash ^ (hash >>> 16);
  value = Math.imul(value, 0x7feb352d);
  value ^= value >>> 15;
  value = Math.imul(value, 0x846ca68b);
  return (value ^ (value >>> 16)) >>> 0;
}
