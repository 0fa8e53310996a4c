import { describe, expect, test } from 'vitest';
import { explore } from './explore.ts';
import * as protocol from './protocol.ts';
import { loadVariant, VARIANTS } from './variants.ts';

// One row and one misfortune find every variant. `test/nightly/model.test.ts` explores more.
const NO_LIST = { isListable: false, crashes: 1, lostLocks: 0 };
const LIST = { isListable: true, crashes: 1, lostLocks: 0 };
const LOST_LOCK = { isListable: true, crashes: 0, lostLocks: 1 };

test.each([NO_LIST, LIST])('the protocol keeps every promise in every state: %o', (setting) => {
  const { states, failure } = explore(protocol, 1, setting);
  expect(failure).toBeUndefined();
  expect(states).toBeGreaterThan(5000);
});

describe('a protocol without one of its rules breaks a promise', () => {
  test.each(VARIANTS)('$breaks', async (variant) => {
    const broken = await loadVariant(variant);
    const settings = variant.needsLostLock ? [LOST_LOCK] : [NO_LIST, LIST];
    const promises = settings.map((setting) => explore(broken, 1, setting).failure?.promise);
    expect(promises).toContain(variant.promise);
  });
});
