import '../model/model.test.ts';
import { expect, test } from 'vitest';
import { explore } from '../model/explore.ts';
import { NIGHTLY, PROTOCOL, SETTINGS } from '../model/variants.ts';

test.each(Object.entries({ ...SETTINGS, ...NIGHTLY }))(
  'every promise holds in every state: %s',
  (_, setting) => {
    const { states, failure } = explore(PROTOCOL, setting);
    expect(failure).toBeUndefined();
    expect(states).toBeGreaterThan(800);
  },
  900_000,
);
