import { describe, expect, test } from 'vitest';
import { explore } from './explore.ts';
import { loadVariant, PROTOCOL, SETTINGS, VARIANTS } from './variants.ts';

// `test/nightly/model.test.ts` explores more.
test.each(Object.entries(SETTINGS))('every promise holds in every state: %s', (_, setting) => {
  const { states, failure } = explore(PROTOCOL, setting);
  expect(failure).toBeUndefined();
  expect(states).toBeGreaterThan(800);
});

describe('a protocol without one of its rules breaks a promise', () => {
  test.each(VARIANTS)('$breaks', async (variant) => {
    const { failure } = explore(await loadVariant(variant), SETTINGS[variant.in]);
    expect(failure?.promise).toBe(variant.promise);
  });
});
