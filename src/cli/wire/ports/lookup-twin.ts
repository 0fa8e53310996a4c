import { once } from '../../../core/once.ts';
import type { LookupPort, Say, SelfPort } from '../../../core/ports.ts';
import type { Destination } from '../destination.ts';
import type { Placeholders } from '../preview.ts';
import { readsFrom } from './lookup-port.ts';

/** Reads of a preview: performed where a key is at hand and `--offline` does not forbid it. */
export function createLookupTwin(
  destination: Destination,
  say: Say,
  { flags: { offline } }: SelfPort,
  placeholders: Placeholders,
): LookupPort {
  const keyed = once(async () => (offline ? undefined : destination.targetWithKey()));
  const source = async () => (await keyed()) ?? (await destination.target());
  return {
    ...readsFrom(destination, source, say),
    allowed: async () => (await keyed()) !== undefined,
    placeholder(what, text) {
      const placeholder = `<${what} ${text}>`;
      if (!placeholders.has(placeholder)) {
        placeholders.add(placeholder);
        const why = offline ? '--offline' : 'no key at hand';
        say({ kind: 'warning', text: `${placeholder} was not looked up (${why})` });
      }
      return placeholder;
    },
  };
}
