import { prepare } from '../../../client/request.ts';
import type { AnyInput, EndpointSpec } from '../../../core/endpoint.ts';
import { ProcError } from '../../../core/errors.ts';
import type {
  ApiPort,
  IoPort,
  SelfPort,
  StorePort,
  Terminal,
  WriteIntent,
} from '../../../core/ports.ts';
import type { ShownRequest } from '../../../core/result.ts';
import { firstQuery } from '../../../listing/list-pages.ts';
import type { Destination } from '../destination.ts';
import { curl, dryRun, type Placeholders } from '../preview.ts';
import { atDestination } from './at-destination.ts';

interface TwinOptions {
  readonly self: SelfPort;
  readonly terminal: Terminal;
  readonly destination: Destination;
  readonly placeholders: Placeholders;
  readonly io: IoPort;
  store(): Promise<StorePort>;
}

/** The port of `--dry-run` and `--curl`: shows requests instead of sending them. */
export function createApiTwin(options: TwinOptions): ApiPort {
  const { self, terminal, destination, placeholders } = options;
  const { target } = destination;

  async function shown(
    spec: EndpointSpec,
    input: AnyInput,
    intent?: WriteIntent,
  ): Promise<ShownRequest> {
    const to = await target();
    const request = prepare(spec, input, to);
    if (self.flags.curl) {
      const files = { ...to.clientCertificate, ca: to.authorities?.path };
      return curl(request, files, placeholders);
    }
    const isReviewed = terminal.interactive && intent?.review !== undefined;
    if (isReviewed) await intent.review();
    return dryRun(request, isReviewed, placeholders);
  }

  async function foreseen(
    spec: EndpointSpec,
    given: unknown,
    once: string | undefined,
  ): Promise<ShownRequest | undefined> {
    if (once === undefined) return undefined;
    if (self.flags.curl) {
      throw new ProcError('invalid_usage', '--once has no effect on --curl', {
        hint: 'Remove --once: proc does not record what a pasted command sends',
      });
    }
    const { foreseeOnce } = await import('../../write/write-once.ts');
    const ports = { io: options.io, store: await options.store() };
    return foreseeOnce({ spec, once, given, target: await target() }, ports);
  }

  return {
    isPreview: true,
    ...atDestination(destination, self),
    async send(spec, given, intent) {
      const body = typeof given === 'function' ? undefined : given.body;
      const first = await foreseen(spec, intent.given ?? body, intent.once);
      return first ?? shown(spec, typeof given === 'function' ? await given() : given, intent);
    },
    read: (spec, input) => shown(spec, input),
    list: async (spec, query) => shown(spec, { query: firstQuery(spec, query, await target()) }),
    shownAs: (spec, input) => shown(spec, input),
    confirm: async () => undefined,
    ensureAskable: async () => undefined,
    noteWritten: () => undefined,
  };
}
