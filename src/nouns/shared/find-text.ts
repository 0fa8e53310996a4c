import { isRawNumber } from '../../core/text/raw-number.ts';

export interface FoundText<T> {
  /** The place of the text, e.g. `name` or `groups[0].items[1].item.code`. */
  readonly field: string;
  readonly found: T;
}

/**
 * Checks every text in an object, at any depth. Imports call it for every row, so it must be fast.
 *
 * @param check returns undefined if it finds nothing
 * @returns the first finding
 */
export function findText<T>(
  value: object,
  check: (text: string, key: string) => T | undefined,
  path = '',
): FoundText<T> | undefined {
  for (const key in value) {
    const inner = (value as Record<string, unknown>)[key];
    if (typeof inner === 'string') {
      const found = check(inner, key);
      if (found !== undefined) return { field: fieldOf(value, key, path), found };
    } else if (typeof inner === 'object' && inner !== null && !isRawNumber(inner)) {
      const found = findText(inner, check, fieldOf(value, key, path));
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

function fieldOf(value: object, key: string, path: string): string {
  if (Array.isArray(value)) return `${path}[${key}]`;
  return path === '' ? key : `${path}.${key}`;
}
