import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { atNight } from '../support/at-night.ts';
import { binary } from '../support/built.ts';
import { crashLedger, MUTANTS, mutate, NINE_PERCENT } from './import-ledger.ts';

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'proc-ledger-'));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

const LATE = { faults: NINE_PERCENT, settle: '1s', seed: 11 } as const;

const SIZE = atNight ? { rows: 2_000, kills: 12 } : { rows: 400, kills: 3 };
/** Rows that no list shows are sent in small batches, which takes longer. */
const SMALLER = atNight ? { rows: 800, kills: 6 } : { rows: 300, kills: 3 };

it(`${SIZE.rows} rows, kill -9 at random moments, 9 % faults: none lost, none duplicated`, async () => {
  const ledger = await crashLedger({
    ...LATE,
    binary: binary(),
    folder: await folder(),
    ...SIZE,
    killWithin: 80,
  });
  expect(ledger).toMatchObject({ rows: SIZE.rows, lost: 0, doubled: 0, misjudged: 0, exitCode: 0 });
  expect(ledger.kills).toBeGreaterThan(0);
}, 240_000);

it.each(atNight ? (['imputations', 'requisitions'] as const) : (['imputations'] as const))(
  '%s, which cannot be listed: none lost, none duplicated, unconfirmed ones parked, none sent by a second import',
  async (noun) => {
    const ledger = await crashLedger({
      ...LATE,
      noun,
      binary: binary(),
      folder: await folder(),
      ...SMALLER,
      killWithin: 60,
    });
    const { parked } = ledger;
    expect(ledger).toMatchObject({ lost: 0, doubled: 0, misjudged: 0, sentAgain: 0, exitCode: 9 });
    expect(ledger.summary).toMatchObject({
      ...{ rows: SMALLER.rows, unconfirmed: parked, pending: 0, rejected: 0 },
    });
    const { created, sentBefore } = ledger.summary as Record<string, number>;
    expect(created! + sentBefore!).toBe(SMALLER.rows - parked);
    expect(ledger.kills).toBeGreaterThan(0);
    expect(parked).toBeGreaterThan(0);
    expect(ledger.cutOff).toBeLessThanOrEqual(ledger.underWay);
  },
  240_000,
);

const PROGRAMS = Object.keys(MUTANTS) as (keyof typeof MUTANTS)[];

it.each([
  ['repeats blindly', 'items'] as const,
  ...(atNight ? PROGRAMS.map((mutant) => [mutant, 'requisitions'] as const) : []),
])(
  'detects a program that %s (%s)',
  async (mutant, noun) => {
    const ledger = await crashLedger({
      ...LATE,
      noun,
      binary: mutate(binary(), await folder(), mutant),
      folder: await folder(),
      ...SMALLER,
      killWithin: 60,
      lastRunMs: noun === 'items' ? 8_000 : 60_000,
    });
    // Either the service has a row twice, or a resume finds the row in the list and wrongly counts it as existing.
    expect(ledger.doubled + ledger.misjudged).toBeGreaterThan(0);
  },
  240_000,
);
