import type { KeyedTarget, Target } from '../../core/service-target.ts';

/** What handlers see of a target. */
export function withoutKey({ credential: _, ...target }: KeyedTarget): Target {
  return target;
}
