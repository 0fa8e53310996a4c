import { type AnyInput, type EndpointSpec, nounOf } from '../../../core/endpoint.ts';
import { ProcError } from '../../../core/errors.ts';
import { isObject } from '../../../core/is-object.ts';
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
    const refuse = (body: unknown) => {
      if (intent.weight === 'create') refuseMore(recordsIn(body), to.maxCreate);
    };
    refuse(undefined);
    const send = async () => {
      const input = typeof given === 'function' ? await given() : given;
      refuse(input.body);
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

/** The record itself, and the items that a requisition defines in place. */
function recordsIn(body: unknown): number {
  const groups = isObject(body) && Array.isArray(body.groups) ? body.groups : [];
  const lines = groups.flatMap((group) =>
    isObject(group) && Array.isArray(group.items) ? group.items : [],
  );
  return 1 + lines.filter((line) => isObject(line) && isObject(line.item)).length;
}

/** Commands that create several records count them themselves. */
function refuseMore(create: number, most: MostCreated | undefined): void {
  if (most === undefined || create <= most.count) return;
  const { count, from } = most;
  const message =
    count === 0
      ? `${from} is 0, so nothing may be created`
      : `${create} records would be created with the items defined in place, more than ${from}${from.includes(' ') ? ` (${count})` : ` ${count}`}; nothing was sent`;
  throw new ProcError('invalid_input', message, {
    hint: `Raise ${from}`,
    details: { create, maxCreate: count, from },
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
