import type { RowStep } from '../row-step.ts';

/** Puts ids in the place of what people know: codes, keys, aliases. */
export const resolvedReferences: RowStep = {
  name: 'references',
  begin: ({ resolver }) =>
    resolver === undefined ? undefined : { apply: (row) => resolver.resolve(row) },
};
