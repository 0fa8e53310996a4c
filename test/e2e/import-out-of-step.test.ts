import { describe, expect, it } from 'vitest';
import { binary } from '../support/built.ts';
import { openWorld } from '../support/run.ts';
import { type Kind, stepLedger } from './step-ledger.ts';

/** More faults than in the benchmark, so that a few hundred rows meet each kind. */
const SERVICES: Readonly<Record<string, Kind>> = {
  'says 503 unasked after a 201': { steps: { late503: 0.1 } },
  'says each 429 twice': { steps: { turnedAway: 0.05, twice429: 1 } },
  'says 201 twice, beside honest 429 and 400': {
    refused: 10,
    steps: { twice201: 0.1, turnedAway: 0.05 },
  },
  'says 400 twice': { refused: 5, steps: { twice400: 0.3 } },
  'swaps responses, beside honest 429 and 400': {
    refused: 10,
    steps: { swap: 0.1, turnedAway: 0.05 },
  },
  'sends responses twice that carry no code': {
    noun: 'requisition',
    refused: 10,
    steps: { twice201: 0.1, twice429: 0.5, twice400: 0.5, turnedAway: 0.05 },
  },
};

describe.concurrent('an import through a service that', () => {
  it.each(Object.entries(SERVICES))(
    '%s: each row has the state that the service returned it',
    async (_, kind) => {
      await using world = await openWorld();
      const { folder } = world;
      const count = await stepLedger(kind, { binary: binary(), folder, rows: 500, seed: 3 });
      expect(count.faults).toBeGreaterThan(10);
      expect(count).toMatchObject({
        doubled: 0,
        lost: 0,
        wrongIds: 0,
        rejectedThoughStored: 0,
        refusedTakenForSuccess: 0,
        parked: 0,
      });
    },
  );
});
