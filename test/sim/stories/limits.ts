import type { PromiseName } from '../promises/promises.ts';
import { HONEST } from '../service/lists.ts';
import type { Scenario } from './scenario.ts';

/** A limit that docs/why.md states. */
interface Limit {
  /** The story of this seed breaks the promise if the limit is exceeded. */
  readonly seed: number;
  readonly breaks: PromiseName;
  of(story: Scenario): Scenario;
}

const ITEMS = {
  work: 'items',
  crashes: [],
  isSecond: false,
  locked: undefined,
  meeting: undefined,
  isPiped: false,
  codes: undefined,
  lists: HONEST,
  falseIds: 0,
  falseContent: 0,
  restoresAt: undefined,
} as const;

/** These rows exist before the run. */
const BEFORE = { rows: 10, existing: [0, 3, 5], refused: [], faults: {} } as const;

/** What random stories leave out. A story beyond one of these limits breaks a promise. */
export const LIMITS: Readonly<Record<string, Limit>> = {
  'the service applies a request later than --settle': {
    seed: 1,
    breaks: 'nothing is sent again that was applied or may still be',
    of: (story) => ({
      ...story,
      ...ITEMS,
      faults: { 'reset-after': 20 },
      lateCommitMs: 3 * story.settleMs,
    }),
  },
  'another writer creates the same codes at the same time': {
    seed: 1,
    breaks: 'each row is created once',
    of: (story) => ({ ...story, ...ITEMS, others: 20, othersTakeOurs: true }),
  },
  'a list shows what was longer ago than --settle': {
    seed: 1,
    breaks: 'nothing is sent again that was applied or may still be',
    of: (story) => ({
      ...story,
      ...ITEMS,
      // All responses are lost. Otherwise proc would notice that the list lacks created rows.
      faults: { 'reset-after': 100 },
      lateCommitMs: 0,
      lists: { ...HONEST, staleMs: 4 * story.settleMs },
    }),
  },
  'a list that hides records': {
    seed: 1,
    breaks: 'what was there is not created',
    of: (story) => ({ ...story, ...ITEMS, ...BEFORE, lists: { ...HONEST, hides: '3' } }),
  },
  'a list that is cut off, of a service that does not sort': {
    seed: 1,
    breaks: 'what was there is not created',
    of: (story) => ({
      ...story,
      ...ITEMS,
      ...BEFORE,
      lists: { ...HONEST, order: 'ignored', mostRows: 2 },
    }),
  },
};
