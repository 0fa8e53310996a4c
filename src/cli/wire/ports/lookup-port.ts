import type { AnyInput, EndpointSpec } from '../../../core/endpoint.ts';
import type { LookupPort, Say } from '../../../core/ports.ts';
import type { Row } from '../../../core/result.ts';
import type { KeyedTarget } from '../../../core/service-target.ts';
import { findRows } from '../../../listing/find-rows.ts';
import { listPages } from '../../../listing/list-pages.ts';
import type { Destination } from '../destination.ts';

/** Reads that prepare a write. */
export function createLookup(destination: Destination, say: Say): LookupPort {
  const reads = readsFrom(destination, destination.target, say);
  return {
    ...reads,
    allowed: async () => true,
    mayReadLists: async () => true,
    before: (spec, input) => reads.call(spec, input) as Promise<Row>,
    placeholder: (what, text) => `<${what} ${text}>`,
  };
}

/** Reads from the target that `source` returns. */
export function readsFrom(
  destination: Destination,
  source: () => Promise<KeyedTarget>,
  say: Say,
): Pick<LookupPort, 'call' | 'pages' | 'find'> {
  const call = async (spec: EndpointSpec, input: AnyInput): Promise<unknown> =>
    destination.callAt(await source(), spec, input);
  const read = (list: EndpointSpec, part: Row) =>
    call(list, { query: part }) as Promise<readonly Row[]>;
  const list = async () => ({ target: await destination.target(), read });
  return {
    call: call as LookupPort['call'],
    pages: (spec, query) => listPages(spec, query, list),
    find: async (spec, field, value) => findRows(spec, field, value, await list(), say),
  };
}
