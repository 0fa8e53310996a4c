import type { RowStep } from '../row-step.ts';

/** Puts ids in place of codes, keys and aliases. */
export const resolvedReferences: RowStep = {
  name: 'references',
  begin: ({ resolver }) =>
    resolver === undefined ? undefined : { apply: (row) => resolver.resolve(row) },
};
