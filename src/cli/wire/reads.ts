import type { Reads } from '../../core/command.ts';
import type { AnyInput, EndpointSpec, OutputOf } from '../../core/endpoint.ts';
import { once } from '../../core/once.ts';
import type { Say, Target } from '../../core/ports.ts';
import type { Row } from '../../core/result.ts';
import type { findRows } from '../../listing/find-rows.ts';
import type { PageWalk } from '../../listing/page-walk.ts';
import { lazyPages } from './lazy-pages.ts';
import type { Placeholders } from './preview.ts';

interface ReadsPorts {
  readonly previewing: boolean;
  readonly offline: boolean;
  readonly say: Say;
  /** Unresolved parts of what is shown. */
  readonly placeholders: Placeholders;
  target(): Promise<Target>;
  /** The target with its credential, whatever it takes to get it; undefined where there is none. */
  targetWithKey(): Promise<Target | undefined>;
  callAt(target: Target, spec: EndpointSpec, input: AnyInput): Promise<unknown>;
  findRows(): Promise<typeof findRows>;
  isWhole(spec: EndpointSpec): Promise<boolean>;
  walk(): Promise<typeof PageWalk>;
}

/** Reads that prepare a write, performed in a preview too where a key is at hand. */
export function createReads(ports: ReadsPorts): Reads {
  const { previewing, offline, say, placeholders } = ports;
  const source = once(async (): Promise<Target | undefined> => {
    if (!previewing) return ports.target();
    return offline ? undefined : ports.targetWithKey();
  });
  const read = async (spec: EndpointSpec, input: AnyInput): Promise<unknown> =>
    ports.callAt((await source()) ?? (await ports.target()), spec, input);
  const page = (spec: EndpointSpec, query: Row) => read(spec, { query }) as Promise<readonly Row[]>;
  const pages: Reads['pages'] = (spec, query) =>
    lazyPages(query, {
      isWhole: () => ports.isWhole(spec),
      walk: ports.walk,
      read: (asked) => page(spec, asked),
    });
  return {
    allowed: async () => (await source()) !== undefined,
    call: <E extends EndpointSpec>(spec: E, input: unknown) =>
      read(spec, input as AnyInput) as Promise<OutputOf<E>>,
    pages,
    async find(spec, field, value) {
      const find = await ports.findRows();
      return find(spec, field, value, { target: await ports.target(), read: page }, say);
    },
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
