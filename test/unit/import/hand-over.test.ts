import { expect, it } from 'vitest';
import type { RunHeader } from '../../../src/import/store/facts.ts';
import { Run } from '../../../src/import/store/run-file.ts';
import { runPath } from '../../../src/import/store/runs.ts';
import type { Ready } from '../../../src/import/store/send-queue.ts';
import { type StagedRow, StagedRows } from '../../../src/import/store/staged-rows.ts';
import { freshWorld } from '../../support/run.ts';

const rowOf = (row: number): StagedRow => ({
  ...{ row, state: 'pending', line: null, code: `A-${row}`, name: null, reason: null },
  ...{ fingerprint: null, fields: null, body: '{}', places: null },
});

async function staged(): Promise<Run> {
  const world = await freshWorld();
  const run = await Run.create(runPath(world.folder, 'r'), {} as RunHeader);
  const rows = Array.from({ length: 40 }, (_, index) => rowOf(index + 1));
  run.commit(() => new StagedRows(run.rows.sql).add(rows, (row) => row));
  // From now on, the journal marks requests as handed over.
  run.interrupt(true);
  return run;
}

/** Takes up to `max` rows, and hands over those that `leaves` selects. */
async function send(
  queue: ReturnType<Run['sendQueue']>,
  { max, now }: { max: number; now: number },
  leaves: (ready: Ready) => boolean = () => true,
): Promise<void> {
  const next = await queue.commit([], max, now).onDisk;
  for (const ready of next.filter(leaves)) queue.handOver(ready);
}

/** The counts that a resume finds after the process was killed. */
function afterKill(run: Run) {
  run.interrupt(true);
  const { pending, unconfirmed } = run.counts();
  run.close();
  return { pending, unconfirmed };
}

it.each([
  { what: 'looked up: up to 8 rows count as sent', areLookedUp: true, sent: 8 },
  { what: 'not looked up: only the row itself', areLookedUp: false, sent: 1 },
])('a kill after one request, if rows are $what', async ({ areLookedUp, sent }) => {
  const run = await staged();
  await send(run.sendQueue(areLookedUp), { max: 40, now: 1_000 }, ({ row }) => row === 1);
  expect(afterKill(run)).toEqual({ unconfirmed: sent, pending: 40 - sent });
});

it('a kill after requests of several blocks counts the rows of these blocks', async () => {
  const run = await staged();
  await send(run.sendQueue(true), { max: 40, now: 1_000 }, ({ row }) => row <= 17);
  expect(afterKill(run)).toEqual({ unconfirmed: 24, pending: 16 });
});

it('a row that is sent again does not change the marks of other requests in flight', async () => {
  const run = await staged();
  const queue = run.sendQueue(true);
  await send(queue, { max: 40, now: 1_000 });
  const again = [3, 4, 9].map((row) => ({
    ...{ row, was: 'sending' as const, verdict: { state: 'pending' as const } },
  }));
  await queue.commit(again, 0, 2_000).onDisk;
  await send(queue, { max: 3, now: 3_000 }, ({ row }) => row !== 9);
  // All rows were sent. Only the second request of row 9 was never handed over.
  expect(afterKill(run)).toEqual({ unconfirmed: 39, pending: 1 });
});

it('what another run may have sent is looked up by the clock of this run', async () => {
  const { folder } = await freshWorld();
  const begun = async (name: string): Promise<Run> => {
    const header = { run: name, noun: 'items', baseUrl: 'http://service', choices: {} };
    const run = await Run.create(runPath(folder, name), header as RunHeader, true);
    run.commit(() => new StagedRows(run.rows.sql).add([rowOf(1)], (row) => row));
    await run.advance('read');
    await run.begin('begin', { facts: {} });
    return run;
  };
  const first = await begun('20260301-093000-aaaa');
  // Its machine is an hour ahead.
  await first.sendQueue(true).commit([], 1, 3_601_000).onDisk;
  const second = await begun('20260301-093000-bbbb');
  const left = await second.sendQueue(true).commit([], 1, 1_000).onDisk;
  expect(left).toEqual([]);
  expect(second.rows.unconfirmed.all()).toMatchObject([{ row: 1, sent_at: 1_000 }]);
  first.close();
  second.close();
});
