import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonError, readJson } from '../../../src/core/json.ts';

describe('readJson', () => {
  it('reads what JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), fc.constantFrom(0, 2, '\t'), (value, space) => {
        const text = JSON.stringify(value, null, space);
        expect(readJson(text)).toEqual(JSON.parse(text));
      }),
      { numRuns: 300 },
    );
  });

  it('accepts nothing that JSON.parse refuses, and returns the same values', () => {
    const sign = fc.constantFrom(...'{}[],:"a1-.e \\', 'null');
    const signs = fc.array(sign, { maxLength: 12 }).map((parts) => parts.join(''));
    const text = fc.oneof(fc.string({ maxLength: 30 }), signs);
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
      { numRuns: 1000 },
    );
  });

  it('keeps a field named __proto__ as a field', () => {
    const read = readJson('{"__proto__":{"x":1}}') as object;
    expect(Object.keys(read)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
  });
});
