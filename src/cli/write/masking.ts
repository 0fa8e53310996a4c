import { hiding } from '../../core/service/secret.ts';
import type { KeyedTarget } from '../../core/service-target.ts';

export function masking({ credential }: KeyedTarget): <T>(value: T) => T {
  return hiding(credential).value;
}
