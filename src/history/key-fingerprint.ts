import { nodeModule } from '../core/process/node-module.ts';

/**
 * `key-3f9a0c12b7de`: identifies a key on this machine without revealing it. Loads node:crypto only when called,
 * so that completion starts without it.
 */
export function keyFingerprint(salt: string, secret: string): string {
  const { hash } = nodeModule('node:crypto');
  return `key-${hash('sha256', `${salt}\n${secret}`, 'hex').slice(0, 12)}`;
}
