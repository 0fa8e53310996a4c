import { hash } from 'node:crypto';
import { CHANCES, type ChanceName, type FaultPlan } from './behaviour.ts';

export interface Draw {
  readonly fault: ChanceName | 'rate' | undefined;
  readonly latencyMs: number;
  /** Seconds for `Retry-After`, if the fault rejects the request. */
  readonly retryAfter: number;
}

export type Drawer = (method: string, path: string, body: Buffer) => Draw;

/** The faults in `CHANCES` that also apply to reads. The others in `CHANCES` apply only to writes. */
const ANY_METHOD: readonly ChanceName[] = ['reset-before', '429', '503'];

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
    // The digest has eight words of 32 bits: seven for the chances and one for the latency.
    const words = hash('sha256', `${plan.seed} ${count} ${key}`, 'buffer');
    const word = (index: number) => words.readUInt32LE(index * 4) / WORD;
    const latencyMs =
      plan.latency === undefined
        ? 0
        : Math.max(0, plan.latency.ms + (word(CHANCES.length) * 2 - 1) * plan.latency.jitter);
    if (overRate?.() === true) return { fault: 'rate', latencyMs, retryAfter: plan.retryAfter };
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
