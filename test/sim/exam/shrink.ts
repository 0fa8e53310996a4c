import type { PromiseName } from '../promises/promises.ts';
import { HONEST } from '../service/lists.ts';
import type { Scenario } from '../stories/scenario.ts';
import { simulate } from '../stories/simulate.ts';

const MOST = 120;

/** Removes rows, faults and crashes while the story still breaks the same promise. */
export async function shrink(scenario: Scenario, promise: PromiseName): Promise<Scenario> {
  let smallest = scenario;
  let tried = 0;
  for (let isSmaller = true; isSmaller; ) {
    isSmaller = false;
    for (const candidate of smaller(smallest)) {
      if (JSON.stringify(candidate) === JSON.stringify(smallest)) continue;
      if (++tried > MOST) return smallest;
      const { broken } = await simulate(candidate);
      if (!broken.some((one) => one.promise === promise)) continue;
      smallest = candidate;
      isSmaller = true;
      break;
    }
  }
  return smallest;
}

function* smaller(story: Scenario): Generator<Scenario> {
  const { network, crashes, faults } = story;
  for (const rows of [1, story.rows >> 1, story.rows - 1]) {
    if (rows < 1) continue;
    const kept = (numbers: readonly number[]) => numbers.filter((row) => row < rows);
    yield { ...story, rows, existing: kept(story.existing), refused: kept(story.refused) };
  }
  for (const at of crashes.keys()) yield { ...story, crashes: crashes.toSpliced(at, 1) };
  for (const name of Object.keys(faults)) yield { ...story, faults: { ...faults, [name]: 0 } };
  for (const name of ['refused', 'closes', 'silent'] as const) {
    yield { ...story, network: { ...network, [name]: 0 } };
  }
  yield { ...story, existing: [] };
  yield { ...story, refused: [] };
  yield { ...story, catalogue: 0 };
  yield { ...story, others: 0 };
  yield { ...story, lists: HONEST };
  yield { ...story, busy: 0 };
  yield { ...story, rate: undefined };
  yield { ...story, locked: undefined };
  yield { ...story, lateCommitMs: 0 };
  yield { ...story, wallJumpMs: 0 };
  yield { ...story, isSecond: false };
  yield { ...story, isPiped: false };
  yield { ...story, concurrency: 1 };
  for (const [at, crash] of crashes.entries()) {
    if (crash.by !== 'kill') {
      yield { ...story, crashes: crashes.with(at, { ...crash, by: 'kill' }) };
    }
  }
}
