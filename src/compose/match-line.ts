import { nearest } from '../core/text/nearest.ts';
import type { CatalogueItem } from '../nouns/shared/catalogue.ts';
import type { ListLine } from './list-lines.ts';

export type Match =
  | {
      readonly kind: 'sure';
      readonly by: 'code' | 'name';
      readonly item: CatalogueItem;
      readonly quantity: number;
    }
  | {
      /** There are several matches, or there is no exact match. */
      readonly kind: 'doubtful';
      /** Most likely first; may be empty. */
      readonly candidates: readonly CatalogueItem[];
      /** Undefined if the line has no quantity, or several that are possible. */
      readonly quantity: number | undefined;
    };

const MOST_CANDIDATES = 8;

/**
 * Matches a line by its exact code. If no item has the code, matches by name or code, and ignores case,
 * accents and repeated spaces. A match is sure only if it is the only one. `listing/match-reference` has
 * other rules, because it reads one typed reference.
 */
export function matchLine(line: ListLine, catalogue: readonly CatalogueItem[]): Match {
  const { readings } = line;
  const byCode = readings.flatMap(({ quantity, refs }) =>
    catalogue
      .filter(({ code }) => code !== undefined && refs.includes(code))
      .map((item) => ({ item, quantity })),
  );
  if (byCode.length === 1) return { kind: 'sure', by: 'code', ...byCode[0]! };
  if (byCode.length > 1) return doubtful(byCode);
  const byName = readings.flatMap(({ quantity, refs }) => {
    const wanted = refs.map(fold);
    return catalogue
      .filter(({ code, name }) => wanted.includes(fold(name)) || wanted.includes(fold(code)))
      .map((item) => ({ item, quantity }));
  });
  if (byName.length === 1) return { kind: 'sure', by: 'name', ...byName[0]! };
  if (byName.length > 1) return doubtful(byName);
  const refs =
    readings.length > 0 ? readings.flatMap((reading) => reading.refs) : (line.refs ?? [line.text]);
  return {
    kind: 'doubtful',
    candidates: [...new Set(refs.flatMap((ref) => near(ref, catalogue)))].slice(0, MOST_CANDIDATES),
    quantity: readings.length === 1 ? readings[0]!.quantity : undefined,
  };
}

function doubtful(found: readonly { item: CatalogueItem; quantity: number }[]): Match {
  const quantities = new Set(found.map(({ quantity }) => quantity));
  return {
    kind: 'doubtful',
    candidates: [...new Set(found.map(({ item }) => item))].slice(0, MOST_CANDIDATES),
    quantity: quantities.size === 1 ? found[0]!.quantity : undefined,
  };
}

/** The item with the most similar code or name, then all items that contain every word. */
function near(ref: string, catalogue: readonly CatalogueItem[]): CatalogueItem[] {
  const keys = new Map<string, CatalogueItem>();
  for (const item of catalogue) {
    for (const key of [item.code, item.name]) if (key !== undefined) keys.set(key, item);
  }
  const closest = nearest(ref, keys.keys());
  const words = fold(ref).split(' ');
  const holding = catalogue.filter((item) => {
    const text = `${fold(item.code)} ${fold(item.name)}`;
    return words.every((word) => text.includes(word));
  });
  return closest === undefined ? holding : [keys.get(closest)!, ...holding];
}

export function fold(text: string | undefined): string {
  return (text ?? '')
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .trim();
}
