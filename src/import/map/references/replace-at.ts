import { isObject } from '../../../core/is-object.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Replaces the texts at a path, e.g. `sector`, or `groups[].addressId` in each element of an array.
 * Other values stay as they are.
 */
export function replaceAt(
  body: Fields,
  path: readonly string[],
  put: (text: string) => unknown,
): Fields {
  const [name, ...rest] = path;
  if (name === undefined) return body;
  const key = name.replace(/\[\]$/, '');
  const value = Object.hasOwn(body, key) ? body[key] : undefined;
  if (name.endsWith('[]')) {
    if (!Array.isArray(value)) return body;
    return {
      ...body,
      [key]: value.map((one: unknown) => (isObject(one) ? replaceAt(one, rest, put) : one)),
    };
  }
  if (rest.length > 0) {
    return isObject(value) ? { ...body, [key]: replaceAt(value, rest, put) } : body;
  }
  return typeof value === 'string' ? { ...body, [key]: put(value) } : body;
}

/**
 * Splits `groups[].addressId` into steps. Without an array, a dot is part of the name: `group.name`
 * is one field.
 */
export function stepsOf(path: string): readonly string[] {
  return path.includes('[]') ? path.split('.') : [path];
}
