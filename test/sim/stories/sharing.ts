import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { between, pick, type Random, randomFrom } from '../../support/random.ts';
import type { Crash } from '../machine/disk.ts';
import type { World } from '../machine/world.ts';
import type { DatabaseHabits } from '../service/database.ts';
import { HONEST } from '../service/lists.ts';
import { KEYS } from '../service/service.ts';
import { finishedTogether } from './conclusions.ts';
import { fileOf, prepareFiles, textOf } from './importing.ts';
import { type Lived, liveTogether, type Start, type Suspended } from './life.ts';
import { EVER } from './meeting.ts';
import { type Scenario, scenarioOf, TIMEOUT } from './scenario.ts';

/** A command of one machine. */
interface Command {
  readonly machine: number;
  readonly verb: 'import' | 'resume' | 'prune';
  readonly waits: boolean;
  readonly delayMs: number;
  readonly crash: Crash | undefined;
  readonly suspended: Suspended | undefined;
}

/** Machines with state folders of their own that share a ledger, which may lose its connections at any call. */
export interface Team {
  /** By how much the clock of each machine is wrong, ms. */
  readonly skewsMs: readonly number[];
  readonly database: DatabaseHabits;
  /** Commands that begin together. Each of the rounds begins when the last has ended. */
  readonly rounds: readonly (readonly Command[])[];
  /** The first row of the file of the second machine: the files overlap. */
  readonly from: number;
}

/** Once nothing fails any more, everything must be over after this many commands. */
const MOST_AFTER = 40;
const LOCK_MS = 30_000;

/** A random story of machines that share a ledger. */
export function teamOf(seed: number): Scenario {
  const random = randomFrom(seed * 4_517 + 3);
  const story = scenarioOf(seed, true);
  const work = pick(random, ['items', 'items', 'imputations'] as const);
  const rows = between(random, 3, 14);
  const chance = (share: number, most: number) => (random() < share ? random() * most : 0);
  const team: Team = {
    skewsMs: [0, pick(random, [0, -7_200_000, 7_200_000, 40_000, -40_000])],
    database: {
      before: chance(0.5, 0.08),
      after: chance(0.5, 0.08),
      late: chance(0.4, 0.06),
      refused: chance(0.3, 0.1),
      mostMs: pick(random, [1, 10, 200]),
    },
    rounds: Array.from({ length: between(random, 1, 4) }, () =>
      random() < 0.3 ? takeoverOf(random) : roundOf(random),
    ),
    from: random() < 0.25 ? between(random, 1, rows - 1) : 0,
  };
  const faults = { ...story.faults, swap: 0, dup: 0, truncate: 0, html: 0 };
  return {
    ...story,
    ...{ team, work, rows, faults, lists: HONEST, codes: undefined, falseIds: 0, falseContent: 0 },
    ...{ isSecond: false, isPiped: false, crashes: [], meeting: undefined },
    ...{ existing: [], refused: [], others: 0, locked: undefined, othersTakePending: false },
    ...{ wallJumpMs: 0, busy: 0, rate: undefined },
    // With a long one, commands work for longer than a lock holds.
    settleMs: random() < 0.25 ? 20_000 : story.settleMs,
    concurrency: pick(random, [1, 2, 4]),
    network: { ...story.network, mostMs: pick(random, [5, 40, 400]) },
  };
}

function roundOf(random: Random): Command[] {
  const count = random() < 0.5 ? 1 : 2;
  const first = between(random, 0, 1);
  return Array.from({ length: count }, (_, at): Command => {
    const ending = random();
    const crash = {
      on: 'turn',
      at: 1 + Math.floor(random() * random() * 300),
      by: 'kill',
    } as const;
    const turn = 1 + Math.floor(random() * random() * 250);
    const write = between(random, 1, 4);
    const ms = pick(random, [3_000, 12_000, 33_000, 36_000, 60_000]);
    return {
      machine: (first + at) % 2,
      verb: random() < 0.12 ? 'prune' : random() < 0.2 ? 'resume' : 'import',
      waits: random() < 0.75,
      delayMs: at === 0 ? 0 : between(random, 0, 8_000),
      crash: ending < 0.3 ? crash : ending < 0.4 ? { ...crash, by: 'signal' } : undefined,
      suspended:
        ending > 0.75
          ? { on: 'write', at: write, ms }
          : ending > 0.55
            ? { on: 'turn', at: turn, ms }
            : undefined,
    };
  });
}

