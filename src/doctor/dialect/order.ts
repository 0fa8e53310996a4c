import type { Row } from '../../core/result.ts';

/** 1 ascending, -1 descending. */
export type Direction = 1 | -1;

type Compare = (a: string | number, b: string | number) => number;

/** Services sort in different ways. Values count as sorted if one of these functions finds them in order. */
const COMPARES: readonly Compare[] = [
  (a, b) => (a < b ? -1 : a > b ? 1 : 0),
  (a, b) => plain(String(a).toLowerCase(), String(b).toLowerCase()),
  (a, b) => plain(fold(a), fold(b)),
  (a, b) => collator.compare(String(a), String(b)),
];

const collator = new Intl.Collator('en');

function plain(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function fold(value: string | number): string {
  return String(value).normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

/**
 * The values of a field. Undefined if a row has no text or number in this field, or if fewer than
 * three values differ.
 */
export function valuesOf(
  rows: readonly Row[],
  field: string,
): readonly (string | number)[] | undefined {
  const values: (string | number)[] = [];
  for (const row of rows) {
    const value = row[field];
    if (typeof value !== 'string' && typeof value !== 'number') return undefined;
    values.push(value);
  }
  return new Set(values).size < 3 ? undefined : values;
}

export function directionsOf(values: readonly (string | number)[]): ReadonlySet<Direction> {
  const found = new Set<Direction>();
  for (const compare of COMPARES) {
    for (const direction of [1, -1] as const) {
      const isOrdered = values.every(
        (value, index) => index === 0 || compare(values[index - 1]!, value) * direction <= 0,
      );
      if (isOrdered) found.add(direction);
    }
  }
  return found;
}
