import { between, pick, type Random, randomFrom } from '../../support/random.ts';
import type { Crash } from '../machine/disk.ts';
import { CODE_HABITS, type CodeHabitName } from '../service/codes.ts';
import { HONEST, type ListHabits } from '../service/lists.ts';
import type { NetworkHabits } from '../service/network.ts';
import type { Team } from './team.ts';

/** `writes` are single commands, the others are imports. Requisitions define their items in place. */
type Work = 'items' | 'imputations' | 'requisition' | 'writes';

const MEETING_VERBS = [...(['import', 'resume', 'resolve', 'prune', 'report'] as const)] as const;

export type MeetingVerb = (typeof MEETING_VERBS)[number];

/** The phases of a run; `none`: there is no run yet. */
const MEETING_PHASES = [...(['none', 'filling', 'sending', 'ended'] as const)] as const;

export interface Meeting {
  readonly from: (typeof MEETING_PHASES)[number];
  /** How many turns after the phase was reached the first command is killed. */
  readonly turns: number;
  readonly verbs: readonly MeetingVerb[];
  /** Which of the commands have `--wait-lock`. */
  readonly waits: readonly boolean[];
  /** When each command begins, ms. */
  readonly delays: readonly number[];
  readonly kill: { readonly which: number; readonly crash: Crash } | undefined;
  /** The files of the locks are removed during the meeting. */
  readonly losesLock: boolean;
}

/** One simulated story as data, which can be shrunk and stored in a file. */
export interface Scenario {
  readonly seed: number;
  readonly work: Work;
  readonly rows: number;
  /** Rows whose codes exist in the service before the import. */
  readonly existing: readonly number[];
  readonly refused: readonly number[];
  /** Number of other records that exist in the list. */
  readonly catalogue: number;
  readonly concurrency: number;
  readonly settleMs: number;
  readonly network: NetworkHabits;
  /** Percentages, by the names of `--faults`. */
  readonly faults: Readonly<Record<string, number>>;
  /** Requests per second that the service accepts; the others get 429. Undefined: no limit. */
  readonly rate: number | undefined;
  readonly retryAfterS: number;
  readonly lateCommitMs: number;
  readonly busy: number;
  readonly locked: { readonly from: number; readonly ms: number } | undefined;
  readonly lists: ListHabits;
  readonly falseIds: number;
  /** Missing in older stories. */
  readonly falseContent?: number;
  /** Missing in older stories. */
  readonly codes?: CodeHabitName | undefined;
  /**
   * Number of records that other clients create meanwhile. With `othersTakeOurs`, their codes are those of our
   * rows.
   */
  readonly others: number;
  readonly othersTakeOurs: boolean;
  /** Another organization imports the same file first, on this machine. */
  readonly isSecond: boolean;
  /** How each process ends. The last process ends by itself. */
  readonly crashes: readonly Crash[];
  /** The change of the wall clock during the story, ms. */
  readonly wallJumpMs: number;
  readonly isPiped: boolean;
  /**
   * After a crash, others create records under the codes of some pending rows. Missing in older
   * stories.
   */
  readonly othersTakePending?: boolean;
  /** Beside the first import, somebody creates the record of a row by a single command. Missing in older stories. */
  readonly single?: Single | undefined;
  /** After a crash, the file of the next import is another one, as of a nightly export. */
  readonly changesFile?: boolean;
  /** After this many turns of the first import the ledger is backed up, to be put back later. */
  readonly restoresAt?: number | undefined;
  /** Machines that share a ledger. */
  readonly team?: Team | undefined;
  /** Several commands at once on one run. Missing in older stories. */
  readonly meeting?: Meeting | undefined;
}

interface Single {
  readonly row: number;
  readonly delayMs: number;
  readonly crash: Crash | undefined;
}

const TIMEOUT_MS = 1_000;

export const TIMEOUT = `${TIMEOUT_MS / 1000}s`;

