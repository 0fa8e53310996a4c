import { hash } from 'node:crypto';
import { CHANCES, type ChanceName, type FaultPlan, STEPS, type StepName } from './fault-text.ts';

/** What happens to one request. */
export interface Draw {
  readonly fault: ChanceName | 'rate' | undefined;
  /** What goes wrong with the answer on its way, besides. */
  readonly step?: StepName | undefined;
  readonly latencyMs: number;
  /** Seconds for `Retry-After`, where the fault is one that turns a request away. */
  readonly retryAfter: number;
}

/** Decides the fate of a request, from its method, path with query, and body. */
export type Drawer = (method: string, path: string, body: Buffer) => Draw;

/** These touch requests of every method; the others only what may have been committed: writes. */
const ANY_METHOD: readonly ChanceName[] = ['reset-before', '429', '503'];

const WORD = 2 ** 32;

/**
 * Draws come from a hash of seed, method, path, body and how often just this request was seen: the
 * same requests meet the same faults in whatever order and concurrency they arrive. Only `rate`
 * depends on the clock.
 */
export function faultDrawer(plan: FaultPlan, now: () => number = Date.now): Drawer {
  const seen = new Map<string, number>();
  const overRate = plan.rate === undefined ? undefined : tokenBucket(plan.rate, now);
  const goesOutOfStep = STEPS.some((name) => plan.steps[name] > 0);
  return (method, path, body) => {
    const key = hash('sha1', `${method} ${path}\n${body.toString('latin1')}`, 'base64');
    const count = seen.get(key) ?? 0;
    seen.set(key, count + 1);
    // One digest holds a word of 32 bits for every chance, and one for the latency.
    const words = hash('sha256', `${plan.seed} ${count} ${key}`, 'buffer');
    const word = (index: number) => words.readUInt32LE(index * 4) / WORD;
    const latencyMs =
      plan.latency === undefined
        ? 0
        : Math.max(0, plan.latency.ms + (word(CHANCES.length) * 2 - 1) * plan.latency.jitter);
    const step = goesOutOfStep ? drawStep(plan, method, `${plan.seed} ${count} ${key}`) : undefined;
    if (overRate?.() === true)
      return { fault: 'rate', step, latencyMs, retryAfter: plan.retryAfter };
    const fault = CHANCES.find(
      (name, index) =>
        word(index) < plan.chances[name] && (method !== 'GET' || ANY_METHOD.includes(name)),
    );
    return { fault, step, latencyMs, retryAfter: 0 };
  };
}

/** From a digest of its own: what is drawn of the other faults stays as it was. */
function drawStep(plan: FaultPlan, method: string, of: string): StepName | undefined {
  const words = hash('sha256', `${of} answer`, 'buffer');
  return STEPS.find(
    (name, index) =>
      words.readUInt32LE(index * 4) / WORD < plan.steps[name] &&
      (method !== 'GET' || name === 'dup'),
  );
}

/**
 * Lets `rate` requests through per second. It saves up one second's worth, so that a client that
 * waits the `Retry-After` of one second loses nothing.
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
