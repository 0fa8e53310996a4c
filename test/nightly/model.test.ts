import { expect, test } from 'vitest';
import { explore } from '../model/explore.ts';
import { NIGHTLY, PROTOCOL } from '../model/variants.ts';

test.each(Object.entries(NIGHTLY))(
  'every promise holds in every state: %s',
  (_, setting) => {
    const { states, failure } = explore(PROTOCOL, setting);
    expect(failure).toBeUndefined();
    expect(states).toBeGreaterThan(10_000);
  },
  900_000,
);
