import { expect, test } from 'vitest';
import { explore } from '../model/explore.ts';
import { MACHINES, ONE_MACHINE } from '../model/variants.ts';

test.each([
  { rows: 1, isListable: true, crashes: 1, lostLocks: 1, lostFiles: 0 },
  { rows: 1, isListable: false, crashes: 1, lostLocks: 1, lostFiles: 0 },
  { rows: 2, isListable: true, crashes: 0, lostLocks: 1, lostFiles: 0 },
  { rows: 2, isListable: true, crashes: 1, lostLocks: 0, lostFiles: 0 },
  { rows: 1, isListable: true, crashes: 1, lostLocks: 0, lostFiles: 1 },
  { rows: 1, isListable: false, crashes: 1, lostLocks: 0, lostFiles: 1 },
  { rows: 2, isListable: false, crashes: 1, lostLocks: 0, lostFiles: 0 },
  { rows: 3, isListable: true, crashes: 1, lostLocks: 0, lostFiles: 0 },
  { rows: 3, isListable: false, crashes: 1, lostLocks: 0, lostFiles: 0 },
])(
  'the protocol keeps every promise in every state: %o',
  ({ rows, ...setting }) => {
    const { states, failure } = explore(ONE_MACHINE, rows, setting);
    expect(failure).toBeUndefined();
    expect(states).toBeGreaterThan(10_000);
  },
  900_000,
);

const SHARED = { suspends: false, crashes: 0, losses: 0, expiries: 0 };

test.each([
  { rows: 1, isListable: true, ...SHARED, crashes: 1, losses: 1 },
  { rows: 1, isListable: true, ...SHARED, expiries: 1 },
  { rows: 1, isListable: false, ...SHARED, losses: 1, expiries: 1 },
  { rows: 2, isListable: false, ...SHARED, crashes: 1 },
  { rows: 2, isListable: true, ...SHARED, losses: 1 },
])(
  'two machines that share a ledger keep every promise in every state: %o',
  ({ rows, ...setting }) => {
    expect(explore(MACHINES, rows, setting).failure).toBeUndefined();
  },
  900_000,
);
