import { nodeModule } from '../core/process/node-module.ts';

/**
 * E.g. `key-3f9a0c12b7de`. Loads node:crypto only when called, because completion must start fast.
 */
export function keyFingerprint(salt: string, secret: string): string {
  const { hash } = nodeModule('node:crypto');
  return `key-${hash('sha256', `${salt}\n${secret}`, 'hex').slice(0, 12)}`;
}
