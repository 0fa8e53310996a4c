import type { Crash } from '../machine/disk.ts';
import { between, pick, type Random, randomFrom } from '../machine/random.ts';
import { HONEST, type ListHabits } from '../service/lists.ts';
import type { NetworkHabits } from '../service/network.ts';

/** What proc is asked to do. */
type Work = 'items' | 'imputations' | 'writes';

/** One simulated story as data: what shrinking makes smaller, and a regression file holds. */
export interface Scenario {
  readonly seed: number;
  readonly work: Work;
  readonly rows: number;
  /** Rows whose codes the service has before. */
  readonly existing: readonly number[];
  /** Rows that the service does not take. */
  readonly refused: readonly number[];
  /** Records of others in the list. */
  readonly catalogue: number;
  readonly concurrency: number;
  readonly settleMs: number;
  readonly network: NetworkHabits;
  /** In the words of `--faults`, in percent. */
  readonly faults: Readonly<Record<string, number>>;
  /** Requests per second that it takes; it asks the others to wait. Undefined: any number. */
  readonly rate: number | undefined;
  readonly retryAfterS: number;
  readonly lateCommitMs: number;
  readonly busy: number;
  readonly locked: { readonly from: number; readonly ms: number } | undefined;
  readonly lists: ListHabits;
  readonly falseIds: number;
  /** Others create records meanwhile: so many, of codes of their own, or of ours. */
  readonly others: number;
  readonly othersTakeOurs: boolean;
  /** Another organization imported the same file from this machine before. */
  readonly isSecond: boolean;
  /** Where each process ends but the last. */
  readonly crashes: readonly Crash[];
  /** Somebody sets the wall clock by so much, ms. */
  readonly wallJumpMs: number;
}

const TIMEOUT_MS = 1_000;

/** What the timeout of a request is, in every scenario. */
export const TIMEOUT = `${TIMEOUT_MS / 1000}s`;

/** A story within the documented limits (limits.ts has what lies outside). */
export function scenarioOf(seed: number): Scenario {
  const random = randomFrom(seed * 7_919 + 13);
  const chance = (share: number, most: number) =>
    random() < share ? Math.ceil(random() * most * 10) / 10 : 0;
  const draw = random();
  const work: Work = draw < 0.66 ? 'items' : draw < 0.83 ? 'imputations' : 'writes';
  const rows = work === 'writes' ? between(random, 2, 5) : between(random, 4, 28);
  const settleMs = pick(random, [2_500, 4_000]);
  // Refusals that are swapped leave no trace: docs/reliability.md, what proc cannot detect.
  const isSwapping = work === 'items' && random() < 0.15;
  const away = isSwapping ? 0 : 0.4;
  const faults = {
    'reset-before': chance(0.4, 12),
    'reset-after': chance(0.5, 12),
    truncate: chance(0.3, 8),
    html: chance(0.2, 6),
    500: chance(0.2, 6),
    429: chance(away, 15),
    503: chance(away, 12),
    dup: chance(0.25, 8),
    late503: isSwapping ? 0 : chance(0.15, 6),
    swap: isSwapping ? 12 : 0,
  };
  const some = (share: number) =>
    Array.from({ length: rows }, (_, row) => row).filter(() => random() < share);
  return {
    seed,
    work,
    rows,
    existing: work === 'items' && random() < 0.4 ? some(0.15) : [],
    refused: !isSwapping && work !== 'writes' && random() < 0.3 ? some(0.12) : [],
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
    rate: !isSwapping && random() < 0.15 ? pick(random, [3, 10]) : undefined,
    retryAfterS: pick(random, [1, 3]),
    lateCommitMs: random() < 0.4 ? between(random, 5, settleMs - TIMEOUT_MS) : 0,
    busy: chance(isSwapping ? 0 : 0.2, 1) / 10,
    locked: random() < 0.08 ? { from: between(random, 20, 200), ms: 400 } : undefined,
    lists: listsOf(random, settleMs),
    falseIds: 0,
    others: random() < 0.3 ? between(random, 1, 20) : 0,
    othersTakeOurs: false,
    isSecond: work !== 'writes' && random() < 0.15,
    crashes: crashesOf(random, work),
    wallJumpMs: random() < 0.25 ? pick(random, [-3_600_000, 3_600_000]) : 0,
  };
}

function listsOf(random: Random, settleMs: number): ListHabits {
  switch (random() < 0.35 ? between(random, 1, 6) : 0) {
    case 1:
      return { ...HONEST, staleMs: between(random, 5, settleMs - 1_200) };
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
  const count = pick(random, [0, 0, 1, 1, 2, 3, 5]);
  return Array.from({ length: count }, (): Crash => {
    const by = pick(random, ['kill', 'kill', 'kill', 'power', 'power', 'signal'] as const);
    const on = by === 'signal' || random() < 0.5 ? 'turn' : 'write';
    const most = on === 'turn' ? (work === 'writes' ? 12 : 250) : work === 'writes' ? 6 : 40;
    return { on, at: 1 + Math.floor(random() * random() * most), by };
  });
}

/** The sandbox's words for the faults. */
export function faultText({ faults, rate, retryAfterS, seed }: Scenario): string {
  const parts = Object.entries(faults).map(([name, percent]) => `${name}=${percent}%`);
  if (rate !== undefined) parts.push(`rate=${rate}/s`);
  return [...parts, `retry-after=${retryAfterS}s`, `seed=${Math.abs(seed) % 1e9}`].join(',');
}
