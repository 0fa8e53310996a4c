import { expect, it } from 'vitest';
import { twiceText } from '../../../src/import/reconcile/seen-after.ts';

it.each([
  [1, 0, 'It was also created elsewhere'],
  [5, 0, 'They were also created elsewhere'],
  [5, 5, 'commands of this machine created them too'],
  [5, 2, 'commands of this machine created 2 of them too. The other 3 were also created elsewhere'],
])(
  'of %i codes that exist twice, %i by this machine: the text says who created them',
  (twice, twiceHere, text) => {
    const named = [{ code: 'A-1', ids: ['itm-1', 'itm-2'] }];
    const ending = twiceText({ isComplete: true, twice, twiceHere, named });
    expect(ending).toContain(text);
  },
);
