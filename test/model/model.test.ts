import { describe, expect, test } from 'vitest';
import { explore } from './explore.ts';
import {
  loadSharedVariant,
  loadVariant,
  MACHINES,
  ONE_MACHINE,
  SHARED_VARIANTS,
  VARIANTS,
} from './variants.ts';

// One row and one misfortune find every variant. `test/nightly/model.test.ts` explores more.
const NO_LIST = { isListable: false, crashes: 1, lostLocks: 0, lostFiles: 0 };
const LIST = { isListable: true, crashes: 1, lostLocks: 0, lostFiles: 0 };
const LOST_FILE = { isListable: true, crashes: 0, lostLocks: 0, lostFiles: 1 };
const LOST_LOCK = { isListable: true, crashes: 0, lostLocks: 1, lostFiles: 0 };

test.each([NO_LIST, LIST, LOST_FILE])(
  'the protocol keeps every promise in every state: %o',
  (setting) => {
    const { states, failure } = explore(ONE_MACHINE, 1, setting);
    expect(failure).toBeUndefined();
    expect(states).toBeGreaterThan(5000);
  },
);

describe('a protocol without one of its rules breaks a promise', () => {
  test.each(VARIANTS)('$breaks', async (variant) => {
    const broken = await loadVariant(variant);
    const usual = variant.needsLostFile ? [LOST_FILE] : [NO_LIST, LIST];
    const settings = variant.needsLostLock ? [LOST_LOCK] : usual;
    const promises = settings.map((setting) => explore(broken, 1, setting).failure?.promise);
    expect(promises).toContain(variant.promise);
  });
});

describe('two machines that share a ledger', () => {
  const CALM = { isListable: false, suspends: false, crashes: 0, losses: 0, expiries: 0 };
  const LOSS = { ...CALM, crashes: 1, losses: 1 };
  const EXPIRY = { ...CALM, expiries: 1 };

  test.each([LOSS, EXPIRY])('keep every promise in every state: %o', (setting) => {
    const { states, failure } = explore(MACHINES, 1, setting);
    expect(failure).toBeUndefined();
    expect(states).toBeGreaterThan(5000);
  });

  test.each(SHARED_VARIANTS)('break one without a rule: $breaks', async (variant) => {
    const broken = await loadSharedVariant(variant);
    const { failure } = explore(broken, 1, variant.needsLoss ? LOSS : EXPIRY);
    expect(failure?.promise).toBe(variant.promise);
  });

  test('break one beyond the limit: a sender is suspended between the check and the write', () => {
    const { failure } = explore(MACHINES, 1, { ...EXPIRY, suspends: true });
    expect(failure?.promise).toBe('nothing is created twice');
  });
});
