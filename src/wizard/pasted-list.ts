import { LINE_KEYS } from '../compose/flags.ts';
import { nearest } from '../core/wording.ts';
import type { CatalogueItem } from '../nouns/shared/catalogue.ts';

interface Reading {
  readonly quantity: number;
  /** Texts of which one may be the item's code or name. */
  readonly refs: readonly string[];
}

export interface ListLine {
  readonly text: string;
  /** Empty if the line has no quantity or no item. */
  readonly readings: readonly Reading[];
}

const QUANTITY_HEADER = /^(q(uanti)?ty|quantity|count|units?)$/i;
const HEADER = /^(item|code|sku|name|product|description)$/i;

/**
 * Reads a list as people write it: `12 x CS-4759`, `CS-4759;12`, `CS-4759=12`, `12 LL Crankset`, columns from a
 * spreadsheet. Skips a header line, empty lines and lines that begin with `#`.
 */
export function readList(text: string): ListLine[] {
  const lines = text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|[\r\n]/)
    .map((one) => ({ text: one.trim(), cells: cellsOf(one) }))
    .filter((one) => one.text !== '' && !one.text.startsWith('#'));
  const [{ cells: header } = { cells: [] }] = lines;
  const quantityAt = header.length > 1 ? header.findIndex((one) => QUANTITY_HEADER.test(one)) : -1;
  const hasHeader =
    quantityAt >= 0 || (header.length > 1 && header.every((one) => HEADER.test(one)));
  return lines.slice(hasHeader ? 1 : 0).map(({ text: line, cells }) => ({
    text: line,
    readings: cells.length > 1 ? readColumns(cells, quantityAt) : readSentence(cells[0]!),
  }));
}

/** Columns are separated by tabs, otherwise by semicolons, otherwise by a comma. */
function cellsOf(line: string): string[] {
  for (const separator of ['\t', ';']) {
    if (line.includes(separator)) return line.split(separator).map(unquoted);
  }
  const parts = line.split(',').map(unquoted);
  // Names may contain commas, so a comma separates columns only next to a plain number.
  return parts.length === 2 && parts.some((part) => /^\d+$/.test(part)) ? parts : [unquoted(line)];
}

function unquoted(cell: string): string {
  const text = cell.trim();
  return /^".*"$/s.test(text) ? text.slice(1, -1).replaceAll('""', '"') : text;
}

/** The code usually comes before the quantity, so the last number is the likeliest quantity. */
function readColumns(cells: readonly string[], quantityAt: number): Reading[] {
  return [...cells.keys()].reverse().flatMap((at) => {
    if (quantityAt >= 0 && at !== quantityAt) return [];
    return readingOf(cells[at]!, ...cells.filter((cell, other) => other !== at && cell !== ''));
  });
}

/** A sign or a unit shows which number is the quantity. `12xAR` may be a code, so `x` needs a space. */
const CLEAR = [
  // As --item has it: `V-1=2`, `code=V-1,quantity=2`.
  new RegExp(
    `^(?:code=)?(?!(?:${LINE_KEYS.join('|')})=)(?<item>[^=,]+)(?:,quantity)?=(?<quantity>\\d+)$`,
  ),
  /^(?<quantity>\d+)\s*[×*]\s*(?<item>\S.*)$/,
  /^(?<quantity>\d+)\s*(?:x|pcs?\.?|pieces?|units?)\s+(?<item>.+)$/i,
  /^(?<item>.+?)\s+[x×*]\s*(?<quantity>\d+)$/i,
];
const EITHER_END = [/^(?<quantity>\d+)\s+(?<item>.+)$/, /^(?<item>.+?)\s+(?<quantity>\d+)$/];

function readSentence(text: string): Reading[] {
  const read = (form: RegExp): Reading[] => {
    const { quantity, item } = form.exec(text)?.groups ?? {};
    return quantity === undefined ? [] : readingOf(quantity, item!);
  };
  const clear = CLEAR.flatMap(read);
  return clear.length > 0 ? clear.slice(0, 1) : EITHER_END.flatMap(read);
}

