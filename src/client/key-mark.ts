import { nodeModule } from '../core/process/node-module.ts';
import type { KeyedTarget } from '../core/service-target.ts';

/** A short hash of the key, salted with the run's name. It tells two keys apart without revealing them. */
export function keyMark(run: string, target: KeyedTarget): string {
  const secret = target.credential?.secret.reveal() ?? '';
  const { hash } = nodeModule('node:crypto');
  return hash('sha256', `${run}\n${secret}`, 'hex').slice(0, 8);
}
