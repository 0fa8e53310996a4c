import type { Credential } from '../core/ports.ts';

/** Shorter secrets would also be found where they are none. */
const SHORTEST = 6;

/** Masks a secret in what a service says, plain or as JSON writes it: some repeat the key. */
export function hiding(credential: Credential | undefined): (text: string) => string {
  const secret = credential?.secret ?? '';
  if (secret.length < SHORTEST) return (text) => text;
  return (text) =>
    text.replaceAll(secret, '***').replaceAll(JSON.stringify(secret).slice(1, -1), '***');
}
