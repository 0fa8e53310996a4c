import { createHash } from 'node:crypto';
import type { KeyedTarget } from '../core/service-target.ts';

/** Tells two keys apart without revealing either: salted with the run's name and truncated. */
export function keyMark(run: string, target: KeyedTarget): string {
  const secret = target.credential?.secret.reveal() ?? '';
  return createHash('sha256').update(`${run}\n${secret}`).digest('hex').slice(0, 8);
}
