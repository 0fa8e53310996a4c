import { type AnyInput, type EndpointSpec, nounOf } from '../../../core/endpoint.ts';
import type { IoPort, LookupPort } from '../../../core/ports.ts';
import type { Row } from '../../../core/result.ts';
import type { KeyedTarget } from '../../../core/service-target.ts';
import { listPages } from '../../../listing/list-pages.ts';
import { findRows } from '../../../listing/search-codes.ts';
import type { Destination } from '../destination.ts';
import { countedRows, type ReadingPorts, whileReading } from '../reading.ts';

export interface LookupPorts extends ReadingPorts {
  readonly io: IoPort;
}

export function createLookup(destination: Destination, ports: LookupPorts): LookupPort {
  const reads = readsFrom(destination, destination.target, ports);
  return {
    ...reads,
    allowed: async () => true,
    mayReadLists: async () => true,
    before: (spec, input) => reads.call(spec, input) as Promise<Row>,
    placeholder: (what, text) => `<${what} ${text}>`,
  };
}

export function readsFrom(
  destination: Destination,
  source: () => Promise<KeyedTarget>,
  ports: LookupPorts,
): Pick<LookupPort, 'call' | 'pages' | 'find'> {
  const send = async (spec: EndpointSpec, input: AnyInput): Promise<unknown> =>
    destination.callAt(await source(), spec, input);
  const call = (spec: EndpointSpec, input: AnyInput) =>
    whileReading(nounOf(spec), ports, () => send(spec, input));
  const read = (list: EndpointSpec, part: Row) =>
    send(list, { query: part }) as Promise<readonly Row[]>;
  const { learnNames } = destination;
  const list = async () => ({ target: await destination.target(), read, learnNames });
  return {
    call: call as LookupPort['call'],
    pages(spec, query) {
      const pages = listPages(spec, query, list);
      return { ...pages, rows: countedRows(nounOf(spec), pages.rows, ports) };
    },
    find: (spec, field, value, onRows) =>
      whileReading(nounOf(spec), ports, async () =>
        findRows({ spec, field, value }, await list(), ports.io.say, onRows),
      ),
  };
}
