import { type AnyInput, type EndpointSpec, nounOf } from '../../../core/endpoint.ts';
import { ProcError } from '../../../core/errors.ts';
import type {
  ApiPort,
  IoPort,
  Pages,
  SelfPort,
  WriteIntent,
  Written,
} from '../../../core/ports.ts';
import type { Row } from '../../../core/result.ts';
import type { MostCreated } from '../../../core/service-target.ts';
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

type Given = AnyInput | (() => Promise<AnyInput>);

export function createApi(options: ApiOptions): ApiPort {
  const { self, destination, guard: guardPorts } = options;
  const { target } = destination;

  async function read(spec: EndpointSpec, input: AnyInput): Promise<unknown> {
    const value = await destination.callAt(await target(), spec, input);
    options.onRead(nounOf(spec), value);
    return value;
  }

  /** For single writes; imports use a sender. */
  async function write(spec: EndpointSpec, given: Given, intent: WriteIntent): Promise<unknown> {
    const to = await target();
    if (intent.weight === 'create') refuseNoCreates(to.maxCreate);
    const send = async () => {
      const input = typeof given === 'function' ? await given() : given;
      await guard(intent, to, guardPorts);
      const { writeCall } = await import('../../write/write-call.ts');
      return writeCall({ spec, input, intent, target: to }, await options.writePorts());
    };
    if (intent.once === undefined) return send();
    const { writeOnce } = await import('../../write/write-once.ts');
    const body = typeof given === 'function' ? undefined : given.body;
    const keyed = { spec, once: intent.once, given: intent.given ?? body, target: to };
    return writeOnce(keyed, await options.writePorts(), send);
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

/** Commands that create several records count them. */
function refuseNoCreates(most: MostCreated | undefined): void {
  if (most === undefined || most.count > 0) return;
  throw new ProcError('invalid_input', `${most.from} is 0, so nothing may be created`, {
    hint: `Raise ${most.from}`,
    details: { create: 1, maxCreate: 0, from: most.from },
  });
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
