import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { between, pick, type Random, randomFrom } from '../../support/random.ts';
import type { Crash } from '../machine/disk.ts';
import type { World } from '../machine/world.ts';
import type { DatabaseHabits } from '../service/database.ts';
import { HONEST } from '../service/lists.ts';
import { KEYS } from '../service/service.ts';
import { finished } from './conclusions.ts';
import { prepareFiles } from './importing.ts';
import { liveTogether, type Start, type Suspended } from './life.ts';
import { argvOf, FIRST_RUN, followHints, judge } from './meeting.ts';
import { type Scenario, scenarioOf } from './scenario.ts';

interface Command {
  readonly machine: number;
  readonly verb: 'import' | 'resume';
  readonly waits: boolean;
  readonly delayMs: number;
  readonly crash: Crash | undefined;
  readonly suspended: Suspended | undefined;
}

/** Machines with state folders of their own that share a ledger. */
export interface Team {
  /** By how much the clock of each machine is wrong, ms. */
  readonly skewsMs: readonly number[];
  readonly database: DatabaseHabits;
  /** Commands that begin together. Each of the rounds begins when the last has ended. */
  readonly rounds: readonly (readonly Command[])[];
}

/** How long a lock holds without being renewed. */
const LOCK_MS = 30_000;

/** A random story of machines that share a ledger. */
export function teamOf(seed: number): Scenario {
  const random = randomFrom(seed * 4_517 + 3);
  const story = scenarioOf(seed, true);
  const chance = (share: number, most: number) => (random() < share ? random() * most : 0);
  const skew = () => pick(random, [0, -7_200_000, 7_200_000, 40_000, -40_000]);
  const team: Team = {
    skewsMs: [0, skew(), skew()],
    database: {
      lost: chance(0.8, 0.15),
      refused: chance(0.3, 0.1),
      mostMs: pick(random, [1, 10, 200]),
    },
    rounds: Array.from({ length: between(random, 1, 4) }, () => roundOf(random)),
  };
  return {
    ...story,
    team,
    work: pick(random, ['items', 'items', 'imputations'] as const),
    rows: between(random, 3, 14),
    concurrency: pick(random, [1, 2, 4]),
    ...{ lists: HONEST, codes: undefined, single: undefined, falseIds: 0, falseContent: 0 },
    ...{ isSecond: false, isPiped: false, crashes: [], existing: [], refused: [], others: 0 },
    ...{ othersTakePending: false, changesFile: false, locked: undefined, wallJumpMs: 0, busy: 0 },
    restoresAt: undefined,
  };
}

function roundOf(random: Random): Command[] {
  const first = between(random, 0, 2);
  return Array.from({ length: pick(random, [1, 2, 2, 3]) }, (_, at): Command => {
    const ending = random();
    const turn = 1 + Math.floor(random() * random() * 300);
    const by = ending < 0.35 ? 'kill' : 'signal';
    const ms = pick(random, [3_000, 12_000, 33_000, 36_000, 60_000]);
    return {
      machine: (first + at) % 3,
      verb: random() < 0.2 ? 'resume' : 'import',
      waits: random() < 0.75,
      delayMs: at === 0 ? 0 : between(random, 0, 8_000),
      crash: ending < 0.45 ? { on: 'turn', at: turn, by } : undefined,
      suspended: ending > 0.65 ? { turn, ms } : undefined,
    };
  });
}

/** Machines import the same file; their processes, connections and clocks fail. Then one heals everything. */
export async function teaming(world: World, scenario: Scenario): Promise<number> {
  const { promises, service, machine, database } = world;
  const { rounds, skewsMs } = scenario.team!;
  await prepareFiles(world, scenario);
  let processes = 0;
  for (const round of rounds) {
    const hasRuns = world.books.phases().length > 0;
    const starts = round.map(({ machine: on, verb, waits, ...rest }): Start => {
      const argv = argvOf(verb, scenario, undefined, waits ? 150_000 : 0);
      const known = argv.filter((word) => word !== FIRST_RUN || !hasRuns);
      return { ...rest, argv: known, env: envOf(world, on), skewMs: skewsMs[on]! };
    });
    const lived = await liveTogether(world, starts);
    processes += lived.length;
    for (const [at, one] of lived.entries()) judge(world, starts[at]!, one, true);
    promises.inside.accountedFor();
  }
  service.calmDown();
  database!.calmDown();
  await machine.pass(LOCK_MS + scenario.settleMs);
  const env = envOf(world, scenario.seed % 3);
  processes += await followHints(world, scenario, env);
  promises.inside.accountedFor();
  await finished(world, scenario, env);
  return processes;
}

function envOf({ disk }: World, machine: number): Start['env'] {
  const folder = join(disk.work, `../machine-${machine}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return {
    PROC_CONFIG_DIR: join(folder, 'config'),
    PROC_STATE_DIR: folder,
    PROC_BASE_URL: 'http://127.0.0.1:4999/api/v1',
    PROC_API_KEY: KEYS[0]!.apiKey,
    PROC_ORGANIZATION: 'sandbox',
    PROC_LEDGER: 'postgres://proc@127.0.0.1:5999/ledger',
    PROC_LEDGER_LOOPBACK: '1',
    PGPASSWORD: 'none',
    HOME: disk.work,
  };
}
