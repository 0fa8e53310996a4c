import { type AnyInput, type EndpointSpec, nounOf } from '../../../core/endpoint.ts';
import type { ApiPort, SelfPort, WriteIntent, Written } from '../../../core/ports.ts';
import { ensureAskable, type GuardPorts, guard } from '../../write/guard.ts';
import { plainIntent } from '../../write/plain-intent.ts';
import type { WritePorts } from '../../write/write-call.ts';
import type { Destination } from '../destination.ts';
import { apiRequests } from './api-requests.ts';

export interface ApiOptions {
  readonly self: SelfPort;
  readonly destination: Destination;
  readonly guard: GuardPorts;
  /** Told of everything that was read. */
  onRead(noun: string, value: unknown): void;
  onWritten(written: Written): void;
  writePorts(): Promise<WritePorts>;
}

/** Requests that leave. */
export function createApi(options: ApiOptions): ApiPort {
  const { self, destination, guard: guardPorts } = options;
  const { target } = destination;

  async function callAny(
    spec: EndpointSpec,
    input: AnyInput,
    intent: WriteIntent = plainIntent(spec),
  ): Promise<unknown> {
    const to = await target();
    if (spec.method === 'GET') {
      const value = await destination.callAt(to, spec, input);
      options.onRead(nounOf(spec), value);
      return value;
    }
    // Every single write goes this way: confirmed, recorded, sent, its outcome recorded.
    await guard(intent, to, guardPorts);
    const { writeCall } = await import('../../write/write-call.ts');
    return writeCall({ spec, input, intent, target: to }, await options.writePorts());
  }

  return {
    isPreview: false,
    ...apiRequests(destination, self, callAny),
    confirm: async (intent) => guard(intent, await target(), guardPorts),
    ensureAskable: async (intent) => ensureAskable(intent, await target(), guardPorts),
    noteWritten: options.onWritten,
  };
}
