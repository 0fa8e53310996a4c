import * as z from 'zod/mini';

/** A response field: documented, but never validated. */
export const text = z.nullish(z.string());
export const number = z.nullish(z.number());

const optionalText = () => z.optional(z.string());

/** Optional texts of a body. */
export function texts<const Name extends string>(...names: readonly Name[]) {
  type Fields = Record<Name, ReturnType<typeof optionalText>>;
  return Object.fromEntries(names.map((name) => [name, optionalText()])) as Fields;
}

/**
 * Paging and sorting parameters of a list (docs/service-contract.md §4 and §8). The contract does not name
 * them. These names are ours, and a dialect translates them.
 */
export function listQuery<const Fields extends readonly [string, ...string[]]>(fields: Fields) {
  return z.object({
    limit: z.optional(z.int().check(z.gte(0), z.lte(100))),
    offset: z.optional(z.int().check(z.gte(0))),
    sort: z.optional(z.enum(fields)),
    dir: z.optional(z.enum(['asc', 'desc'])),
  });
}

export const LIST_FIELDS = {
  limit: 'at most this many rows, 0 to 100',
  offset: 'skip this many rows',
  sort: 'sort by this field',
  dir: 'sort direction',
} as const;
