import { expect, it } from 'vitest';
import type { Clock } from '../../../src/core/ports.ts';
import { runClock } from '../../../src/import/run-clock.ts';
import type { RunHeader } from '../../../src/import/store/facts.ts';
import { Run } from '../../../src/import/store/run-file.ts';
import { runPath } from '../../../src/import/store/runs.ts';
import { type StagedRow, StagedRows } from '../../../src/import/store/staged-rows.ts';
import { freshWorld } from '../../support/run.ts';

const SENT_AT = 1_000_000;

/** A run with an unconfirmed row. It started at SENT_AT, 500 ms after the machine booted. */
async function interrupted(boot: string | undefined): Promise<Run> {
  const world = await freshWorld();
  const run = await Run.create(runPath(world.folder, 'r'), {} as RunHeader);
  runClock(clock({ wall: SENT_AT, monotonic: 500, boot }), run);
  run.commit(() => new StagedRows(run.rows.sql).add([ROW], (row) => row));
  const queue = run.sendQueue(true);
  await queue.commit([], 1, SENT_AT).onDisk;
  await queue.commit([{ row: 1, was: 'sending', verdict: { state: 'unconfirmed' } }], 0, SENT_AT)
    .onDisk;
  return run;
}

const ROW: StagedRow = {
  ...{ row: 1, state: 'pending', line: null, code: 'A-1', name: null, reason: null },
  ...{ fingerprint: null, fields: null, body: '{}', places: null },
};

function clock(at: { wall: number; monotonic: number; boot: string | undefined }): Clock {
  return {
    now: () => at.wall,
    monotonic: () => at.monotonic,
    boot: () => at.boot,
    random: () => 0.5,
    sleep: async () => undefined,
  };
}

it.each([
  ['the same boot, whatever the wall clock says', 'b1', 'b1', 9_500, 9_000_000, SENT_AT + 9_000],
  ['another boot: starts again at the wall clock', 'b1', 'b2', 9_500, 9_000_000, 9_000_000],
  ['an unknown boot', undefined, undefined, 9_500, 9_000_000, 9_000_000],
  ['the same boot, from a snapshot', 'b1', 'b1', 400, 9_000_000, 9_000_000],
  ['another boot, with a wall clock from the past', 'b1', 'b2', 9_500, 10, SENT_AT],
])('a run that is resumed in %s', async (_, first, second, monotonic, wall, expected) => {
  const run = await interrupted(first);
  const resumed = runClock(clock({ wall, monotonic, boot: second }), run);
  expect(resumed.now()).toBe(expected);
  // If the clock continues after a resume, `since` stays SENT_AT.
  expect(resumed.since).toBe(first === second && expected === SENT_AT + 9_000 ? SENT_AT : expected);
  run.close();
});
