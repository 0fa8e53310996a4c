import { isObject } from '../../../core/is-object.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * A body with the texts at a path put anew: `sector`, or `groups[].addressId` for each element of an
 * array. What is not there, or is no text, stays as it is.
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

/** `groups[].addressId` as steps. A name with a dot and no array before it is one field: `group.name`. */
export function stepsOf(path: string): readonly string[] {
  return path.includes('[]') ? path.split('.') : [path];
}