/** A random story within the limits of limits.ts. */
export function scenarioOf(seed: number, isForMeeting = false): Scenario {
  if (!isForMeeting && randomFrom(seed * 53 + 19)() < 0.2) return meetingOf(seed);
  const random = randomFrom(seed * 7_919 + 13);
  const chance = (share: number, most: number) =>
    random() < share ? Math.ceil(random() * most * 10) / 10 : 0;
  const draw = random();
  const work: Work = workOf(draw);
  const rows = work === 'writes' ? between(random, 2, 5) : between(random, 4, 28);
  const settleMs = pick(random, [2_500, 4_000]);
  const faults = {
    'reset-before': chance(0.4, 12),
    'reset-after': chance(0.5, 12),
    truncate: chance(0.3, 8),
    html: chance(0.2, 6),
    500: chance(0.2, 6),
    429: chance(0.4, 15),
    503: chance(0.4, 12),
  };
  const some = (share: number) =>
    Array.from({ length: rows }, (_, row) => row).filter(() => random() < share);
  const lateCommitMs = random() < 0.4 ? between(random, 5, settleMs - TIMEOUT_MS) : 0;
  const story: Scenario = {
    seed,
    work,
    rows,
    existing: work === 'items' && random() < 0.4 ? some(0.15) : [],
    refused: work !== 'writes' && random() < 0.3 ? some(0.12) : [],
    catalogue: pick(random, [0, 0, 3, 40, 160]),
    concurrency: pick(random, [1, 2, 4, 8, 16]),
    settleMs,
    network: {
      refused: chance(0.25, 3) / 10,
      closes: chance(0.3, 4) / 10,
      silent: chance(0.2, 1) / 10,
      mostMs: pick(random, [1, 5, 40]),
    },
    faults,
    rate: random() < 0.15 ? pick(random, [3, 10]) : undefined,
    retryAfterS: pick(random, [1, 3]),
    lateCommitMs,
    busy: chance(0.2, 1) / 10,
    locked: random() < 0.08 ? { from: between(random, 20, 200), ms: 400 } : undefined,
    // A record is shown within the time, however late it is committed.
    lists: listsOf(random, settleMs - lateCommitMs),
    falseIds: 0,
    others: random() < 0.3 ? between(random, 1, 20) : 0,
    othersTakeOurs: false,
    isSecond: work !== 'writes' && random() < 0.15,
    crashes: crashesOf(random, work),
    wallJumpMs: random() < 0.25 ? pick(random, [-3_600_000, 3_600_000]) : 0,
    isPiped: work !== 'writes' && random() < 0.12,
    othersTakePending: work === 'items' && randomFrom(seed + 7)() < 0.4,
    changesFile: work !== 'writes' && randomFrom(seed * 71 + 3)() < 0.4,
  };
  const restored = randomFrom(seed * 73 + 9);
  if (!isForMeeting && restored() < 0.1) return restoredOf(story, restored);
  const single = singleOf(story);
  if (single !== undefined) return { ...story, single, others: 0, othersTakePending: false };
  // Uses its own generator, so that other stories stay as they were. proc finds no existing records in a list
  // with lower case, so these stories have none.
  const isLowered = work === 'items' && randomFrom(seed * 31 + 7)() < 0.1;
  // proc cannot tell an id of a record that it has never seen from one of its own.
  const mayLie = work === 'items' && story.lists === HONEST && !story.isSecond;
  if (mayLie && story.others === 0 && randomFrom(seed * 53 + 11)() < 0.4) {
    const lying = randomFrom(seed * 59 + 3);
    return {
      ...story,
      catalogue: pick(lying, [0, 3]),
      falseIds: pick(lying, [0, 0.2, 0.4]),
      falseContent: pick(lying, [0, 0.1, 0.3]),
      othersTakePending: false,
    };
  }
  const mayChange = work === 'items' && story.lists === HONEST;
  const isPlain = mayChange && !story.isSecond;
  const draws = randomFrom(seed * 61 + 17);
  if (isPlain && draws() < 0.35) return draws() < 0.5 ? changing(story, draws) : cut(story, draws);
  const hasNoRecords = story.existing.length === 0;
  if (isLowered && hasNoRecords && story.lists === HONEST) {
    return { ...story, lists: { ...HONEST, lowersCodes: true }, othersTakePending: false };
  }
  return story;
}