/** The holder of the lock is suspended while it sends, and goes on while another machine takes over. */
function takeoverOf(random: Random): Command[] {
  const first = between(random, 0, 1);
  const command = { verb: 'import', waits: true, crash: undefined } as const;
  const ms = pick(random, [33_000, 34_000, 35_000, 38_000]);
  const on = pick(random, ['write', 'write', 'turn'] as const);
  const at = on === 'write' ? between(random, 1, 3) : between(random, 20, 120);
  const other = { ...command, machine: 1 - first, suspended: undefined };
  const holder = { ...command, machine: first, delayMs: 0, suspended: { on, at, ms } };
  if (random() < 0.6) return [holder, { ...other, delayMs: between(random, 500, 4_000) }];
  // It does not wait for the lock, and takes it once it is lost.
  const prune = { ...other, verb: 'prune', waits: false } as const;
  const delayMs = between(random, 36_000, 39_000);
  const asleep = { ...holder, suspended: { on, at, ms: 60_000 } };
  return [asleep, { ...prune, delayMs }, { ...other, delayMs: delayMs + 700 }];
}

/** Machines import the same file, or overlapping ones, until everything is over. */
export async function sharing(world: World, scenario: Scenario): Promise<number> {
  const { disks, promises, service, machine, ledger } = world;
  const { rounds, from } = scenario.team!;
  promises.inside.mayRemove = true;
  await prepareFiles(world, scenario);
  for (const [at, disk] of disks.entries()) {
    writeFileSync(join(disk.work, fileOf(scenario)), textOf(scenario, at === 0 ? 0 : from));
  }
  let processes = 0;
  for (const round of rounds) {
    const starts = round.map((command) => startOf(world, scenario, command));
    const lived = await liveTogether(world, starts);
    processes += lived.length;
    for (const [at, one] of lived.entries()) judge(world, scenario, starts[at]!, one);
    promises.inside.accountedFor();
  }
  service.calmDown();
  ledger!.calmDown();
  await machine.pass(LOCK_MS + scenario.settleMs);
  for (const at of from > 0 ? [0, 1] : [1]) processes += await finish(world, scenario, at);
  promises.inside.accountedFor();
  await finishedTogether(world, scenario, (at) => envOf(world, at));
  return processes;
}

function envOf({ disks }: World, machine: number): Readonly<Record<string, string>> {
  const { work } = disks[machine]!;
  return {
    PROC_CONFIG_DIR: join(work, '../config'),
    PROC_BASE_URL: 'http://127.0.0.1:4999/api/v1',
    PROC_API_KEY: KEYS[0]!.apiKey,
    PROC_ORGANIZATION: 'acme',
    PROC_LEDGER: 'postgres://proc@127.0.0.1:5999/ledger',
    PROC_LEDGER_LOOPBACK: '1',
    PGPASSWORD: 'none',
    HOME: work,
  };
}

function startOf(world: World, scenario: Scenario, command: Command): Start {
  const { verb, waits, machine, ...rest } = command;
  const env = envOf(world, machine);
  const runNow = () => world.books.phases()[0]?.run ?? 'none';
  if (verb === 'prune') {
    const argv = ['imports', 'prune', '--before', EVER, '--yes', '-o', 'json'];
    return { argv, env, machine, ...rest };
  }
  const wait = waits ? ['--wait-lock', '120s'] : [];
  const argv = [...(verb === 'import' ? importOf(scenario) : resumeOf(scenario)), ...wait];
  const isFirst = verb === 'import' && scenario.work !== 'items' && runNow() === 'none';
  return { argv: isFirst ? [...argv, FIRST_RUN] : argv, env, machine, ...rest };
}

function paceOf({ settleMs, concurrency }: Scenario): readonly string[] {
  return [
    ...['--yes', '-o', 'json', `PROC_SETTLE=${settleMs}ms`, '--timeout', TIMEOUT],
    ...[`PROC_CONCURRENCY=${concurrency}`, 'PROC_PATIENCE=20s'],
  ];
}

function importOf(scenario: Scenario): readonly string[] {
  const first = scenario.work === 'items' ? [] : ['--on-sent', 'skip'];
  return [scenario.work, 'import', fileOf(scenario), ...paceOf(scenario), ...first];
}

function resumeOf(scenario: Scenario): readonly string[] {
  return ['imports', 'resume', ...paceOf(scenario)];
}

