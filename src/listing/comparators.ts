import type { Row } from '../core/result.ts';

export interface Comparator {
  readonly name: string;
  compare(a: string, b: string): number;
}

function plain(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** By code points, like UTF-8 bytes. JavaScript's own order puts U+E000–FFFF last. */
function byCodePoint(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const left = a.charCodeAt(at);
    const right = b.charCodeAt(at);
    if (left !== right) return rank(left) - rank(right);
  }
  return a.length - b.length;
}

/** Surrogates encode the highest code points. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

function folding(name: string, fold: (text: string) => string): Comparator {
  return { name, compare: (a, b) => byCodePoint(fold(a), fold(b)) };
}

const unaccented = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '');
const asciiLower = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
const asciiUpper = (text: string) => text.replace(/[a-z]/g, (letter) => letter.toUpperCase());
/** SQL Server and older MySQL collations ignore trailing spaces. */
const trimmed = (text: string) => text.replace(/ +$/, '');

/**
 * Plausible sort orders of a service. A code counts as absent only if every order that matches the rows
 * seen so far agrees.
 */
export function plausibleOrders(): Comparator[] {
  const orders: Comparator[] = [
    { name: 'utf-16', compare: plain },
    { name: 'bytes', compare: byCodePoint },
    folding('ascii lower', asciiLower),
    folding('ascii upper', asciiUpper),
    folding('lower', (text) => text.toLowerCase()),
    folding('upper', (text) => text.toUpperCase()),
    folding('unaccented lower', (text) => unaccented(text).toLowerCase()),
    folding('unaccented upper', (text) => trimmed(unaccented(text).toUpperCase())),
    folding('unaccented', unaccented),
    // Windows and SQL Server nearly ignore hyphens and apostrophes.
    folding('words', (text) => unaccented(text).toLowerCase().replace(/[-']/g, '')),
  ];
  for (const locale of ['en', 'es']) {
    for (const sensitivity of ['base', 'accent', 'variant'] as const) {
      for (const ignorePunctuation of [false, true]) {
        for (const numeric of [false, true]) {
          orders.push(inLanguage(locale, { sensitivity, ignorePunctuation, numeric }));
        }
      }
    }
    orders.push(inLanguage(locale, { sensitivity: 'variant', caseFirst: 'upper' }));
  }
  return orders;
}

function inLanguage(locale: string, options: Intl.CollatorOptions): Comparator {
  let compare: Comparator['compare'] | undefined;
  return {
    name: `${locale} ${JSON.stringify(options)}`,
    compare(a, b) {
      // Created when first used: all collators together take 10 ms, and an empty list needs none.
      compare ??= new Intl.Collator(locale, options).compare;
      return compare(a, b);
    },
  };
}

let orders: readonly Comparator[] | undefined;

/**
 * The order of the rows by this field, in any plausible collation: 1 ascending, -1 descending, 0 neither.
 *
 * @returns undefined if this cannot be told: a row has no text or number there, or fewer than `distinct`
 * values differ
 */
export function orderOf(rows: readonly Row[], field: string, distinct = 3): 1 | -1 | 0 | undefined {
  const values = rows.map((row) => row[field]);
  if (new Set(values).size < distinct) return undefined;
  if (!values.every((one) => typeof one === 'string' || typeof one === 'number')) return undefined;
  const texts = values.map(String);
  orders ??= plausibleOrders();
  const known = orders;
  const isOrdered = (sign: number) =>
    known.some(({ compare }) =>
      texts.every((text, at) => at === 0 || compare(texts[at - 1]!, text) * sign <= 0),
    );
  return isOrdered(1) ? 1 : isOrdered(-1) ? -1 : 0;
}