/** An older state of the ledger is put back. */
function restoredOf(story: Scenario, random: Random): Scenario {
  return {
    ...{ ...story, others: 0, othersTakePending: false, isPiped: false, lists: HONEST },
    work: pick(random, ['imputations', 'imputations', 'requisition', 'items']),
    ...{ existing: [], rows: between(random, 4, 28) },
    // A loss of power may take the memory, too.
    crashes: random() < 0.6 ? [] : story.crashes.filter(({ by }) => by !== 'power'),
    restoresAt: random() < 0.2 ? 0 : between(random, 1, 120),
  };
}

/** A single create of a row that the service neither has nor refuses. */
function singleOf({ seed, work, rows, ...story }: Scenario): Single | undefined {
  const random = randomFrom(seed * 67 + 5);
  const isPlain = work === 'items' || work === 'imputations';
  if (!isPlain || story.isSecond || story.lists !== HONEST || random() > 0.2) return undefined;
  const row = between(random, 0, rows - 1);
  if (story.existing.includes(row) || story.refused.includes(row)) return undefined;
  const crash = { on: 'turn', at: between(random, 1, 12), by: 'kill' } as const;
  const delayMs = random() < 0.3 ? 0 : between(random, 1, 2_000);
  return { row, delayMs, crash: random() < 0.4 ? crash : undefined };
}

/** A service that changes codes. The first row may meet an existing code (docs/why.md), so it never does here. */
function changing(story: Scenario, random: Random): Scenario {
  const names = Object.keys(CODE_HABITS) as CodeHabitName[];
  const codes = pick(random, names.slice(1));
  const some = Array.from({ length: story.rows }, (_, row) => row).filter(
    (row) => row > 0 && random() < 0.2,
  );
  // After a crash, another row may be the first one.
  const isCalm = random() < 0.5;
  const calm = { existing: some, refused: [], crashes: [], faults: {}, busy: 0, locked: undefined };
  const quiet = { network: { ...story.network, refused: 0, closes: 0, silent: 0 } };
  return {
    ...story,
    codes,
    othersTakePending: false,
    ...(isCalm ? { ...calm, ...quiet } : { existing: [] }),
  };
}

/** A list that ends too early: before the run, or once the run has added records. */
function cut(story: Scenario, random: Random): Scenario {
  const lists = (mostRows: number) => ({ ...HONEST, mostRows: Math.min(99, mostRows) });
  if (random() < 0.5) {
    const before = Array.from({ length: story.rows }, (_, row) => row);
    const existing = before.filter(() => random() < 0.2);
    const mostRows = between(random, 1, story.catalogue + existing.length);
    return { ...story, existing, lists: lists(mostRows), othersTakePending: false };
  }
  const catalogue = pick(random, [0, 3]);
  return {
    ...story,
    catalogue,
    existing: [],
    others: 0,
    faults: { ...story.faults, 'reset-after': 15 },
    lists: lists(catalogue + between(random, 1, story.rows - 1)),
    othersTakePending: false,
  };
}

/** A story in which two or three commands meet, random but for what is given. */
function meetingOf(seed: number, given: Partial<Meeting> = {}): Scenario {
  const random = randomFrom(seed * 6_271 + 11);
  const story = scenarioOf(seed, true);
  const count = random() < 0.85 ? 2 : 3;
  const verbs = Array.from({ length: count }, () => pick(random, MEETING_VERBS));
  const by = random() < 0.5 ? 'turn' : 'write';
  const kill = {
    which: between(random, 0, count - 1),
    crash: { on: by, at: 1 + Math.floor(random() * (by === 'turn' ? 120 : 25)), by: 'kill' },
  } as const;
  const meeting: Meeting = {
    from: pick(random, MEETING_PHASES),
    turns: between(random, 0, 15),
    verbs,
    waits: verbs.map(() => random() < 0.6),
    delays: verbs.map(() => (random() < 0.4 ? 0 : between(random, 0, 300))),
    kill: random() < 0.45 ? kill : undefined,
    losesLock: random() < 0.15,
    ...given,
  };
  // If the lock is lost, the first command must still work when the second one begins.
  const slow = { concurrency: 1, network: { ...story.network, mostMs: 40 } };
  return {
    ...story,
    ...(meeting.losesLock ? slow : {}),
    meeting,
    work: pick(random, ['items', 'items', 'imputations', 'requisition'] as const),
    rows: meeting.losesLock ? between(random, 10, 24) : between(random, 3, 14),
    // A removed run says nothing of requests that are still on their way.
    lateCommitMs: 0,
    lists: HONEST,
    codes: undefined,
    ...{ isSecond: false, isPiped: false, crashes: [], existing: [], refused: [] },
    ...{ othersTakePending: false, changesFile: false, locked: undefined, others: 0 },
  };
}

