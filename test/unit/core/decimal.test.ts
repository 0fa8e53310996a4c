import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sumDecimals, survivesDouble } from '../../../src/core/numbers.ts';

describe('sums of decimals', () => {
  it.each([
    [[], '0'],
    [['0.1', '0.2'], '0.3'],
    [['12345678901234567890.12', '0.88'], '12345678901234567891'],
    [['-5', '2.50'], '-2.5'],
    [['1e3', '1E-2'], '1000.01'],
    [['-0.001', '0.001'], '0'],
  ])('%j is %s', (texts, expected) => {
    expect(sumDecimals(texts)).toBe(expected);
  });

  it('equals the sum of cents, in any order', () => {
    fc.assert(
      fc.property(fc.array(fc.maxSafeInteger()), (cents) => {
        const texts = cents.map((value) => {
          const digits = Math.abs(value).toString().padStart(3, '0');
          return `${value < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
        });
        const total = cents.reduce((sum, value) => sum + BigInt(value), 0n);
        const [whole = '0', fraction = ''] = sumDecimals(texts).replace('-', '').split('.');
        const back = BigInt(whole + fraction.padEnd(2, '0'));
        expect(sumDecimals(texts).startsWith('-') ? -back : back).toBe(total);
      }),
    );
  });
});

describe('numbers that JSON would round', () => {
  it.each(['0', '-0.5', '222.15', '1e21', '9007199254740992', '1.50', '0e999'])(
    '%s survives',
    (source) => {
      expect(survivesDouble(source)).toBe(true);
    },
  );

  it.each([
    '12345678901234567890.12',
    '9007199254740993',
    '1e400',
    '1e-400',
    '0.12345678901234567890',
  ])('%s does not', (source) => {
    expect(survivesDouble(source)).toBe(false);
  });

  it('every double that JavaScript writes survives', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(survivesDouble(String(value))).toBe(true);
      }),
    );
  });
});
