import type { RowStep } from '../row-step.ts';

/** Replaces the codes, keys and aliases that people write by ids. */
export const resolvedReferences: RowStep = {
  name: 'references',
  begin: ({ resolver }) =>
    resolver === undefined ? undefined : { apply: (row) => resolver.resolve(row) },
};
