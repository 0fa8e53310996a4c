/**
 * What services change in codes and names before they store them: case, spaces, punctuation,
 * leading zeros.
 */
const CHANGEABLE: readonly RegExp[] = [
  /[a-z]/,
  /[A-Z]/,
  /[^\0-\x7f]/,
  /\s/,
  /^\s|\s$|\s\s/,
  /-/,
  /_/,
  /\./,
  /\//,
  /[!-,:-@[-^`{-~]/,
  /(^|\D)0\d/,
];
const NUMBER = /^[\d.+-]+(e[\d+-]+)?$/i;
/** Lengths at which services cut texts off. */
const LENGTHS = [8, 10, 12, 15, 16, 18, 20, 24, 25, 30, 32, 40, 50, 64, 80, 100, 255];

/**
 * The traits of a code or name, as bits. If the service stores one text unchanged, it also stores
 * any text unchanged that has no further traits.
 */
export function traitsOf(text: string): number {
  let traits = 0;
  let bit = 1;
  for (const one of CHANGEABLE) {
    if (one.test(text)) traits |= bit;
    bit <<= 1;
  }
  // As a number, such a text would look different: 007, 1.50.
  if (NUMBER.test(text) && String(Number(text)) !== text) traits |= bit;
  bit <<= 1;
  for (const length of LENGTHS) {
    if (text.length <= length) break;
    traits |= bit;
    bit <<= 1;
  }
  return traits;
}

export function covers(shown: number | undefined, traits: number): boolean {
  return shown !== undefined && (traits & ~shown) === 0;
}

/** Letters and digits only, without case. */
export function bareText(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}

/** Returns the same text for texts that a service may confuse, e.g. `AR-007` and `ar7`. */
export function alikeText(text: string): string {
  const bare = bareText(text).replace(/(^|\D)0+(?=\d)/g, '$1');
  return bare === '' ? text.trim() : bare;
}
