import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SeenKeys } from '../../../src/listing/list-pages.ts';

describe('the keys of seen rows', () => {
  it('distinguish new rows from seen ones, like a Set', () => {
    const key = fc.oneof(
      fc.string({ unit: fc.constantFrom('a', 'b', 'é', '工', '\ud83d', '\ude00', '') }),
      fc.constantFrom('', 'x'.repeat(21_845), 'x'.repeat(21_846), 'x'.repeat(70_000)),
    );
    fc.assert(
      fc.property(fc.array(key, { maxLength: 12 }), (keys) => {
        const seen = new SeenKeys();
        expect(keys.map((one) => seen.add(one))).toEqual(
          keys.map((one, at) => keys.indexOf(one) === at),
        );
      }),
      { numRuns: 30 },
    );
  });

  it('distinguish many rows too, in several blocks and after the table has grown', () => {
    const keys = new SeenKeys();
    const long = 'k'.repeat(40);
    let isNew = 0;
    for (let n = 0; n < 50_000; n++) if (keys.add(`${long}${n}`)) isNew++;
    for (let n = 0; n < 50_000; n += 97) if (keys.add(`${long}${n}`)) isNew++;
    expect(isNew).toBe(50_000);
    expect(keys.add(`${long}50000`)).toBe(true);
    keys.clear();
    expect(keys.has(`${long}50000`)).toBe(false);
    expect(keys.add(`${long}1`)).toBe(true);
  });
});
