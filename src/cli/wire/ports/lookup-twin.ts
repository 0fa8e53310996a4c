import type { LookupPort, SelfPort } from '../../../core/ports.ts';
import type { Row } from '../../../core/result.ts';
import type { Destination } from '../destination.ts';
import { once } from '../once.ts';
import type { Placeholders } from '../preview.ts';
import { type LookupPorts, readsFrom } from './lookup-port.ts';

/** A preview looks records up if there is a key, unless `--offline` is given. */
export function createLookupTwin(
  destination: Destination,
  ports: LookupPorts & { readonly self: SelfPort },
  placeholders: Placeholders,
): LookupPort {
  const { say } = ports.io;
  const { offline } = ports.self.flags;
  const keyed = once(async () => (offline ? undefined : destination.targetWithKey()));
  const source = async () => (await keyed()) ?? (await destination.target());
  const reads = readsFrom(destination, source, ports);
  const allowed = async () => (await keyed()) !== undefined;
  return {
    ...reads,
    allowed,
    mayReadLists: async () => !offline && (await destination.target()).key !== undefined,
    before: async (spec, input, { isShown }) =>
      isShown && (await allowed()) ? (reads.call(spec, input) as Promise<Row>) : undefined,
    placeholder(what, text) {
      const placeholder = `<${what} ${text}>`;
      if (!placeholders.has(placeholder)) {
        placeholders.add(placeholder);
        const why = offline ? '--offline' : 'no key';
        say({ kind: 'warning', text: `${placeholder} was not looked up (${why})` });
      }
      return placeholder;
    },
  };
}
