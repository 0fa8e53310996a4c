import type { Credential } from '../core/ports.ts';

/** Shorter secrets would also be found where they are none. */
const SHORTEST = 6;

type Hide = (text: string) => string;

const asItIs: Hide = (text) => text;

/** An import asks for the same one with each answer. */
const HIDERS = new WeakMap<Credential, Hide>();

/** Masks a secret in what a service says, plain or as JSON writes it: some repeat the key. */
export function hiding(credential: Credential | undefined): Hide {
  if (credential === undefined) return asItIs;
  let hide = HIDERS.get(credential);
  if (hide === undefined) {
    hide = hider(credential);
    HIDERS.set(credential, hide);
  }
  return hide;
}

function hider({ secret }: Credential): Hide {
  if (secret.length < SHORTEST) return asItIs;
  const escaped = JSON.stringify(secret).slice(1, -1);
  return (text) => text.replaceAll(secret, '***').replaceAll(escaped, '***');
}
