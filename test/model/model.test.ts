import { describe, expect, test } from 'vitest';
import { explore } from './explore.ts';
import { loadVariant, PROTOCOL, QUICK, SETTINGS, VARIANTS } from './variants.ts';

// `test/nightly/model.test.ts` explores more.
test.each(QUICK)('every promise holds in every state: %s', (name) => {
  const { states, failure } = explore(PROTOCOL, SETTINGS[name]);
  expect(failure).toBeUndefined();
  expect(states).toBeGreaterThan(800);
});

describe('a protocol without one of its rules breaks a promise', () => {
  test.each(VARIANTS)('$breaks', async (variant) => {
    const { failure } = explore(await loadVariant(variant), SETTINGS[variant.in]);
    expect(failure?.promise).toBe(variant.promise);
  });
});
