import { hiding } from '../../core/service/secret.ts';
import type { KeyedTarget } from '../../core/service-target.ts';

/** Takes the secret out of anything that is kept, in whatever spelling it came. */
export function masking({ credential }: KeyedTarget): <T>(value: T) => T {
  return hiding(credential).value;
}
