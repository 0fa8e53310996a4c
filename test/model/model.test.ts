import { describe, expect, test } from 'vitest';
import { atNight } from '../support/at-night.ts';
import { explore } from './explore.ts';
import { loadVariant, PROTOCOL, QUICK, SETTINGS, VARIANTS } from './variants.ts';

/** Settings whose stories are long. */
const LONG = ['a restored ledger and single writes', 'a changed value', 'equal lines and a kill'];

// `test/nightly/model.test.ts` explores more.
test.each(QUICK)('every promise holds in every state: %s', (name) => {
  const { states, failure } = explore(PROTOCOL, SETTINGS[name]);
  expect(failure).toBeUndefined();
  expect(states).toBeGreaterThan(800);
});

describe('a protocol without one of its rules breaks a promise', () => {
  test.each(VARIANTS.filter((one) => atNight || !LONG.includes(one.in)))(
    '$breaks',
    async (variant) => {
      const { failure } = explore(await loadVariant(variant), SETTINGS[variant.in]);
      expect(failure?.promise).toBe(variant.promise);
    },
  );
});
