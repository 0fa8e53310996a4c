import type { Target } from '../core/ports.ts';

/** Shorter secrets would also be found where they are none. */
const SHORTEST = 6;

/**
 * Takes the secret out of anything that is kept: a service may repeat a key in its error message.
 */
export function masking({ credential }: Target): <T>(value: T) => T {
  const secret = credential?.secret ?? '';
  if (secret.length < SHORTEST) return (value) => value;
  const written = JSON.stringify(secret).slice(1, -1);
  return (value) => {
    const text = JSON.stringify(value);
    if (text === undefined || !text.includes(written)) return value;
    return JSON.parse(text.replaceAll(written, '***'));
  };
}
