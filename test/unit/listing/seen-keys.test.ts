import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SeenKeys } from '../../../src/listing/seen-keys.ts';

describe('the keys of seen rows', () => {
  it('distinguish new rows from seen ones, like a Set', () => {
    const key = fc.oneof(
      fc.string({ unit: fc.constantFrom('a', 'b', 'é', '工', '\ud83d', '\ude00', '') }),
      fc.constantFrom('', 'x'.repeat(21_845), 'x'.repeat(21_846), 'x'.repeat(70_000)),
    );
    fc.assert(
      fc.property(fc.array(key), (keys) => {
        const keysSeen = new SeenKeys();
        const set = new Set<string>();
        for (const one of keys) {
          expect(keysSeen.add(one)).toBe(!set.has(one));
          set.add(one);
        }
      }),
    );
  });

  it('distinguish many rows too, in several blocks and after the table has grown', () => {
    const keys = new SeenKeys();
    const long = 'k'.repeat(40);
    for (let n = 0; n < 100_000; n++) expect(keys.add(`${long}${n}`)).toBe(true);
    for (let n = 0; n < 100_000; n += 97) expect(keys.add(`${long}${n}`)).toBe(false);
    expect(keys.add(`${long}100000`)).toBe(true);
  });
});