/** `1.000` and `12,0` are ambiguous, so they are no quantity. */
function readingOf(number: string, ...refs: readonly string[]): Reading[] {
  const quantity = Number(number);
  const isQuantity = /^\d+$/.test(number) && quantity > 0 && Number.isSafeInteger(quantity);
  return isQuantity && refs.length > 0 ? [{ quantity, refs }] : [];
}

export interface Match {
  /** Set only if exactly one item matches. */
  readonly item?: CatalogueItem;
  /** Undefined if the line has no quantity, or several that are possible. */
  readonly quantity: number | undefined;
  /** Most likely first; may be empty. */
  readonly candidates: readonly CatalogueItem[];
}

const MOST_CANDIDATES = 8;

/** Matches a line by its exact code; if no item has the code, by name or code without case, accents and double spaces. */
export function matchLine(
  { readings, text }: ListLine,
  catalogue: readonly CatalogueItem[],
): Match {
  const matching = (fits: (item: CatalogueItem, refs: readonly string[]) => boolean) =>
    readings.flatMap(({ quantity, refs }) =>
      catalogue.filter((item) => fits(item, refs)).map((item) => ({ item, quantity })),
    );
  let found = matching(({ code }, refs) => code !== undefined && refs.includes(code));
  if (found.length === 0) {
    found = matching(({ code, name }, refs) =>
      refs.map(fold).some((ref) => ref !== '' && (ref === fold(name) || ref === fold(code))),
    );
  }
  const quantities = new Set((found.length > 0 ? found : readings).map((one) => one.quantity));
  const quantity = quantities.size === 1 ? [...quantities][0] : undefined;
  const items = [...new Set(found.map(({ item }) => item))];
  if (found.length === 1) return { item: items[0]!, quantity, candidates: items };
  // The quantity may be unreadable: `1.5 x CS-4759`.
  const parts = text.split(/[\t;]|\s[x×*]\s/i).map((part) => part.trim());
  const named = parts.filter((part) => !/^[\d.,+-]*$/.test(part));
  const refs = readings.length > 0 ? readings.flatMap((reading) => reading.refs) : named;
  const near =
    items.length > 0 ? items : [...new Set(refs.flatMap((ref) => alike(ref, catalogue)))];
  return { quantity, candidates: near.slice(0, MOST_CANDIDATES) };
}

/** The item with the most similar code or name, then all items that contain every word. */
function alike(ref: string, catalogue: readonly CatalogueItem[]): readonly CatalogueItem[] {
  const keys = new Map<string, CatalogueItem>();
  for (const item of catalogue) {
    for (const key of [item.code, item.name]) if (key !== undefined) keys.set(key, item);
  }
  const closest = nearest(ref, keys.keys());
  const holding = holdingWords(ref, catalogue);
  return closest === undefined ? holding : [keys.get(closest)!, ...holding];
}

function holdingWords(term: string, catalogue: readonly CatalogueItem[]): CatalogueItem[] {
  const words = fold(term).split(' ');
  return catalogue.filter(({ code, name }) => {
    const text = `${fold(code)} ${fold(name)}`;
    return words.every((word) => text.includes(word));
  });
}

const MOST_FOUND = 50;

/** Items that contain every word of the term in code or name, best matches first. */
export function searchItems(
  catalogue: readonly CatalogueItem[],
  term: string,
): readonly CatalogueItem[] {
  const wanted = fold(term);
  const rank = ({ code, name }: CatalogueItem): number => {
    const texts = [fold(code), fold(name)];
    if (texts.includes(wanted)) return 0;
    return texts.some((text) => text.startsWith(wanted)) ? 1 : 2;
  };
  return holdingWords(term, catalogue)
    .sort((a, b) => rank(a) - rank(b))
    .slice(0, MOST_FOUND);
}

function fold(text: string | undefined): string {
  return (text ?? '')
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .trim();
}
