import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { csvLibrary } from '../support/resave.ts';
import { freshWorld } from '../support/run.ts';
import { loggedSandbox } from '../support/service.ts';
import { roundTrip, workbookRoundTrip } from './round-trip.ts';

const ROWS = 900;
const REJECTED = (ROWS / 4) * 3;

describe('rejected rows, saved by a spreadsheet and imported again', () => {
  it.each(['csv', 'xlsx'] as const)(
    'as %s: damaged codes are detected; otherwise all counts add up, all values arrive, nothing is duplicated',
    async (as) => {
      const world = await freshWorld();
      const db = join(world.folder, 'service.db');
      await using sandbox = await loggedSandbox({ db });
      const trip = await roundTrip({
        rows: ROWS,
        as,
        spreadsheet: csvLibrary,
        folder: world.cwd,
        run: (args) => world.run(args, { env: sandbox.target }),
        sql(query) {
          const database = new DatabaseSync(db, { readOnly: true });
          try {
            return database.prepare(query).all();
          } finally {
            database.close();
          }
        },
      });
      expect(trip).toMatchObject({
        created: ROWS - REJECTED,
        rejected: REJECTED,
        first: { exitCode: 8 },
        // The error names at most 100 rows.
        careless: { exitCode: 2, sent: 0, named: 100 },
        repaired: { exitCode: 0, created: REJECTED, rejected: 0 },
        afterwards: { created: ROWS, rejected: 0, repaired: REJECTED },
        again: { exitCode: 2, sent: 0 },
        stored: ROWS,
        wrong: 0,
      });
      expect(trip.careless.said).toContain('rows changed since the rejection');
    },
    60_000,
  );

  it('as the workbook that proc wrote: no code changes, and every row is repaired', async () => {
    const world = await freshWorld();
    const db = join(world.folder, 'service.db');
    await using sandbox = await loggedSandbox({ db });
    const trip = await workbookRoundTrip(
      {
        rows: ROWS,
        folder: world.cwd,
        run: (args) => world.run(args, { env: sandbox.target }),
        sql(query) {
          const database = new DatabaseSync(db, { readOnly: true });
          try {
            return database.prepare(query).all();
          } finally {
            database.close();
          }
        },
      },
      async (file) => file,
    );
    expect(trip).toMatchObject({
      created: ROWS - REJECTED,
      rejected: REJECTED,
      changed: 0,
      repaired: { exitCode: 0, created: REJECTED },
      afterwards: { created: ROWS, repaired: REJECTED },
      stored: ROWS,
      wrong: 0,
    });
  }, 60_000);
});
