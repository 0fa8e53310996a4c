import { type AnyInput, type EndpointSpec, nounOf } from '../../../core/endpoint.ts';
import type {
  ApiPort,
  IoPort,
  Pages,
  SelfPort,
  WriteIntent,
  Written,
} from '../../../core/ports.ts';
import type { Row } from '../../../core/result.ts';
import { ensureAskable, type GuardPorts, guard } from '../../write/guard.ts';
import type { WritePorts } from '../../write/write-call.ts';
import type { Destination } from '../destination.ts';
import { countedRows, whileReading } from '../reading.ts';
import { atDestination } from './at-destination.ts';

export interface ApiOptions {
  readonly self: SelfPort;
  readonly io: IoPort;
  readonly destination: Destination;
  readonly guard: GuardPorts;
  onRead(noun: string, value: unknown): void;
  onWritten(written: Written): void;
  writePorts(): Promise<WritePorts>;
}

export function createApi(options: ApiOptions): ApiPort {
  const { self, destination, guard: guardPorts } = options;
  const { target } = destination;

  async function read(spec: EndpointSpec, input: AnyInput): Promise<unknown> {
    const value = await destination.callAt(await target(), spec, input);
    options.onRead(nounOf(spec), value);
    return value;
  }

  /** For single writes; imports use a sender. */
  async function write(spec: EndpointSpec, input: AnyInput, intent: WriteIntent): Promise<unknown> {
    const to = await target();
    await guard(intent, to, guardPorts);
    const { writeCall } = await import('../../write/write-call.ts');
    return writeCall({ spec, input, intent, target: to }, await options.writePorts());
  }

  return {
    isPreview: false,
    ...atDestination(destination, self),
    // `as never`: the compiler cannot prove that the endpoint determines the type of the response.
    send: async (spec, input, intent, then) => then((await write(spec, input, intent)) as never),
    read: async (spec, input, then) =>
      then((await whileReading(nounOf(spec), options, () => read(spec, input))) as never),
    async list(spec, query, then) {
      const pages = lazyPages(async () => {
        const { listPages } = await import('../../../listing/list-pages.ts');
        const readPart = (list: EndpointSpec, part: Row) =>
          read(list, { query: part }) as Promise<readonly Row[]>;
        const { learnNames } = destination;
        return listPages(spec, query, async () => {
          return { target: await target(), read: readPart, learnNames };
        });
      });
      return then({ ...pages, rows: countedRows(nounOf(spec), pages.rows, options) });
    },
    shownAs: async (_spec, _input, work) => work(),
    confirm: async (intent) => guard(intent, await target(), guardPorts),
    ensureAskable: async (intent) => ensureAskable(intent, await target(), guardPorts),
    noteWritten: options.onWritten,
  };
}

function lazyPages(load: () => Promise<Pages>): Pages {
  let pages: Pages | undefined;
  async function* rows(): AsyncGenerator<readonly Row[]> {
    pages = await load();
    yield* pages.rows;
  }
  return {
    rows: rows(),
    complete: () => pages?.complete() ?? false,
    isCut: () => pages?.isCut() ?? false,
    failure: () => pages?.failure(),
  };
}
