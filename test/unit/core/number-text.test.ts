import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readNumber, writtenNumber } from '../../../src/core/numbers.ts';

it.each([
  ['12', '12', undefined],
  ['-0.125', '-0.125', '.'],
  ['0,125', '0.125', ','],
  ['1234.567', '1234.567', '.'],
  ['1.234,50', '1234.50', ','],
  ['1,234.50', '1234.50', '.'],
  ['1.234.567', '1234567', ','],
  ['12.3450', '12.3450', '.'],
  ['1,5', '1.5', ','],
  ['1e3', '1e3', undefined],
  ['1.125e3', '1.125e3', '.'],
])('%s is the number %s, with the decimal mark %s', (text, number, mark) => {
  expect(readNumber(text)).toEqual({ kind: 'number', text: number, ...(mark && { mark }) });
});

it.each([
  ['1.000', '1000', '1.0000'],
  ['12.345', '12345', '12.3450'],
  ['-123,456', '-123456', '-123.4560'],
])('%s is ambiguous: %s or %s', (text, grouped, divided) => {
  expect(readNumber(text)).toEqual({ kind: 'ambiguous', grouped, divided });
  expect(readNumber(text, ',').kind).toBe('number');
  for (const one of [grouped, divided]) expect(readNumber(one).kind).toBe('number');
});

it.each(['', '12 EUR', '1.23.456', '1,2,3', '1,234,5', '1.', '.5', '1.234.56', '0.123.456', '5-3'])(
  '%j is no number',
  (text) => {
    expect(readNumber(text).kind).toBe('none');
  },
);

it('a number that proc writes is read back, with either mark', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.integer({ min: -1e6, max: 1e6 }).map((n) => n / 1000),
      ),
      fc.constantFrom('.' as const, ',' as const),
      (number, mark) => {
        const read = readNumber(writtenNumber(String(number), mark));
        expect(read.kind === 'number' && Number(read.text)).toBe(
          Object.is(number, -0) ? 0 : number,
        );
      },
    ),
  );
});
