import { isRawNumber } from '../../core/text/raw-number.ts';

export interface FoundText<T> {
  readonly field: string;
  readonly found: T;
}

/**
 * Finds the first text at any depth for which `check` returns a finding. Must be fast, because imports
 * call it for every row.
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
