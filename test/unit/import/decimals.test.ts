import { describe, expect, it } from 'vitest';
import { sentence } from '../../../src/core/problem/sentence.ts';
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
    [
      '1.000',
      undefined,
      '"1.000" may be 1000 or 1.0000; write one of them, or choose with --decimal , or --decimal .',
    ],
    [
      '-1,500',
      undefined,
      '"-1,500" may be -1500 or -1.5000; write one of them, or choose with --decimal , or --decimal .',
    ],
    [
      '1,5',
      undefined,
      'must be a number like 1234.5, got "1,5"; if commas are decimals, add --decimal ,',
    ],
    [
      '1,234.50',
      undefined,
      'must be a number like 1234.5, got "1,234.50"; if points are decimals, add --decimal .',
    ],
    [
      '1.234,50',
      undefined,
      'must be a number like 1234.5, got "1.234,50"; if commas are decimals, add --decimal ,',
    ],
    ['12 EUR', undefined, 'must be a number like 1234.5, got "12 EUR"'],
    ['12.34', ',', 'must be a number like 1.234,5 (--decimal ,), got "12.34"'],
    ['1.23.456', ',', 'must be a number like 1.234,5 (--decimal ,), got "1.23.456"'],
    ['1,2,3', ',', 'must be a number like 1.234,5 (--decimal ,), got "1,2,3"'],
  ] as const)('%s with --decimal %s is no number', (text, decimal, problem) => {
    expect(sentence(convert(text, 'number', decimal).problem!)).toBe(problem);
  });

  it('whole numbers follow the same rules', () => {
    expect(convert('1.000', 'integer', ',')).toEqual({ value: 1000 });
    expect(convert('1.000', 'integer')).toHaveProperty('problem');
    expect(convert('12', 'integer', ',')).toEqual({ value: 12 });
  });
});

it.each([
  ['3,00', ',', 3],
  ['1.200,0', ',', 1200],
  ['3.00', undefined, 3],
  ['3.000', '.', 3],
] as const)('the whole number %s with --decimal %s is %s', (text, decimal, value) => {
  expect(convert(text, 'integer', decimal)).toEqual({ value });
});

it.each([
  ['3,50', ',', 'must be a whole number like 12, got "3,50"'],
  ['3.50', undefined, 'must be a whole number like 12, got "3.50"'],
  ['1e2', undefined, 'must be a whole number like 12, got "1e2"'],
  ['9007199254740993,0', ',', 'the number 9007199254740993,0 would be rounded'],
] as const)('%s with --decimal %s is no whole number', (text, decimal, problem) => {
  expect(sentence(convert(text, 'integer', decimal).problem!)).toBe(problem);
});
