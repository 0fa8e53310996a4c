import type { KeyedTarget, Target } from '../../core/service-target.ts';

/** Handlers never see the credential. */
export function withoutKey({ credential: _, ...target }: KeyedTarget): Target {
  return target;
}
