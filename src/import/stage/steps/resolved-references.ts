import type { RowStep } from '../row-step.ts';

export const resolvedReferences: RowStep = {
  name: 'references',
  begin: ({ resolver }) =>
    resolver === undefined ? undefined : { apply: (row) => resolver.resolve(row) },
};
