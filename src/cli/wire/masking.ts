import { hiding } from '../../client/hiding.ts';
import type { Target } from '../../core/ports.ts';

/** Takes the secret out of anything that is kept, in whatever spelling it came. */
export function masking({ credential }: Target): <T>(value: T) => T {
  return hiding(credential).value;
}