/** Whether nothing happens in the story by which a living process may lose its lock. */
function keepsLocks({ database, rounds }: Team): boolean {
  const { before, after, late, refused } = database;
  return before + after + late + refused === 0 && rounds.flat().every((one) => !one.suspended);
}

/** Only the ledger knows what was sent of nouns without a list. */
const FIRST_RUN = '--first-run';

const MAY_EXIT = [0, 2, 3, 7, 8, 9, 10, 130];

function judge({ promises }: World, scenario: Scenario, { argv }: Start, lived: Lived): void {
  const { exitCode, stderr } = lived;
  promises.checks++;
  const command = argv.join(' ');
  if (exitCode === undefined) return;
  if (exitCode === 1) promises.break('no bug', `${command}: ${stderr}`);
  if (!MAY_EXIT.includes(exitCode)) {
    promises.break('the exit code fits the rows', `${command}: exit ${exitCode}, ${stderr}`);
  }
  if (/is damaged|cannot write the journal|was removed during the run/.test(stderr)) {
    promises.break('commands that meet damage no run', `${command}: ${stderr}`);
  }
  const isOut = /"phase_changed"|another command has changed|has taken over/.test(stderr);
  if (isOut && keepsLocks(scenario.team!)) {
    promises.break('who holds the lock is alone with the run', `${command}: ${stderr}`);
  }
}

/** Does what proc says on one machine, until its file is imported. */
async function finish(world: World, scenario: Scenario, machine: number): Promise<number> {
  const { promises } = world;
  const env = envOf(world, machine);
  let anew = importOf(scenario);
  let next = anew;
  for (let processes = 1; processes <= MOST_AFTER; processes++) {
    const start = { argv: next, env, machine };
    const [lived] = await liveTogether(world, [start]);
    judge(world, scenario, start, lived!);
    const { exitCode, stderr, stdout } = lived!;
    if (exitCode === 0 || exitCode === 8) {
      if (next === anew) return processes;
      next = anew;
      continue;
    }
    if (stderr.includes('"no_ledger"')) {
      anew = next = [...anew, FIRST_RUN];
      continue;
    }
    if (stderr.includes('not the first import')) {
      anew = next = anew.filter((word) => word !== FIRST_RUN);
      continue;
    }
    const hint = /proc (imports (?:resume|resolve) [\w-]+)/.exec(stderr)?.[1];
    if (exitCode === 9 || hint?.startsWith('imports resolve') === true) {
      const printed = JSON.parse(stdout === '' ? '{}' : stdout) as { run?: string };
      const run = printed.run ?? hint?.split(' ')[2] ?? 'none';
      processes += await resolve(world, scenario, run, start);
      next = anew;
    } else if (stderr.includes('"import_busy"')) await world.machine.pass(LOCK_MS);
    else if (hint !== undefined) next = [...hint.split(' '), ...paceOf(scenario)];
    else if (next !== anew) next = anew;
    else if (exitCode === 2 || exitCode === 3) {
      promises.break('the next command is named and works', `${next.join(' ')}: ${stderr}`);
      return processes;
    }
  }
  promises.break('a run comes to its end', `not after ${MOST_AFTER} commands`);
  return MOST_AFTER;
}

/** A person looks at the service, and records what became of the rows. */
async function resolve(
  world: World,
  scenario: Scenario,
  run: string,
  { env, machine }: Pick<Start, 'env' | 'machine'>,
): Promise<number> {
  const { promises, service, books } = world;
  await world.machine.pass(scenario.settleMs);
  const open = [...books.rows.values()].filter(
    (row) => row.run === run && row.state === 'unconfirmed',
  );
  for (const { row, thing } of open) {
    const [id] = service.idsOf(thing.split(' ')[1]!);
    if (id === undefined) promises.outside.personSaysAbsent(thing);
    const outcome = id === undefined ? ['--resend', '--again'] : ['--adopt', id];
    const argv = ['imports', 'resolve', run, String(row), ...outcome, '--yes', '-o', 'json'];
    const [lived] = await liveTogether(world, [{ argv, env, machine: machine ?? 0 }]);
    if (![0, 9, 10].includes(lived!.exitCode ?? 0)) {
      promises.break('the next command is named and works', `${argv.join(' ')}: ${lived!.stderr}`);
    }
  }
  return open.length;
}
