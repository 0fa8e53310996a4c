import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomFrom } from '../../support/random.ts';
import { Books } from '../books.ts';
import { Disk } from '../machine/disk.ts';
import { Machine } from '../machine/machine.ts';
import { Trace } from '../machine/trace.ts';
import { enter, type World } from '../machine/world.ts';
import { type Broken, Promises } from '../promises/promises.ts';
import { CODE_HABITS } from '../service/codes.ts';
import { Database } from '../service/database.ts';
import { Network } from '../service/network.ts';
import { Service } from '../service/service.ts';
import { importing } from './importing.ts';
import { meeting } from './meeting.ts';
import { restoring } from './restoring.ts';
import { faultText, type Scenario } from './scenario.ts';
import { teaming } from './team.ts';
import { writing } from './writing.ts';

export interface StoryResult {
  readonly broken: readonly Broken[];
  readonly trace: string;
  readonly lines: readonly string[];
  readonly processes: number;
  readonly turns: number;
  readonly checks: number;
  /** Simulated time, ms. */
  readonly time: number;
}

const FAST = process.env.TMPDIR ?? (existsSync('/dev/shm') ? '/dev/shm' : tmpdir());

export async function simulate(scenario: Scenario, keepsTrace = false): Promise<StoryResult> {
  const { seed } = scenario;
  const machine = new Machine();
  machine.random = randomFrom(seed + 1);
  const trace = new Trace(keepsTrace);
  const world = Object.defineProperties(
    { machine, trace },
    { life: { get: () => machine.owner } },
  ) as { -readonly [K in keyof World]: World[K] };
  const at = () => world;
  enter(world);
  const folder = mkdtempSync(join(FAST, 'proc-sim-'));
  world.disk = new Disk(at, join(folder, 'machine'), randomFrom(seed + 2), randomFrom(seed + 8));
  world.network = new Network(machine, randomFrom(seed + 3), scenario.network);
  world.books = new Books(at);
  world.promises = new Promises(at, scenario.settleMs);
  const faults = faultText(scenario);
  const refuses = scenario.refused.map((row) => codeOf(row, scenario));
  world.service = new Service(
    { ...scenario, faults, refuses },
    {
      machine,
      trace,
      random: randomFrom(seed + 4),
      onOver: (request) => world.promises.outside.over(request),
    },
  );
  let processes = 0;
  try {
    const single = scenario.work === 'writes' ? writing : importing;
    const alone = scenario.restoresAt === undefined ? single : restoring;
    const { meeting: met, team } = scenario;
    if (team !== undefined) {
      const path = join(folder, 'database.db');
      world.database = new Database(path, team.database, machine, randomFrom(seed + 9), trace);
    }
    const work = team !== undefined ? teaming : met !== undefined ? meeting : alone;
    processes = await work(world, scenario);
  } finally {
    world.books.close();
    world.database?.close();
    world.disk.remove();
    rmSync(folder, { recursive: true, force: true });
  }
  const { broken, checks } = world.promises;
  const { turns, time } = machine;
  const digest = trace.digest();
  return { broken, trace: digest, lines: trace.lines ?? [], processes, turns, checks, time };
}

/** The code of a row. Other records have codes before, between and after those of rows. */
export function codeOf(row: number, { codes = 'as they are' }: Pick<Scenario, 'codes'>): string {
  return CODE_HABITS[codes].of(row);
}

/** The code of the item that a row of requisitions defines. */
export function itemOf(row: number): string {
  return `P-${String(row).padStart(3, '0')}`;
}
