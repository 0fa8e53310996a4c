import { expect, it } from 'vitest';
import { hiddenText, refusedText, twiceText } from '../../../src/import/reconcile/seen-after.ts';
import type { Verified } from '../../../src/import/store/facts.ts';

const NAMED = [{ code: 'A-1', ids: ['a', 'b'] }];
const seen = (given: Partial<Verified> = {}): Verified => ({
  ...{ isComplete: true, twice: 0, named: NAMED },
  ...given,
});

it.each<[given: Partial<Verified>, text: string | undefined]>([
  [{}, undefined],
  [
    { twice: 1 },
    '1 code now exists more than once: A-1 (a, b). It was also created elsewhere at the same time',
  ],
  [
    { twice: 2, byName: true },
    '2 codes or names now exist more than once: A-1 (a, b), …. They were also created elsewhere at the same time',
  ],
  [
    { twice: 1, byName: true, twiceHere: 1 },
    '1 code or name now exists more than once: A-1 (a, b). Other runs or commands of this machine created it too',
  ],
  [
    { twice: 2, twiceHere: 2 },
    '2 codes now exist more than once: A-1 (a, b), …. Other runs or commands of this machine created them too',
  ],
  [
    { twice: 2, twiceHere: 1 },
    '2 codes now exist more than once: A-1 (a, b), …. Other runs or commands of this machine created 1 of them too. The other 1 was also created elsewhere',
  ],
  [
    { twice: 4, twiceHere: 1 },
    '4 codes now exist more than once: A-1 (a, b), …. Other runs or commands of this machine created 1 of them too. The other 3 were also created elsewhere',
  ],
])('duplicates after a run: %j', (given, text) => {
  expect(twiceText(seen(given))).toBe(text);
});

it.each<[given: Partial<Verified>, refused: string | undefined, hidden: string | undefined]>([
  [{}, undefined, undefined],
  [{ refused: [] }, undefined, undefined],
  [{ refused: [{ code: 'A-1', id: 'a' }] }, 'rejected, but the list has it: A-1 (a)', undefined],
  [
    {
      refused: [
        { code: 'A-1', id: 'a' },
        { code: 'B', id: 'b' },
      ],
    },
    'rejected, but the list has them: A-1 (a), B (b)',
    undefined,
  ],
])('rejected rows that the list has: %j', (given, refused, hidden) => {
  expect(refusedText(seen(given))).toBe(refused);
  expect(hiddenText(seen(given))).toBe(hidden);
});

it('created rows that the list does not show', () => {
  const rows = Array.from({ length: 4 }, (_, n) => ({ code: `A-${n}`, id: `i${n}` }));
  const one = hiddenText(seen({ hidden: 1, notListed: rows.slice(0, 1) }));
  expect(one).toContain('A-0 (i0)');
  const four = hiddenText(seen({ hidden: 4, notListed: rows, byName: true }));
  expect(four).toContain('A-0 (i0), A-1 (i1), A-2 (i2), …');
  expect(four).toContain('code or name');
  expect(one).not.toContain('or name');
});
