import { hash } from 'node:crypto';
import { ProcError } from '../core/errors.ts';

/** In the order in which they are drawn; the first hit applies. */
const CHANCES = ['reset-before', '429', '503', 'reset-after', 'truncate', 'html', '500'] as const;

export type ChanceName = (typeof CHANCES)[number];

/** The faults that also apply to reads. */
const ANY_METHOD: readonly ChanceName[] = ['reset-before', '429', '503'];

/** Faults to inject. `chances` are probabilities in [0, 1]. */
export interface FaultPlan {
  readonly seed: number;
  readonly chances: Readonly<Record<ChanceName, number>>;
  readonly latencyMs: number;
  /** A request that `reset-after` cuts off is committed after this delay. */
  readonly lateCommitMs: number;
  /** Allowed requests per second; further requests get 429. */
  readonly rate: number | undefined;
  /** Seconds in the `Retry-After` of the responses to requests above `rate`. */
  readonly retryAfter: number;
}

const TIME = /^(\d{1,6})(ms|s)?$/;

/** What each word of `--faults` takes, with an example. */
const WORDS: Readonly<Record<string, readonly [form: RegExp, example: string]>> = {
  ...Object.fromEntries(
    CHANCES.map((name) => [name, [/^(\d{1,2}(?:\.\d{1,6})?|100)%$/, `${name}=2%`] as const]),
  ),
  latency: [TIME, 'latency=20ms or latency=4s'],
  'late-commit': [TIME, 'late-commit=100ms'],
  rate: [/^([1-9]\d{0,6})(?:\/s)?$/, 'rate=200/s'],
  'retry-after': [/^(\d{1,4})s?$/, 'retry-after=5s'],
  seed: [/^(\d{1,9})$/, 'seed=7'],
};

/**
 * Reads `reset-after=2%,429=3%,latency=20ms,late-commit=100ms,rate=200/s,seed=7`.
 *
 * @throws ProcError `invalid_usage` with the name of the fault
 */
export function parseFaults(text: string): FaultPlan {
  const found = new Map<string, readonly (string | undefined)[]>();
  for (const word of text.split(',').map((part) => part.trim())) {
    if (word === '') continue;
    const [name = '', value = ''] = word.split(/=(.*)/s).map((part) => part.trim());
    const [form, example] = Object.hasOwn(WORDS, name) ? WORDS[name]! : [];
    const match = form?.exec(value);
    if (!match) {
      const says = form === undefined ? `unknown fault "${name}"` : `invalid value ${word}`;
      throw new ProcError('invalid_usage', `--faults: ${says}`, {
        hint: `Use ${example ?? `one of: ${Object.keys(WORDS).join(', ')}`}`,
      });
    }
    found.set(name, match.slice(1));
  }
  const number = (name: string) => (found.has(name) ? Number(found.get(name)![0]) : undefined);
  const time = (name: string) => {
    const [digits = '0', unit] = found.get(name) ?? [];
    return Number(digits) * (unit === 's' ? 1_000 : 1);
  };
  return {
    seed: number('seed') ?? 0,
    chances: Object.fromEntries(
      CHANCES.map((name) => [name, (number(name) ?? 0) / 100]),
    ) as FaultPlan['chances'],
    latencyMs: time('latency'),
    lateCommitMs: time('late-commit'),
    rate: number('rate'),
    retryAfter: number('retry-after') ?? 1,
  };
}

const SETTLE_MS = 2_000;

/** How long a sandbox with these faults may take to apply a request, e.g. `2000ms`. */
export function settleOf(faults = ''): string {
  const { lateCommitMs, latencyMs } = parseFaults(faults);
  return `${SETTLE_MS + lateCommitMs + latencyMs}ms`;
}

export interface Draw {
  readonly fault: ChanceName | undefined;
  readonly latencyMs: number;
  /** Seconds for `Retry-After`, if the fault turns the request away. */
  readonly retryAfter: number;
}

export type Drawer = (method: string, path: string, body: Buffer) => Draw;

const WORD = 2 ** 32;

/**
 * Faults are drawn from a hash of the request and of how often it was seen. So they do not depend
 * on the order of the requests. Only `rate` depends on the clock.
 */
export function faultDrawer(plan: FaultPlan, now: () => number = Date.now): Drawer {
  const seen = new Map<string, number>();
  const overRate = plan.rate === undefined ? undefined : tokenBucket(plan.rate, now);
  return (method, path, body) => {
    const key = hash('sha1', `${method} ${path}\n${body.toString('latin1')}`, 'base64');
    const count = seen.get(key) ?? 0;
    seen.set(key, count + 1);
    const words = hash('sha256', `${plan.seed} ${count} ${key}`, 'buffer');
    const word = (index: number) => words.readUInt32LE(index * 4) / WORD;
    const { latencyMs } = plan;
    if (overRate?.() === true) return { fault: '429', latencyMs, retryAfter: plan.retryAfter };
    const fault = CHANCES.find(
      (name, index) =>
        word(index) < plan.chances[name] && (method !== 'GET' || ANY_METHOD.includes(name)),
    );
    return { fault, latencyMs, retryAfter: 0 };
  };
}

/**
 * Returns a function that is true for a request above the rate. After a pause, as many requests as
 * one second allows may arrive at once.
 */
function tokenBucket(rate: number, now: () => number): () => boolean {
  let tokens = rate;
  let last = now();
  return () => {
    const time = now();
    tokens = Math.min(rate, tokens + ((time - last) / 1000) * rate);
    last = time;
    if (tokens < 1) return true;
    tokens -= 1;
    return false;
  };
}
