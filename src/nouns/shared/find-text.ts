import { isRawNumber } from '../../core/text/raw-number.ts';

/** A text inside a value, and what a check found in it. */
export interface FoundText<T> {
  /** Its place: `name`, or `groups[0].items[1].item.code`. */
  readonly field: string;
  readonly found: T;
}

/**
 * Checks every text in an object, at any depth.
 *
 * @param check receives the text and its key; undefined: nothing found
 * @returns the first finding, in order
 */
export function findText<T>(
  value: object,
  check: (text: string, key: string) => T | undefined,
  path = '',
): FoundText<T> | undefined {
  const isList = Array.isArray(value);
  for (const key in value) {
    const inner = (value as Record<string, unknown>)[key];
    const field = () => (isList ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`);
    if (typeof inner === 'string') {
      const found = check(inner, key);
      if (found !== undefined) return { field: field(), found };
    } else if (typeof inner === 'object' && inner !== null && !isRawNumber(inner)) {
      const found = findText(inner, check, field());
      if (found !== undefined) return found;
    }
  }
  return undefined;
}
