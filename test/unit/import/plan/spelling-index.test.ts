import { describe, expect, it } from 'vitest';
import { foldSpelling, SpellingIndex } from '../../../../src/import/plan/spelling-index.ts';

const added = (codes: readonly string[]) => {
  const index = new SpellingIndex(codes.length);
  return codes.map((code) => index.add(code));
};

describe('the index of spellings', () => {
  it.each([
    ['case', 'hb-12', 'HB-12'],
    ['case beyond ASCII', 'ñandú-1', 'ÑANDÚ-1'],
    ['kind of space', 'A 1', 'A\u00a01'],
    ['number of spaces', 'A 1', 'A  1'],
    ['a tab', 'A 1', 'A\t1'],
    ['a space before the code', 'A 1', ' A 1'],
    ['spaces after the code', 'A 1', 'A 1  '],
    ['spaces around a code beyond ASCII', 'CAFÉ', ' CAFÉ '],
    ['kind of dash', 'A-1', 'A–1'],
    ['a non-breaking hyphen', 'A-1', 'A\u20111'],
    ['a minus sign', 'A-1', 'A−1'],
    ['composed and decomposed', 'CAFÉ', 'CAFE\u0301'],
    ['full width', 'A-1', 'Ａ－１'],
    ['a character without width', 'A-1', 'A\u200b-1'],
  ])('finds twins that differ in %s', (_, one, other) => {
    expect(added([one, other])).toEqual(['new', 'other']);
    expect(added([other, one, one, other])).toEqual(['new', 'other', 'known', 'known']);
    expect(foldSpelling(one)).toBe(foldSpelling(other));
  });

  it.each([
    ['A-1', 'A_1'],
    ['A1', 'A-1'],
    ['A 1', 'A1'],
    ['N', 'Ñ'],
    ['O-1', '0-1'],
  ])('does not take %s and %s for twins', (one, other) => {
    expect(added([one, other])).toEqual(['new', 'new']);
  });

  it('finds exactly the twins among 200,000 codes, in any order', () => {
    const codes = Array.from({ length: 100_000 }, (_, at) => `BN-${at * 7919}`);
    const twins = codes.filter((_, at) => at % 10 === 0).map((code) => code.toLowerCase());
    const index = new SpellingIndex(110_000);
    const found = [...codes, ...twins].map((code) => index.add(code));
    expect(found.filter((one) => one === 'other')).toHaveLength(10_000);
    expect(found.slice(100_000).every((one) => one === 'other')).toBe(true);
    expect(codes.every((code) => index.add(code) === 'known')).toBe(true);
  });
});
