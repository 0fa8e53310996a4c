interface Reading {
  readonly quantity: number;
  /** Texts that may be the item's code or name, most likely first. */
  readonly refs: readonly string[];
}

export interface ListLine {
  readonly text: string;
  /** Most likely first; empty if the line has no quantity or no item. */
  readonly readings: readonly Reading[];
  /** Texts that may name the item, if the quantity is unreadable. */
  readonly refs?: readonly string[];
}

const QUANTITY_HEADER = /^(q(uanti)?ty|quantity|cantidad|cant\.?|count|units?|unidades)$/i;
const REFERENCE_HEADER =
  /^(item|art[ií]culo|code|c[oó]digo|sku|name|nombre|product|producto|description|descripci[oó]n)$/i;

/**
 * Reads a list as people write it: `12 x AR-5381`, `AR-5381;12`, `12 Adjustable Race`, columns from a
 * spreadsheet. Skips a header line, empty lines and lines that begin with `#`.
 */
export function readList(text: string): ListLine[] {
  const all = text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|[\r\n]/)
    .map((one) => ({ text: one.trim(), cells: cellsOf(one) }))
    .filter((one) => one.text !== '' && !one.text.startsWith('#'));
  const quantityAt = headerOf(all[0]?.cells);
  const lines = quantityAt === undefined ? all : all.slice(1);
  return lines.map(({ text: shown, cells }) => ({
    text: shown,
    ...read(shown, cells, quantityAt),
  }));
}

/** For messages: tabs between columns become spaces. */
export function shownLine(text: string): string {
  return text.replace(/ *\t[ \t]*/g, '  ');
}

/**
 * The index of the quantity column; -1 if the headers name no quantity. Undefined if the cells are not
 * headers.
 */
function headerOf(cells: readonly string[] | undefined): number | undefined {
  if (cells === undefined || cells.length < 2) return undefined;
  const at = cells.findIndex((cell) => QUANTITY_HEADER.test(cell));
  if (at >= 0) return at;
  return cells.every((cell) => REFERENCE_HEADER.test(cell)) ? -1 : undefined;
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

type Found = Pick<ListLine, 'readings' | 'refs'>;

const UNITS = /^(\d+)\s*(?:pcs?|pieces?|units?|uds?|unidad(?:es)?)\.?\s+(.+)$/i;

function read(text: string, cells: readonly string[], quantityAt = -1): Found {
  const filled = cells.filter((cell) => cell !== '');
  if (filled.length > 1) return readColumns(cells, quantityAt);
  return readSentence(filled[0] ?? text);
}

function readColumns(cells: readonly string[], quantityAt: number): Found {
  const candidates =
    quantityAt >= 0 && quantityAt < cells.length
      ? [quantityAt]
      : // The code usually comes before the quantity, so the last number is the likeliest quantity.
        cells.flatMap((cell, index) => (looksLikeNumber(cell) ? [index] : [])).reverse();
  const readings: Reading[] = [];
  for (const index of candidates) {
    const quantity = quantityOf(cells[index]!);
    const refs = cells.filter((cell, other) => other !== index && cell !== '');
    if (quantity !== undefined && refs.length > 0) readings.push({ quantity, refs });
  }
  if (readings.length > 0) return { readings };
  if (candidates.length === 0) return { readings };
  const refs = cells.filter((cell, index) => cell !== '' && !candidates.includes(index));
  return { readings, refs };
}

function readSentence(text: string): Found {
  const unclear = readBothEnds(text);
  if (unclear.length > 1) return { readings: unclear };
  // `12×AR-5381` begins with a quantity. `12xAR` may be a code, so it does not match here.
  const tight = /^(\d+)[×*](\S.*)$/.exec(text);
  const counted = UNITS.exec(text);
  const times = /^(\S+?)\s*[x×*]\s+(.+)$/i.exec(text);
  const timesAfter = reversed(/^(.+?)\s+[x×*]\s*(\S+)$/i.exec(text));
  const plain = /^(\S+)\s+(.+)$/.exec(text);
  const trailing = reversed(/^(.+?)\s+(\S+)$/.exec(text));
  for (const match of [tight, counted, times, timesAfter, plain, trailing]) {
    if (match === undefined || match === null || !looksLikeNumber(match[1]!)) continue;
    const quantity = quantityOf(match[1]!);
    if (quantity === undefined) {
      return { readings: [], refs: [match[2]!] };
    }
    // The unit may be part of the name: "3 pieces of eight" may order "of eight" or "pieces of eight".
    const whole = match === counted && plain !== null && plain[1] === match[1] ? [plain[2]!] : [];
    return { readings: [{ quantity, refs: [match[2]!, ...whole] }] };
  }
  return { readings: [] };
}

/** Forms in which a sign or a unit shows which number is the quantity: `8 x …`, `8 pcs …`. */
const CLEAR_QUANTITY = [/^\d+[×*]\S/, UNITS, /^\S+?\s*[x×*]\s+\S/i, /\s[x×*]\s*\S+$/i];

/**
 * Reads a line with several numbers at its ends: `8 mm Wrench 3`, `AR-5381 12 34`. Each number may be the
 * quantity. The item is all other words, or only the words between the numbers.
 */
function readBothEnds(text: string): Reading[] {
  if (CLEAR_QUANTITY.some((form) => form.test(text))) return [];
  const words = text.split(/\s+/);
  const first = words.findIndex((word) => !looksLikeNumber(word));
  const last = words.findLastIndex((word) => !looksLikeNumber(word));
  const [before, behind] = first < 0 ? [1, words.length - 1] : [first, last + 1];
  const named = words.slice(before, behind).join(' ');
  // Numbers before the name come first, then the numbers after it, from the last one back.
  const ends = [...words.keys()].filter((at) => at < before || at >= behind);
  const likeliest = [...ends.filter((at) => at < before), ...ends.toReversed()];
  return [...new Set(likeliest)].flatMap((at) => {
    const quantity = quantityOf(words[at]!);
    const isEdge = at === 0 || at === words.length - 1;
    const rest = isEdge ? words.filter((_, other) => other !== at).join(' ') : named;
    const refs = [...new Set([rest, named])].filter((ref) => ref !== '');
    return quantity === undefined || refs.length === 0 ? [] : [{ quantity, refs }];
  });
}

function reversed(match: RegExpExecArray | null): [string, string, string] | undefined {
  return match === null ? undefined : [match[0], match[2]!, match[1]!];
}

function looksLikeNumber(text: string): boolean {
  return /^[+-]?\d+([.,]\d+)*$/.test(text);
}

/** A whole number above 0. `1.000` and `12,0` are ambiguous, so they are no quantity. */
function quantityOf(text: string): number | undefined {
  const value = Number(text);
  return /^\+?\d+$/.test(text) && value > 0 && Number.isSafeInteger(value) ? value : undefined;
}
