import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import { Secret } from '../../../src/core/secret.ts';

it.each([
  ['printed', (secret: Secret) => `${secret}`],
  ['made JSON', (secret: Secret) => JSON.stringify({ secret })],
  ['inspected', (secret: Secret) => inspect({ secret }, { showHidden: true, depth: 9 })],
  ['copied', (secret: Secret) => JSON.stringify({ ...secret })],
])('a secret that is %s shows nothing', (_, shown) => {
  const secret = new Secret('canary-key');
  expect(shown(secret)).not.toContain('canary');
  expect(secret.reveal()).toBe('canary-key');
});
