import type { KeyedTarget, Target } from '../../core/service-target.ts';

/** The target as handlers see it. */
export function withoutKey({ credential: _, ...target }: KeyedTarget): Target {
  return target;
}
