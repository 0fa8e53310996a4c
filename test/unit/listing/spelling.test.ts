import { describe, expect, it } from 'vitest';
import { foldSpelling } from '../../../src/listing/spelling.ts';

describe('the spelling of codes', () => {
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
    expect(foldSpelling(one)).toBe(foldSpelling(other));
  });

  it.each([
    ['A-1', 'A_1'],
    ['A1', 'A-1'],
    ['A 1', 'A1'],
    ['N', 'Ñ'],
    ['O-1', '0-1'],
  ])('does not take %s and %s for twins', (one, other) => {
    expect(foldSpelling(one)).not.toBe(foldSpelling(other));
  });
});
