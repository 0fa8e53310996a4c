import { describe, expect, it } from 'vitest';
import { convert } from '../../../src/import/map/convert.ts';

describe('numbers as files have them', () => {
  it.each([
    ['1.234,5', ',', 1234.5],
    ['1.234.567', ',', 1234567],
    ['12,5', ',', 12.5],
    ['1.000', ',', 1000],
    ['-1.000,25', ',', -1000.25],
    ['1.000', '.', 1],
    ['1,234.5', '.', 1234.5],
    ['0.125', undefined, 0.125],
    ['12.5', undefined, 12.5],
    ['1234.567', undefined, 1234.567],
    [1.125, undefined, 1.125],
    [1.125, ',', 1.125],
  ] as const)('%s with --decimal %s is %s', (text, decimal, number) => {
    expect(convert(text, 'number', decimal)).toEqual({ value: number });
  });

  it.each([
    ['1.000', undefined, '"1.000" may mean 1000 or 1; choose with --decimal , or --decimal .'],
    ['1,500', undefined, '"1,500" may mean 1500 or 1.5; choose with --decimal , or --decimal .'],
    [
      '1,5',
      undefined,
      'must be a number like 1234.5, got "1,5"; if commas are decimals, add --decimal ,',
    ],
    ['12.34', ',', 'must be a number like 1.234,5 (--decimal ,), got "12.34"'],
    ['1.23.456', ',', 'must be a number like 1.234,5 (--decimal ,), got "1.23.456"'],
    ['1,2,3', ',', 'must be a number like 1.234,5 (--decimal ,), got "1,2,3"'],
  ] as const)('%s with --decimal %s is no number', (text, decimal, problem) => {
    expect(convert(text, 'number', decimal)).toEqual({ problem });
  });

  it('whole numbers follow the same rules', () => {
    expect(convert('1.000', 'integer', ',')).toEqual({ value: 1000 });
    expect(convert('1.000', 'integer')).toHaveProperty('problem');
    expect(convert('12', 'integer', ',')).toEqual({ value: 12 });
  });
});
