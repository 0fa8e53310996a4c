import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonError, readJson } from '../../../src/core/json.ts';
import { survivesDouble } from '../../../src/core/numbers.ts';

describe('readJson', () => {
  it('reads what JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), fc.constantFrom(0, 2, '\t'), (value, space) => {
        const text = JSON.stringify(value, null, space);
        expect(readJson(text)).toEqual(JSON.parse(text));
      }),
      { numRuns: 1000 },
    );
  });

  it('accepts nothing that JSON.parse refuses, and returns the same values', () => {
    const text = fc.oneof(
      fc.string({ maxLength: 30 }),
      fc
        .array(
          fc.constantFrom(
            '{',
            '}',
            '[',
            ']',
            ',',
            ':',
            '"',
            'a',
            '1',
            '-',
            '.',
            'e',
            ' ',
            '\\',
            'null',
          ),
          { maxLength: 12 },
        )
        .map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(text, (given) => {
        let read: unknown;
        try {
          read = readJson(given);
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(JsonError);
          return;
        }
        expect(read).toEqual(JSON.parse(given));
      }),
      { numRuns: 2000 },
    );
  });

  it('keeps a field named __proto__ as a field', () => {
    const read = readJson('{"__proto__":{"x":1}}') as object;
    expect(Object.keys(read)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
  });
});

describe('numbers that a double keeps', () => {
  it('are all numbers that JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(survivesDouble(JSON.stringify(value))).toBe(true);
      }),
    );
  });

  it('are the integers up to 2^53', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 53n), max: 2n ** 53n }), (value) => {
        expect(survivesDouble(String(value))).toBe(true);
      }),
    );
  });

  it.each([
    ['0.1', true],
    ['1.10', true],
    ['1e2', true],
    ['100000000000000000000000', true],
    ['12345678901234567890', false],
    ['0.12345678901234567890', false],
    ['1e400', false],
    ['1e-400', false],
    ['0e999', true],
  ])('%s: %s', (text, kept) => {
    expect(survivesDouble(text)).toBe(kept);
  });
});
