import type { PromiseName } from '../promises/promises.ts';
import { HONEST } from '../service/lists.ts';
import type { Scenario } from '../stories/scenario.ts';
import type { Team } from '../stories/sharing.ts';
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

function* smallerTeams(story: Scenario, team: Team): Generator<Scenario> {
  const { rounds, database, skewsMs } = team;
  const changed = (change: Partial<Team>): Scenario => ({ ...story, team: { ...team, ...change } });
  for (const at of rounds.keys()) yield changed({ rounds: rounds.toSpliced(at, 1) });
  for (const [at, round] of rounds.entries()) {
    for (const one of round.keys()) {
      if (round.length > 1) yield changed({ rounds: rounds.with(at, round.toSpliced(one, 1)) });
    }
  }
  for (const name of ['before', 'after', 'late', 'refused'] as const) {
    yield changed({ database: { ...database, [name]: 0 } });
  }
  yield changed({ skewsMs: skewsMs.map(() => 0) });
  yield changed({ from: 0 });
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
  if (story.team !== undefined) yield* smallerTeams(story, story.team);
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
