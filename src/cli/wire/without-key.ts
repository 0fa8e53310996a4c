import type { KeyedTarget, Target } from '../../core/service-target.ts';

export function withoutKey({ credential: _, ...target }: KeyedTarget): Target {
  return target;
}