const PAIRS = MEETING_VERBS.flatMap((first, at) =>
  MEETING_VERBS.slice(at).map((second) => [first, second] as const),
);
/** What else happens: nothing, the first or the second command is killed, or the lock is lost. */
const ALSO = ['nothing', 'kill 0', 'kill 1', 'lost lock'] as const;

/** Number of stories of {@link everyMeeting}. */
export const MEETINGS = PAIRS.length * MEETING_PHASES.length * ALSO.length;

/** The story with this number, from 1, of all pairs of commands in all phases. */
export function everyMeeting(number: number): Scenario {
  const at = number - 1;
  const also = ALSO[at % ALSO.length]!;
  const from = MEETING_PHASES[Math.floor(at / ALSO.length) % MEETING_PHASES.length]!;
  const verbs = PAIRS[Math.floor(at / (ALSO.length * MEETING_PHASES.length)) % PAIRS.length]!;
  const random = meetingOf(number).meeting!;
  const crash = random.kill?.crash ?? { on: 'turn', at: 1 + (number % 90), by: 'kill' };
  const kill = also.startsWith('kill') ? { which: Number(also.slice(-1)), crash } : undefined;
  return meetingOf(number, { verbs, from, kill, losesLock: also === 'lost lock' });
}

function workOf(draw: number): Work {
  if (draw < 0.66) return 'items';
  if (draw < 0.74) return 'imputations';
  return draw < 0.83 ? 'requisition' : 'writes';
}

function listsOf(random: Random, settleMs: number): ListHabits {
  switch (random() < 0.35 ? between(random, 1, 6) : 0) {
    case 1:
      return { ...HONEST, staleMs: between(random, 5, Math.max(10, settleMs - 1_200)) };
    case 2:
      return { ...HONEST, order: 'ignored' };
    case 3:
      return { ...HONEST, cap: pick(random, [1, 7, 20]) };
    case 4:
      return { ...HONEST, skips: 1 };
    case 5:
      return { ...HONEST, order: 'shuffled' };
    case 6:
      return { ...HONEST, isShort: true };
    default:
      return HONEST;
  }
}

function crashesOf(random: Random, work: Work): Crash[] {
  const isWrites = work === 'writes';
  const count = pick(random, isWrites ? [0, 1, 2, 3, 5] : [0, 0, 1, 1, 2, 3, 5]);
  return Array.from({ length: count }, (): Crash => {
    const kinds = ['kill', 'kill', 'kill', 'power', 'power', 'signal', 'full'] as const;
    const by = pick(random, kinds);
    const isAtTurn = random() < (isWrites ? 0.3 : 0.5);
    const on = by === 'signal' || (by !== 'full' && isAtTurn) ? 'turn' : 'write';
    const most = on === 'turn' ? (isWrites ? 12 : 250) : isWrites ? 6 : by === 'full' ? 100 : 40;
    return { on, at: 1 + Math.floor(random() * random() * most), by };
  });
}

export function faultText({ faults, rate, retryAfterS, seed }: Scenario): string {
  const parts = Object.entries(faults).map(([name, percent]) => `${name}=${percent}%`);
  if (rate !== undefined) parts.push(`rate=${rate}/s`);
  return [...parts, `retry-after=${retryAfterS}s`, `seed=${Math.abs(seed) % 1e9}`].join(',');
}
