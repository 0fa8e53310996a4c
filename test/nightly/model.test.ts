import { expect, test } from 'vitest';
import { explore } from '../model/explore.ts';
import * as protocol from '../model/protocol.ts';

test.each([
  { rows: 1, isListable: true, crashes: 1, lostLocks: 1 },
  { rows: 1, isListable: false, crashes: 1, lostLocks: 1 },
  { rows: 2, isListable: true, crashes: 0, lostLocks: 1 },
  { rows: 2, isListable: true, crashes: 1, lostLocks: 0 },
  { rows: 2, isListable: false, crashes: 1, lostLocks: 0 },
  { rows: 3, isListable: true, crashes: 1, lostLocks: 0 },
  { rows: 3, isListable: false, crashes: 1, lostLocks: 0 },
])(
  'the protocol keeps every promise in every state: %o',
  ({ rows, ...setting }) => {
    const { states, failure } = explore(protocol, rows, setting);
    expect(failure).toBeUndefined();
    expect(states).toBeGreaterThan(10_000);
  },
  900_000,
);
