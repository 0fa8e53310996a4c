import fc from 'fast-check';
import { expect, it } from 'vitest';
import { guarded, unguarded } from '../../../src/output/formula-guard.ts';

it.each([
  ['=1+1', "'=1+1"],
  ["'=1+1", "''=1+1"],
  ['-x', "'-x"],
  ['-5', '-5'],
  ['+1,5', '+1,5'],
  ["'quoted", "''quoted"],
  ['plain', 'plain'],
  ['x;=1+1', "x;'=1+1"],
  ['x,=1+1;y', "x,'=1+1;y"],
  ['x\t@SUM(A1)', "x\t'@SUM(A1)"],
  ['x\n=1+1', "x\n'=1+1"],
  ['＝1+1', "'＝1+1"],
  ['＋－＠', "'＋－＠"],
  ['\n=1+1', "'\n'=1+1"],
  ['[1,-2]', '[1,-2]'],
  ['2026-01-31', '2026-01-31'],
])('%s is written as %s', (text, written) => {
  expect(guarded(text)).toBe(written);
  expect(unguarded(written)).toBe(text);
});

it('restores exactly what was there', () => {
  const text = fc.string({
    unit: fc.constantFrom("'", '=', '－', '+', '@', '\t', '\n', '1', ',', ';', 'a'),
  });
  fc.assert(
    fc.property(text, (any) => {
      expect(unguarded(guarded(any))).toBe(any);
    }),
    { numRuns: 500, examples: [["''"], ["'"]] },
  );
});
