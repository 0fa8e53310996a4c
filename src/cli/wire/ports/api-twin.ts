import { prepare } from '../../../client/request.ts';
import type { AnyInput, EndpointSpec } from '../../../core/endpoint.ts';
import type { ApiPort, SelfPort, Terminal, WriteIntent } from '../../../core/ports.ts';
import { Previewed } from '../../../core/result.ts';
import type { Destination } from '../destination.ts';
import { curl, dryRun, type Placeholders } from '../preview.ts';
import { apiRequests } from './api-requests.ts';

interface TwinOptions {
  readonly self: SelfPort;
  readonly terminal: Terminal;
  readonly destination: Destination;
  /** Unresolved parts of what is shown. */
  readonly placeholders: Placeholders;
}

/** Requests that are shown instead: `--dry-run` and `--curl`. */
export function createApiTwin(options: TwinOptions): ApiPort {
  const { self, terminal, destination, placeholders } = options;
  const { target } = destination;

  async function callAny(
    spec: EndpointSpec,
    input: AnyInput,
    intent?: WriteIntent,
  ): Promise<never> {
    const request = prepare(spec, input, await target());
    if (self.flags.curl) throw new Previewed(curl(request, placeholders));
    const isReviewed = terminal.interactive && intent?.review !== undefined;
    if (isReviewed) await intent.review();
    throw new Previewed(dryRun(request, isReviewed, placeholders));
  }

  return {
    isPreview: true,
    ...apiRequests(destination, self, callAny),
    confirm: async () => undefined,
    ensureAskable: async () => undefined,
    noteWritten: () => undefined,
  };
}
