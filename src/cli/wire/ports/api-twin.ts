import { prepare } from '../../../client/request.ts';
import type { AnyInput, EndpointSpec } from '../../../core/endpoint.ts';
import type { ApiPort, SelfPort, Terminal, WriteIntent } from '../../../core/ports.ts';
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
      const files = { ...to.clientCertificate, ca: self.flags.caFile };
      return curl(request, files, placeholders);
    }
    const isReviewed = terminal.interactive && intent?.review !== undefined;
    if (isReviewed) await intent.review();
    return dryRun(request, isReviewed, placeholders);
  }

  return {
    isPreview: true,
    ...atDestination(destination, self),
    send: (spec, input, intent) => shown(spec, input, intent),
    read: (spec, input) => shown(spec, input),
    list: async (spec, query) => shown(spec, { query: firstQuery(spec, query, await target()) }),
    shownAs: (spec, input) => shown(spec, input),
    confirm: async () => undefined,
    ensureAskable: async () => undefined,
    noteWritten: () => undefined,
  };
}
