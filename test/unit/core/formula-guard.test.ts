import fc from 'fast-check';
import { expect, it } from 'vitest';
import { guarded, unguarded } from '../../../src/core/formula-guard.ts';

it.each([
  ['=1+1', "'=1+1"],
  ["'=1+1", "''=1+1"],
  ['-x', "'-x"],
  ['-5', '-5'],
  ['+1,5', '+1,5'],
  ["'quoted", "'quoted"],
  ['plain', 'plain'],
])('%s is written as %s', (text, written) => {
  expect(guarded(text)).toBe(written);
  expect(unguarded(written)).toBe(text);
});

it('gives back whatever was there', () => {
  const text = fc.string({ unit: fc.constantFrom("'", '=', '-', '+', '@', '\t', '1', ',', 'a') });
  fc.assert(
    fc.property(text, (any) => {
      expect(unguarded(guarded(any))).toBe(any);
    }),
  );
});
